import type { LogDatabase } from "../../ports/log-source.ts";

const DATA = "case when json_valid(data) then data else '{}' end";
const of = (path: string, name: string): string => `json_extract(${DATA}, '$.${path}') as ${name}`;

/** Sessions, answers of the model, and what tools did to files, of the releases that keep SQLite. */
export const OPENCODE_DATABASE: LogDatabase = {
  fileName: /^opencode(-[\w.-]+)?\.db$/,
  queries: {
    session: "select id, parent_id, directory, time_created, time_updated, time_archived from session",
    message: `select id, session_id, ${[
      of("modelID", "model"),
      of("path.cwd", "cwd"),
      of("time.created", "created"),
      of("time.completed", "completed"),
      of("tokens.input", "input"),
      of("tokens.output", "output"),
      of("tokens.reasoning", "reasoning"),
      of("tokens.cache.read", "cache_read"),
      of("tokens.cache.write", "cache_write"),
      of("cost", "cost"),
      of("error.name", "error"),
    ].join(", ")} from message where json_extract(${DATA}, '$.role') = 'assistant'`,
    tool: `select session_id, ${[
      of("tool", "tool"),
      of("state.input.filePath", "path"),
      of("state.time.end", "at"),
    ].join(", ")} from part where json_extract(${DATA}, '$.type') = 'tool'
      and json_extract(${DATA}, '$.state.status') = 'completed'
      and json_extract(${DATA}, '$.tool') in ('read', 'write', 'edit')`,
  },
};
