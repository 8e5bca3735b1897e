import { few } from "../compare-tests.ts";
import { matcher } from "../globs.ts";
import type { Detector } from "../types.ts";
import { type Assessed, pass, refuse, type TreeView } from "./types.ts";

/** Which paths may change. Every changed path is allowed (no `allow` allows all) and none is denied. */
export function assessDiff(
  detector: Extract<Detector, { readonly type: "diff" }>,
  view: Pick<TreeView, "changes">,
): Assessed {
  const denied = matcher(detector.deny);
  const allowed = detector.allow.length === 0 ? () => true : matcher(detector.allow);
  const paths = view.changes.map((change) => change.path);
  const offending = paths.filter((path) => denied(path) || !allowed(path));
  return offending.length > 0
    ? refuse(`changed outside what is allowed: ${few(offending)}`)
    : pass(`${paths.length} changed paths, all allowed`);
}
