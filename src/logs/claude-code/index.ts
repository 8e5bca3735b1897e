export { type ClaudeFacts, claudeKeys } from "./facts.ts";
export { type ClaudeCheckpoint, ClaudeParser } from "./parser.ts";
export { claudeFile, claudeProjectTrees, claudeSessionTrees, claudeTrees } from "./paths.ts";
export { claudeStream } from "./stream.ts";
export { mergeClaude } from "./usage.ts";
