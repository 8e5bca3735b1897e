/** What a check of a run document found. Warnings never affect conformance. */
export interface Finding {
  readonly level: "error" | "warning";
  /** `E…` and `W…` are the protocol's rules; `loopwright/…` are lints of ours, always warnings. */
  readonly code: string;
  /** E.g. `$['run']['signals'][0]['value']`. */
  readonly path: string;
  readonly message: string;
}

export type Path = readonly (string | number)[];
export type Report = (code: string, path: Path, message: string) => void;

/** Keys quoted, list indexes bare. */
export function formatPath(path: Path): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `['${escapeKey(step)}']`));
  return `$${steps.join("")}`;
}

function escapeKey(key: string): string {
  return key.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n");
}

export function finding(code: string, path: Path, message: string): Finding {
  return { level: code.startsWith("E") ? "error" : "warning", code, path: formatPath(path), message };
}
