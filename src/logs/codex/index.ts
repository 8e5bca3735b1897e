export type { CodexFacts, CodexFile } from "./facts.ts";
export { CodexParser } from "./parser.ts";
export { codexFile, codexHome, codexThreadTrees, codexTrees } from "./paths.ts";
export { mergeCodex } from "./usage.ts";
