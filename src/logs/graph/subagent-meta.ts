import { optional, parseFields, text } from "../fields.ts";

/** What Claude Code writes down beside the transcript of a sub-agent. */
export interface SubagentMeta {
  /** The call of its parent that started it. */
  readonly toolUse?: string;
  readonly type?: string;
  readonly description?: string;
}

export function metaPath(transcript: string): string {
  return transcript.replace(/\.jsonl$/, ".meta.json");
}

export function readMeta(content: string): SubagentMeta {
  const parsed = parseFields(content);
  if (parsed === undefined || parsed === "broken") return {};
  return {
    ...optional("toolUse", text(parsed["toolUseId"])),
    ...optional("type", text(parsed["agentType"])),
    ...optional("description", text(parsed["description"])),
  };
}
