import type { Findings } from "../findings.ts";
import { filesWritten } from "../instruction-files.ts";
import type { Loop, LoopDetector } from "../types.ts";

/** Checks that the one who is checked can bend. */
export function findCheckRisks(loop: Loop, findings: Findings): void {
  for (const [index, { detector, name }] of loop.checks.entries()) {
    const path = `safety.checks[${index}].detector`;
    findUnproduced(detector, `${path}.metric`, findings);
    for (const file of filesOf(detector)) findWritable(loop, name, file, `${path}.command`, findings);
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

/** The files of the working folder that a command is made of. */
function filesOf(detector: LoopDetector): readonly string[] {
  if (detector.type !== "script" && detector.type !== "test_report") return [];
  const { command } = detector;
  const words = "argv" in command ? command.argv : command.line.split(/\s+/);
  return words
    .filter(
      (word) => /^(\.\/)?[\w.-]+(\/[\w.-]+)*\.\w+$/.test(word) || /^(\.\/)?[\w.-]+\/[\w./-]+$/.test(word),
    )
    .map((word) => word.replace(/^\.\//, ""));
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
