import { SECOND_MS } from "../../core/time.ts";
import type { MapReader } from "./map-reader.ts";
import type {
  Loop,
  LoopApproval,
  LoopCheck,
  LoopCommand,
  LoopDetector,
  LoopLimits,
  LoopStop,
} from "./types.ts";

export type LoopSafety = Pick<Loop, "checks" | "stop" | "approvals" | "limits" | "pieceLimits"> & {
  /** The key under which the file limits single pieces. */
  readonly pieceLimitsPath: string;
};

export function readSafety(safety: MapReader): LoopSafety {
  const gates = safety.map("gates");
  const limits = safety.map("limits");
  const key = limits.spelling("per_piece", "per_node");
  const perPiece = limits.map(key);
  const read: LoopSafety = {
    checks: safety.maps("checks", readCheck),
    stop: readStop(gates.map("stop")),
    approvals: gates.maps("approval", readApproval),
    limits: readLimits(limits.map("global")),
    pieceLimits: new Map(perPiece.keys().map((piece) => [piece, readLimits(perPiece.map(piece))])),
    pieceLimitsPath: limits.at(key),
  };
  gates.close({ entry: "", rollback: "" });
  limits.close();
  safety.close({ recovery: "", protected: "", alerts: "" });
  return read;
}

function readCheck(map: MapReader): LoopCheck {
  const timeoutSeconds = map.optional("timeout_seconds", (key) => map.whole(key));
  const check: LoopCheck = {
    target: map.text("target"),
    name: map.text("name"),
    mode: map.word("mode", ["objective", "subjective", "percentage"]),
    statement: map.text("statement"),
    detector: readDetector(map.map("detector")),
    blocking: map.flag("blocking", true),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * SECOND_MS }),
  };
  if (!map.has("detector")) map.refuse("detector", "missing; expected how to check it");
  map.close();
  return check;
}

const DETECTORS = [
  "script",
  "file_exists",
  "regex_match",
  "threshold",
  "diff",
  "test_report",
  "judge",
] as const;

function readDetector(map: MapReader): LoopDetector {
  const type = map.word("type", DETECTORS, "script");
  switch (type) {
    case "script":
      return closed(map, { type, command: readCommand(map), expectExit: map.number("expect_exit", 0) });
    case "file_exists":
      return closed(map, { type, path: map.text("path"), nonEmpty: map.flag("non_empty", false) });
    case "regex_match":
      return closed(map, { type, artifact: map.text("artifact"), pattern: map.text("pattern") });
    case "threshold":
      return closed(map, readThreshold(map));
    case "diff":
      return closed(map, { type, allow: map.texts("allow"), deny: map.texts("deny") });
    case "test_report": {
      const format = map.word("format", ["junit", "tap", "json"]);
      return closed(map, { type, command: readCommand(map), format, path: map.text("path") });
    }
    case "judge":
      map.refuse(
        "type",
        "judges are not supported yet",
        "not-supported-yet",
        "use a script that exits 0 or 1",
      );
      return { type: "file_exists", path: "", nonEmpty: false };
  }
}

function closed(map: MapReader, detector: LoopDetector): LoopDetector {
  if (!map.has("type") && map.keys().length > 0)
    map.refuse("type", `missing; one of ${DETECTORS.join(", ")}`);
  map.close();
  return detector;
}

function readThreshold(map: MapReader): LoopDetector {
  const metric = map.text("metric");
  const producer = map.optionalText("producer");
  if (producer === undefined) {
    map.refuse(
      "metric",
      "the metric has no producer",
      "metric-without-producer",
      "name the script check that states it: `producer: CHECK`",
    );
  }
  return {
    type: "threshold",
    metric,
    op: map.word("op", ["gt", "gte", "lt", "lte", "eq"]),
    value: map.number("value"),
    producer: producer ?? "",
  };
}

/** A command with blanks and without `args` is a line for the shell; otherwise exact arguments. */
function readCommand(map: MapReader): LoopCommand {
  const command = map.text("command");
  const isLine = !map.has("args") && /\s/.test(command.trim());
  return isLine ? { line: command } : { argv: [command.trim(), ...map.texts("args")] };
}

function readStop(map: MapReader): LoopStop {
  const wallSeconds = map.optional("max_wall_clock_seconds", (key) => map.whole(key));
  const maxTokens = map.optional("max_tokens", (key) => map.whole(key));
  const maxUsd = map.optional("max_cost_usd", (key) => map.number(key, undefined, 0));
  const stop: LoopStop = {
    maxIterations: map.whole("max_iterations", 10),
    maxRevisionsPerPiece: map.whole(map.spelling("max_revisions_per_piece", "max_revisions_per_node"), 3),
    ...(wallSeconds !== undefined && { maxWallClockMs: wallSeconds * SECOND_MS }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxUsd !== undefined && { maxCostMicroUsd: Math.round(maxUsd * 1e6) }),
    noProgressIterations: map.whole("no_progress_iterations", 3),
    stopOnOverallSuccess: map.flag("stop_on_overall_success", true),
  };
  map.close({ no_progress_iterations_randomness: "" });
  return stop;
}

function readApproval(map: MapReader): LoopApproval {
  const detector = map.has("detector") ? readDetector(map.map("detector")) : undefined;
  const approval: LoopApproval = {
    id: map.text("id"),
    statement: map.text("statement"),
    ...(detector !== undefined && { detector }),
    onFail: map.word("on_fail", ["stop", "escalate", "pause", "rollback", "warn"], "stop"),
  };
  map.close();
  return approval;
}

function readLimits(map: MapReader): LoopLimits {
  const maxTokens = map.optional("max_tokens", (key) => map.whole(key));
  const maxSeconds = map.optional("max_seconds", (key) => map.whole(key));
  const limits: LoopLimits = {
    rules: map.texts("rules"),
    forbiddenPaths: map.texts("forbidden_paths"),
    forbiddenCommands: map.texts("forbidden_commands"),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxSeconds !== undefined && { maxMs: maxSeconds * SECOND_MS }),
    humanCheckpoint: map.texts("human_checkpoint"),
  };
  map.close();
  return limits;
}
