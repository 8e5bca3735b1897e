export type { LoopForm } from "./document.ts";
export type { Finding, Severity } from "./findings.ts";
export { loopSchema } from "./grammar.ts";
export type { Move } from "./migrate.ts";
export { type LoopRead, parseLoop } from "./parse.ts";
export type * from "./policy-types.ts";
export { type ConvertedLoop, convertLoop, type MigratedLoop, migrateLoop } from "./rewrite.ts";
export { candidatesOf, isDriven } from "./routing.ts";
export * from "./types.ts";
