const TAIL_CHARACTERS = 4_096;

/** Text for evidence: no colours or other control characters, the last 4 KB at most, whole lines where possible. */
export function evidenceTail(text: string): string {
  const plain = text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g, "")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
    .trimEnd();
  if (plain.length <= TAIL_CHARACTERS) return plain;
  const cut = plain.slice(-TAIL_CHARACTERS);
  const line = cut.indexOf("\n");
  return line >= 0 && line < TAIL_CHARACTERS / 2 ? cut.slice(line + 1) : cut;
}

/** Paths as they are in the checkout: where our rooms lie is no business of an agent's, and of no use to a person. */
export function asInCheckout(text: string, roomDir: string): string {
  return text.replaceAll(`${roomDir}/`, "").replaceAll(roomDir, ".");
}

const COMPARED_LINES = 20;

/** The last lines of an output with what differs from run to run taken out: the checkout, times, addresses, ids. */
export function normalisedLastLines(tail: string, root: string): string {
  return tail
    .replaceAll(root, ".")
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/g, "<time>")
    .replace(/\b\d\d?:\d\d(:\d\d)?([.,]\d+)?\b/g, "<time>")
    .replace(/\b\d+([.,]\d+)?\s?(ns|µs|us|ms|s|secs?|seconds?|m|min)\b/g, "<duration>")
    .replace(/(duration_ms|time|pid|port)(["'=: ]+)[\d.]+/gi, "$1$2<n>")
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{8,}(-[0-9a-f]{4,})*\b/gi, "<id>")
    .replace(/\/(?:private\/)?(?:tmp|var)\/[^\s'":)]+/g, "<path>")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-COMPARED_LINES)
    .join("\n");
}
