import type { Findings } from "../findings.ts";
import type { Loop, LoopDetector } from "../types.ts";

/** Goals that nothing works for, and bars that everything clears. */
export function findCoverageRisks(loop: Loop, findings: Findings): void {
  const { goals, pieces, checks, success } = loop;
  const allSpoken = pieces.length > 0 && pieces.every((piece) => piece.goals.length > 0);
  for (const [index, { name }] of goals.entries()) {
    const path = `intent.goals[${index}].name`;
    if (allSpoken && !pieces.some((piece) => piece.goals.includes(name))) {
      const hint = "add it to the `goals` of a piece";
      findings.risk("goal-nobody-works-on", path, `no piece advances the goal "${name}"`, hint);
    }
    const isNamed = success.some(({ target }) => target === name || target === "overall");
    if (success.length > 0 && !isNamed) {
      findings.risk(
        "goal-outside-success",
        path,
        `intent.success does not speak of the goal "${name}"; success needs it all the same`,
        "add it there, or a scenario of the target `overall`",
      );
    }
  }
  for (const [index, { detector, blocking, name }] of checks.entries()) {
    if (!blocking || !cannotFail(detector)) continue;
    findings.risk(
      "check-that-cannot-fail",
      `safety.checks[${index}].detector`,
      `"${name}" passes whatever was done, so it says nothing about its target`,
      "check something that fails today",
    );
  }
}

const ALWAYS_TRUE = /^\s*((\/usr)?\/bin\/)?(true|:|exit 0|echo(\s[^|&;<>]*)?)\s*$/;

function cannotFail(detector: LoopDetector): boolean {
  switch (detector.type) {
    case "script": {
      const { command, expectExit } = detector;
      const line = "line" in command ? command.line : command.argv.slice(0, 2).join(" ");
      const program = "argv" in command ? (command.argv[0] ?? "") : line;
      return expectExit === 0 && (ALWAYS_TRUE.test(line) || ALWAYS_TRUE.test(program));
    }
    case "regex_match":
      return ["", ".*", "^", "$", "^.*$", "(?:)"].includes(detector.pattern);
    case "file_exists":
      return [".", "./", ".."].includes(detector.path);
    case "diff":
      return detector.deny.length === 0 && detector.allow.includes("**");
    case "threshold":
    case "test_report":
    case "judge":
      return false;
  }
}
