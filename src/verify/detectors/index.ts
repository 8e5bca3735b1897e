import type { CheckVerdict, Detector } from "../types.ts";
import { assessDiff } from "./diff.ts";
import { assessFileExists } from "./file-exists.ts";
import { assessRegexMatch } from "./regex-match.ts";
import { assessThreshold } from "./threshold.ts";
import type { Assessed, TreeView } from "./types.ts";

/** Detectors that run a command in a room. */
export type ProcessDetector = Extract<Detector, { readonly type: "script" | "test_report" }>;
/** Detectors that look at the tree or at other verdicts, and run nothing. */
export type PureDetector = Exclude<Detector, ProcessDetector>;

export function isProcessDetector(detector: Detector): detector is ProcessDetector {
  return detector.type === "script" || detector.type === "test_report";
}

/** The answer of a detector that runs nothing. `verdicts` are those of the checks that did run. */
export async function assessDetector(
  detector: PureDetector,
  view: TreeView,
  verdicts: readonly CheckVerdict[],
): Promise<Assessed> {
  switch (detector.type) {
    case "file_exists":
      return assessFileExists(detector, view);
    case "regex_match":
      return assessRegexMatch(detector, view);
    case "diff":
      return assessDiff(detector, view);
    case "threshold":
      return assessThreshold(detector, verdicts);
  }
}
