import { assertNever } from "../../core/result.ts";
import { instant } from "../../core/time.ts";
import type { FinishedStream } from "../../ports/agent-stream.ts";
import type { ProcessEnd } from "../../ports/process.ts";
import type { AttemptEnd, FailureKind } from "../../ports/provider.ts";
import { parseResetMs } from "./reset-time.ts";

/** What a program is told apart by when it fails. */
export interface Trouble {
  /** HTTP status of the model API, when the program states one. */
  readonly status?: number;
  readonly text: string;
  /** End of a limit as a number, which outranks what the text says. */
  readonly resetsAtMs?: number;
}

const DETAIL_LENGTH = 500;
/** Exit code of sysexits for "temporary failure, try again later". */
const EX_TEMPFAIL = 75;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

export function failed(kind: FailureKind, detail: string): AttemptEnd {
  return { reason: "failed", kind, detail: shorten(detail) };
}

export function notLoggedIn(text: string, login: string): AttemptEnd {
  return failed("auth", `${text} (${login})`);
}

export function retryLater(detail: string, resetsAtMs: number | undefined): AttemptEnd {
  const retryAt = resetsAtMs === undefined ? null : instant(resetsAtMs);
  return { reason: "retry-later", retryAt, detail: shorten(detail) };
}

/** How an attempt ended when it was ended from outside; undefined when the program exited by itself. */
export function endedByForce(end: ProcessEnd): AttemptEnd | undefined {
  switch (end.kind) {
    case "exited":
      return undefined;
    case "signalled":
      return failed("signal", `ended by ${end.signal}`);
    case "timed-out":
      return { reason: "timed-out" };
    case "stalled":
      return { reason: "stalled" };
    case "canceled":
      return { reason: "canceled" };
    default:
      return assertNever(end);
  }
}

/** What is particular to one agent when something went wrong. */
export interface AgentVoice {
  /** Knows the agent's own sentences; asked where the API's status does not decide. */
  readonly classify: (trouble: Trouble, nowMs: number) => AttemptEnd | undefined;
  /** How a person logs in. */
  readonly login: string;
}

/**
 * How an attempt of an agent with structured output ended. The agent's closing line decides, not text and not the exit
 * code alone: a program that closed its run well and was ended only because it would not leave is done.
 */
export function endOfAgent(
  finished: FinishedStream,
  end: ProcessEnd,
  trouble: Trouble,
  voice: AgentVoice,
  nowMs: number,
): AttemptEnd {
  if (end.kind === "canceled") return { reason: "canceled" };
  const closedWell = finished.sawResult && !finished.isError;
  if (closedWell && !(end.kind === "exited" && end.exitCode !== 0)) return { reason: "done" };
  if (!finished.sawResult) {
    const forced = endedByForce(end);
    if (forced !== undefined) return forced;
  }
  const known = endOfApiError(trouble, voice.login, nowMs) ?? voice.classify(trouble, nowMs);
  if (known !== undefined) return known;
  const why = trouble.text === "" ? (finished.terminalReason ?? "") : trouble.text;
  const missing = finished.sawResult ? "" : "the stream ended without its closing line";
  const exit = end.kind === "exited" ? `exit ${end.exitCode}` : "";
  return failed("agent-error", [why, missing, exit].filter((part) => part !== "").join("; "));
}

/** By the API's status alone: the same for every agent. */
function endOfApiError(trouble: Trouble, login: string, nowMs: number): AttemptEnd | undefined {
  const { status, text } = trouble;
  if (status === 429) return retryLater(text, trouble.resetsAtMs ?? parseResetMs(text, nowMs));
  if (status === 401 || status === 403) return notLoggedIn(text, login);
  if (status === 402) return failed("auth", text);
  if (status === 404) return failed("configuration", text);
  if (status === 408 || (status !== undefined && status >= 500)) return failed("transient", text);
  return undefined;
}

/**
 * How an attempt of a plain command ended: by its exit code, never by what it printed. 75 and the declared codes mean
 * that it asks to be tried later; 124, the code of `timeout`, is a failure of the command like any other.
 */
export function endOfCommand(
  end: ProcessEnd,
  rateLimitExitCodes: readonly number[],
  lastError: string,
): AttemptEnd {
  if (end.kind !== "exited") return endedByForce(end) ?? failed("agent-error", lastError);
  const code = end.exitCode;
  const detail = lastError === "" ? `exit ${code}` : `exit ${code}: ${lastError}`;
  if (code === 0) return { reason: "done" };
  if (code === EX_TEMPFAIL || rateLimitExitCodes.includes(code)) return retryLater(detail, undefined);
  if (code === NOT_FOUND) return failed("missing", detail);
  if (code === NOT_EXECUTABLE) return failed("configuration", detail);
  return failed("agent-error", detail);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > DETAIL_LENGTH ? `${line.slice(0, DETAIL_LENGTH - 1)}…` : line;
}
