import { SECOND_MS } from "../../core/time.ts";
import type { Fields } from "./fields.ts";
import { CHECK_MODES, type LoopCheck, type LoopCommand, type LoopDetector } from "./types.ts";

export function readCheck(fields: Fields): LoopCheck {
  const timeoutSeconds = fields.optional("timeout_seconds", (key) => fields.whole(key));
  return {
    target: fields.text("target"),
    name: fields.text("name"),
    mode: fields.word("mode", CHECK_MODES),
    statement: fields.text("statement"),
    detector: fields.map("detector", readDetector, "how to check it"),
    blocking: fields.flag("blocking", true),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * SECOND_MS }),
  };
}

export function readDetector(fields: Fields): LoopDetector {
  return fields.variant<LoopDetector["type"], LoopDetector>("type", {
    script: (script) => ({
      type: "script",
      command: readCommand(script),
      expectExit: script.number("expect_exit", 0),
    }),
    file_exists: (file) => ({
      type: "file_exists",
      path: file.text("path"),
      nonEmpty: file.flag("non_empty", false),
    }),
    regex_match: (search) => ({
      type: "regex_match",
      artifact: search.text("artifact"),
      pattern: search.text("pattern"),
    }),
    threshold: readThreshold,
    diff: (diff) => ({ type: "diff", allow: diff.texts("allow"), deny: diff.texts("deny") }),
    test_report: (report) => ({
      type: "test_report",
      command: readCommand(report),
      format: report.word("format", ["junit", "tap", "json"]),
      path: report.text("path"),
    }),
    judge: (judge) => {
      const minScore = judge.optional("min_score", (key) => judge.number(key));
      return { type: "judge", standard: judge.text("standard"), ...(minScore !== undefined && { minScore }) };
    },
  });
}

function readThreshold(fields: Fields): LoopDetector {
  const producer = fields.optionalText("producer");
  return {
    type: "threshold",
    metric: fields.text("metric"),
    op: fields.word("op", ["gt", "gte", "lt", "lte", "eq"]),
    value: fields.number("value"),
    ...(producer !== undefined && { producer }),
  };
}

/** A command with blanks and without `args` is a line for the shell; otherwise exact arguments. */
function readCommand(fields: Fields): LoopCommand {
  const command = fields.text("command");
  const args = fields.optional("args", (key) => fields.texts(key));
  const isLine = args === undefined && /\s/.test(command.trim());
  return isLine ? { line: command } : { argv: [command.trim(), ...(args ?? [])] };
}
