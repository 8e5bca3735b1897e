import type { Findings } from "../findings.ts";
import { filesWritten } from "../instruction-files.ts";
import type { Loop, LoopDetector } from "../types.ts";

/** Checks that the one who is checked can bend. */
export function findCheckRisks(loop: Loop, findings: Findings): void {
  for (const [index, { detector, name }] of loop.checks.entries()) {
    const path = `safety.checks[${index}].detector`;
    findUnproduced(detector, `${path}.metric`, findings);
    const script = scriptOf(detector);
    if (script !== undefined) findWritable(loop, name, script, `${path}.command`, findings);
  }
  findUnprotected(loop, findings);
}

/** A metric in a file of the tree is what an agent says of its own work. */
function findUnproduced(detector: LoopDetector, path: string, findings: Findings): void {
  if (detector.type !== "threshold" || detector.producer !== undefined) return;
  findings.fatalRisk(
    "metric-without-producer",
    "metric-without-producer",
    path,
    `no check states "${detector.metric}", and a metrics.json that an agent can write is never read`,
    "name the script check whose run states it: `producer: CHECK`",
  );
}

const INTERPRETER = /^(.*\/)?(ba|da|z|k)?sh$|^(.*\/)?(node|deno|bun|python3?|ruby|perl|php)$/;

/** The script of the working folder that a command runs; what it reads may well be the work that is judged. */
function scriptOf(detector: LoopDetector): string | undefined {
  if (detector.type !== "script" && detector.type !== "test_report") return undefined;
  const { command } = detector;
  const [program = "", ...args] = "argv" in command ? command.argv : command.line.trim().split(/\s+/);
  const script = INTERPRETER.test(program) ? args.find((word) => !word.startsWith("-")) : program;
  const isOwn = script !== undefined && !script.startsWith("/") && /[./]/.test(script);
  return isOwn ? script.replace(/^\.\//, "") : undefined;
}

function findWritable(loop: Loop, check: string, file: string, path: string, findings: Findings): void {
  const writer = loop.pieces.find(
    ({ role, instruction }) => role !== "judge" && filesWritten(instruction).includes(file),
  );
  const isOutput = loop.checks.some(
    ({ detector }) => detector.type === "file_exists" && detector.path === file,
  );
  if (writer === undefined && !isOutput) return;
  const who =
    writer === undefined
      ? "another check asks agents for that file"
      : `piece "${writer.id}" is told to write it`;
  findings.risk(
    "check-an-agent-can-write",
    path,
    `${file} decides "${check}", but ${who}`,
    "let a file decide that no piece has to touch, and forbid its path",
  );
}

const TOP_KEYS = [
  "name",
  "version",
  "description",
  "environment",
  "features",
  "intent",
  "execution",
  "safety",
  "evolution",
];

function findUnprotected(loop: Loop, findings: Findings): void {
  for (const [index, path] of loop.protected.extraPaths.entries()) {
    if (TOP_KEYS.includes(path.split(".")[0] ?? "") && !path.includes("/")) continue;
    findings.risk(
      "protects-no-file",
      `safety.protected.extra_paths[${index}]`,
      `"${path}" is no key of this file, so nothing is protected by it`,
      "files that must stay as they are belong into safety.limits.global.forbidden_paths",
    );
  }
}
