export { type CodexFacts, type CodexFile, codexKeys } from "./facts.ts";
export { type CodexCheckpoint, CodexParser } from "./parser.ts";
export { codexFile, codexHome, codexThreadTrees, codexTrees } from "./paths.ts";
export type { ThreadMeta } from "./schema.ts";
export { codexStream } from "./stream.ts";
export { mergeCodex } from "./usage.ts";
