export { type LoopRead, parseLoop } from "./parse.ts";
export * from "./types.ts";
