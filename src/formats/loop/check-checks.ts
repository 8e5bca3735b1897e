import type { Findings } from "./findings.ts";
import type { Loop, LoopCheck, LoopDetector } from "./types.ts";

/** Rules about checks: what they are for, and that each can be answered. */
export function checkChecks(loop: Loop, findings: Findings): void {
  const { checks, goals } = loop;
  const path = (index: number) => `safety.checks[${index}]`;
  findings.unique(
    checks.map(({ name }) => name),
    (index) => `${path(index)}.name`,
  );
  for (const [index, check] of checks.entries()) {
    checkTarget(loop, check.target, `${path(index)}.target`, findings);
    if (check.statement.trim() === "") findings.rule(`${path(index)}.statement`, "must not be blank");
    checkDetector(check.detector, checks, `${path(index)}.detector`, findings);
    if (check.blocking && check.mode === "objective" && check.detector.type === "judge") {
      const message = "called objective, but an opinion decides it";
      findings.warn(`${path(index)}.mode`, message, "use `mode: subjective`, or a detector that measures");
    }
  }
  for (const [index, { name }] of goals.entries()) {
    if (checks.some(({ target, blocking }) => blocking && target === name)) continue;
    findings.rule(
      `intent.goals[${index}].name`,
      `goal "${name}" has no blocking check`,
      `add one under safety.checks with \`target: ${name}\``,
      "missing-check",
    );
  }
  if (!checks.some(({ target, blocking }) => blocking && target === "overall")) {
    findings.warn("safety.checks", 'no blocking check of the target "overall"; the goals alone decide');
  }
}

export function checkSuccess(loop: Loop, findings: Findings): void {
  for (const [index, { target, mode, threshold }] of loop.success.entries()) {
    const path = `intent.success[${index}]`;
    checkTarget(loop, target, `${path}.target`, findings);
    if (mode === "percentage" && threshold === undefined) {
      findings.rule(`${path}.threshold`, "missing; a percentage needs one", "1.0 stands for all checks");
    }
    if (threshold !== undefined && (threshold < 0 || threshold > 1)) {
      findings.rule(`${path}.threshold`, "must lie between 0 and 1");
    }
  }
}

function checkTarget({ goals }: Loop, target: string, path: string, findings: Findings): void {
  if (target === "overall" || goals.some(({ name }) => name === target)) return;
  findings.rule(path, `no goal "${target}"`, undefined, "missing-goal");
}

export function checkDetector(
  detector: LoopDetector,
  checks: readonly LoopCheck[],
  path: string,
  findings: Findings,
): void {
  switch (detector.type) {
    case "script":
    case "test_report": {
      const [program] = "argv" in detector.command ? detector.command.argv : [detector.command.line];
      if ((program ?? "").trim() === "") findings.rule(`${path}.command`, "must not be blank");
      return;
    }
    case "regex_match":
      checkPattern(detector.pattern, `${path}.pattern`, findings);
      checkArtifact(detector.artifact, checks, `${path}.artifact`, findings);
      return;
    case "threshold":
      if (detector.metric.trim() === "") findings.rule(`${path}.metric`, "must not be blank");
      checkProducer(detector.producer, checks, `${path}.producer`, findings);
      return;
    case "diff":
      if (detector.allow.length + detector.deny.length === 0) {
        findings.rule(path, "a diff check needs paths to `allow` or to `deny`");
      }
      return;
    case "judge":
      if (detector.standard.trim() === "") findings.rule(`${path}.standard`, "must not be blank");
      return;
    case "file_exists":
      if (detector.path.trim() === "") findings.rule(`${path}.path`, "must not be blank");
      return;
  }
}

/** A file is searched only where another check makes sure that it is there. */
function checkArtifact(
  artifact: string,
  checks: readonly LoopCheck[],
  path: string,
  findings: Findings,
): void {
  const made = checks.flatMap(({ detector }) => (detector.type === "file_exists" ? [detector.path] : []));
  if (made.some((file) => file === artifact || stemOf(file) === artifact)) return;
  const known = made.length === 0 ? "none" : made.join(", ");
  findings.rule(path, `no file_exists check is about "${artifact}"; there are: ${known}`);
}

function stemOf(file: string): string {
  const name = file.split("/").at(-1) ?? file;
  return name.replace(/\.[^.]+$/, "");
}

function checkProducer(
  producer: string | undefined,
  checks: readonly LoopCheck[],
  path: string,
  findings: Findings,
): void {
  if (producer === undefined) return;
  const check = checks.find(({ name }) => name === producer);
  if (check?.detector.type === "script" || check?.detector.type === "test_report") return;
  const why = check === undefined ? `no check "${producer}"` : `the check "${producer}" runs no command`;
  findings.rule(path, why, "name a script check that states the metric", "metric-without-producer");
}

export function checkPattern(pattern: string, path: string, findings: Findings): void {
  try {
    new RegExp(pattern, "u");
  } catch {
    findings.rule(path, "not a regular expression");
  }
}
