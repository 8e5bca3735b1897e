export { GeminiParser } from "./parser.ts";
export { geminiGroup, geminiTrees } from "./paths.ts";
