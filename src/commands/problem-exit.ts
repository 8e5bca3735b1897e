import type { ProblemCode } from "../core/problem-codes.ts";
import { ExitCode } from "./exit-codes.ts";

const NOT_FOUND: readonly ProblemCode[] = [
  "no-such-session",
  "no-such-run",
  "no-such-attempt",
  "no-such-agent-session",
  "no-such-configuration",
  "no-such-recommendation",
  "no-such-fit",
  "no-such-fact",
  "no-such-proposal",
  "bad-order",
  "no-such-workflow",
  "no-such-folder",
  "no-such-file",
];
const LOCKED: readonly ProblemCode[] = ["store-locked", "checkout-busy", "session-running", "stale-lease"];
const BLOCKED: readonly ProblemCode[] = [
  "checks-already-pass",
  "entry-rule",
  "rollback-rule",
  "forbidden-paths",
  "not-admitted",
  "checks-uncheckable",
  "dependency-change",
  "metric-without-producer",
  "level-unavailable",
  "setup-failed",
  "tampering",
  "head-moved",
  "tree-tampered",
  "tree-unreadable",
  "work-conflict",
  "provider-auth",
  "provider-model",
  "provider-missing",
  "provider-failed",
  "container-unavailable",
  "verdict-void",
  "store-full",
  "store-damaged",
  "store-newer",
  "store-unusable",
  "store-network-fs",
  "chain-broken",
  "git-failed",
];

/** The exit code of a problem, by the table in docs/exit-codes.md. */
export function exitOf(code: ProblemCode): ExitCode {
  if (NOT_FOUND.includes(code)) return ExitCode.notFound;
  if (LOCKED.includes(code)) return ExitCode.locked;
  if (BLOCKED.includes(code)) return ExitCode.blocked;
  return code === "provider-limit" ? ExitCode.tryAgainLater : ExitCode.userError;
}
