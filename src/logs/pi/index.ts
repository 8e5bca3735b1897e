export { PiParser } from "./parser.ts";
export { ompTrees, piGroup, piTrees } from "./paths.ts";
