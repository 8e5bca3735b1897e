import type { Findings } from "./map-reader.ts";
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
    const isKnown = check.target === "overall" || goals.some(({ name }) => name === check.target);
    if (!isKnown) {
      findings.error("missing-goal", `${path(index)}.target`, `no goal "${check.target}"`);
    }
    if (check.name.trim() === "") findings.rule(`${path(index)}.name`, "must not be blank");
    if (check.statement.trim() === "") findings.rule(`${path(index)}.statement`, "must not be blank");
    checkDetector(check.detector, checks, `${path(index)}.detector`, findings);
  }
  for (const [index, { name }] of goals.entries()) {
    if (checks.some(({ target, blocking }) => blocking && target === name)) continue;
    findings.error(
      "missing-check",
      `intent.goals[${index}].name`,
      `goal "${name}" has no blocking check`,
      `add one under safety.checks with \`target: ${name}\``,
    );
  }
  if (!checks.some(({ target, blocking }) => blocking && target === "overall")) {
    findings.warn("safety.checks", 'no blocking check of the target "overall"; the goals alone decide');
  }
}

function checkDetector(
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
    case "file_exists":
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
  if (artifact === "" || made.some((file) => file === artifact || stemOf(file) === artifact)) return;
  const known = made.length === 0 ? "none" : made.join(", ");
  findings.rule(path, `no file_exists check is about "${artifact}"; there are: ${known}`);
}

function stemOf(file: string): string {
  const name = file.split("/").at(-1) ?? file;
  return name.replace(/\.[^.]+$/, "");
}

function checkProducer(
  producer: string,
  checks: readonly LoopCheck[],
  path: string,
  findings: Findings,
): void {
  if (producer === "") return;
  const check = checks.find(({ name }) => name === producer);
  if (check?.detector.type === "script" || check?.detector.type === "test_report") return;
  const why = check === undefined ? `no check "${producer}"` : `the check "${producer}" runs no command`;
  findings.error("metric-without-producer", path, why);
}

export function checkPattern(pattern: string, path: string, findings: Findings): void {
  try {
    new RegExp(pattern, "u");
  } catch {
    findings.rule(path, "not a regular expression");
  }
}
