export { type CodexFacts, codexKeys } from "./facts.ts";
export { type CodexCheckpoint, CodexParser } from "./parser.ts";
export { codexFile, codexThreadTrees, codexTrees } from "./paths.ts";
export type { ThreadMeta } from "./schema.ts";
export { codexStream } from "./stream.ts";
export { mergeCodex } from "./usage.ts";
