import type { LogTree } from "../../ports/log-source.ts";
import type { WorkState } from "../call.ts";
import type { LogEnvironment } from "../environment.ts";
import { type Fields, fields, optional, text, timeMs } from "../fields.ts";
import { addDamage } from "../lines.ts";
import type { PlainFacts } from "../plain-calls.ts";
import { WholeDocument } from "../whole-document.ts";

/** `~/.paseo/agents/<folder>/<agent id>.json`: one document an agent. */
export function paseoTrees(env: LogEnvironment): LogTree[] {
  const home = env.variables["PASEO_HOME"] || `${env.homeDir}/.paseo`;
  return [
    {
      root: `${home}/agents`,
      wants: (path, kind) => (kind === "folder" ? !path.includes("/") : /^[^/]+\/[^/]+\.json$/.test(path)),
    },
  ];
}

export function paseoGroup(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? "").replace(/\.json$/, "");
}

const STATES: ReadonlyMap<string, WorkState> = new Map([
  ["initializing", "working"],
  ["idle", "working"],
  ["running", "working"],
  ["error", "failed"],
  ["closed", "settled_unverified"],
]);

/** Titles and prompts are left alone. */
export function paseoParser(path: string): WholeDocument {
  return new WholeDocument(path, readAgent);
}

function readAgent(agent: Fields, facts: PlainFacts): void {
  const id = text(agent["id"]);
  const state = STATES.get(text(agent["lastStatus"]) ?? "");
  if (id === undefined || state === undefined) {
    addDamage(facts.damaged, { path: facts.path, line: 1, reason: "an agent without a known lastStatus" });
    return;
  }
  const config = fields(agent["config"]);
  facts.session = id;
  facts.reported = {
    state,
    ...optional("harness", text(agent["provider"])),
    ...optional("model", text(config?.["model"])),
    ...optional("effort", text(config?.["thinkingOptionId"])),
    ...optional("agentSession", agentSession(agent)),
  };
  const cwd = text(agent["cwd"]);
  const startMs = timeMs(agent["createdAt"]);
  const lastAtMs = timeMs(agent["updatedAt"]);
  if (cwd !== undefined) facts.cwd = cwd;
  if (startMs !== undefined) facts.startMs = startMs;
  if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
}

/** Only when all three places that name it agree. */
function agentSession(agent: Fields): string | undefined {
  const persistence = fields(agent["persistence"]);
  const named = [
    persistence?.["sessionId"],
    persistence?.["nativeHandle"],
    fields(agent["runtimeInfo"])?.["sessionId"],
  ];
  return named.every((value) => value === named[0]) ? text(named[0]) : undefined;
}
