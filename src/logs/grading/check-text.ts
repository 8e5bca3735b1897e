/** Commands that check work, as words of a shell text. */
const CHECK =
  /(?:^|[\s;&|(/])(pytest|npm (?:run )?test|cargo test|go test|vitest|jest|make test|ruff|mypy|tsc|biome|eslint)(?=$|[\s;&|)])/;

export function isCheck(command: string): boolean {
  return CHECK.test(command);
}

/** The same check however its output was cut: lower case, one blank, without what only shortens or joins streams. */
export function checkName(command: string): string {
  return command
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim()
    .replace(/(?:\s*(?:2>&1|\|\s*(?:tail|head)(?:\s+-\S+)*(?:\s+\d+)?))+$/, "");
}

const FAILED_COUNT =
  /(\d+)\s+(?:tests?\s+)?(?:failed|failures?|errors?)\b|\b(?:failed|failures?|errors?)[:=]\s*(\d+)/gi;
const FAIL_WORD = /\bFAILED\b|\bFAIL\b|Traceback \(most recent call last\)/;
const PASSED = /\b[1-9]\d*\s+(?:tests?\s+)?passed\b|\ball tests passed\b|^OK\b/im;
const EXIT = /\b(?:exit code|exited with code|exit_code"?:)\s*(-?\d+)/i;

/**
 * What a check came to, from its output: an exit code that is stated wins, then counts and words. `0 failed` is no failure.
 * Undefined when the text says nothing and the tool does not say that it failed.
 */
export function checkResult(output: string, isError: boolean): "pass" | "fail" | undefined {
  const exit = EXIT.exec(output)?.[1];
  if (exit !== undefined) return Number(exit) === 0 ? "pass" : "fail";
  const failures = [...output.matchAll(FAILED_COUNT)].some((match) => Number(match[1] ?? match[2]) > 0);
  if (failures || FAIL_WORD.test(output)) return "fail";
  if (PASSED.test(output)) return "pass";
  return isError ? "fail" : undefined;
}

const CLAIM = /\b(?:done|completed?|all tests pass|working|fixed)\b/i;
const CLAIM_CHARS = 2000;

/** An agent's last words say that it succeeded. */
export function claimsSuccess(text: string): boolean {
  return CLAIM.test(text.slice(-CLAIM_CHARS));
}

/** What a reviewer's words come to. */
export function reviewVerdict(text: string): "accepted" | "rejected" | undefined {
  if (/\b(?:rejected|not approved|changes requested|request changes)\b/i.test(text)) return "rejected";
  return /\b(?:approved?|lgtm)\b/i.test(text) ? "accepted" : undefined;
}
