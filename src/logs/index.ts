export type { AgentLogs, AgentName, Call, ReadProblem, SessionLog, UnloggedUsage } from "./call.ts";
export { claudeStream } from "./claude-code/index.ts";
export { codexStream } from "./codex/index.ts";
export type { LogEnvironment } from "./environment.ts";
export type { LineDamage } from "./lines.ts";
export { type CallPrices, createPrices, loadCatalogue, type PriceCatalogue } from "./prices/index.ts";
export { type LogScan, scanLogs } from "./scan.ts";
export { createUsageReader } from "./usage-reader.ts";
