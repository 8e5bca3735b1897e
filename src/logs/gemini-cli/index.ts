export { geminiParser } from "./parser.ts";
export { geminiGroup, geminiTrees } from "./paths.ts";
