export type { ClaudeFacts, ClaudeFile } from "./facts.ts";
export { ClaudeParser } from "./parser.ts";
export { claudeFile, claudeHomes, claudeProjectTrees, claudeSessionTrees, claudeTrees } from "./paths.ts";
export { claudeStream } from "./stream.ts";
export { mergeClaude } from "./usage.ts";
