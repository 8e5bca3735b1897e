import { anything, type JsonSchema, list, object, orNull, text, whole } from "./schema.ts";

const PIECE_VIEW: JsonSchema = object({ id: text, role: orNull(text), width: whole });
export const SETTINGS_VIEW: JsonSchema = list(
  object({ piece: text, harness: text, model: orNull(text), effort: text, context_policy: text }),
);
export const WORKFLOW_VIEW: JsonSchema = object({
  id: text,
  version: whole,
  title: orNull(text),
  pieces: list(PIECE_VIEW),
  artifacts: list(object({ id: text, kind: text })),
  edges: list(list(text)),
  gates: list(object({ id: text, after: text, rule: text, on_fail: orNull(text) })),
  rounds: whole,
  rescue: object({ kind: text, ref: orNull(text) }),
});
export const OCP_VIEW: JsonSchema = object({
  workflow: anything,
  settings: anything,
  "configuration_id?": text,
});
