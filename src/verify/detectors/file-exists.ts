import type { Detector } from "../types.ts";
import { locate } from "./locate.ts";
import { type Assessed, pass, refuse, type TreeView } from "./types.ts";

/** A file or folder of the tree. A folder is not empty when the tree holds something in it. */
export async function assessFileExists(
  detector: Extract<Detector, { readonly type: "file_exists" }>,
  view: TreeView,
): Promise<Assessed> {
  const found = await locate(detector.path, view);
  switch (found.kind) {
    case "unreadable":
      return { verdict: "uncheckable", problem: found.problem };
    case "absent":
      return refuse(`${detector.path} is not in the tree (ignored files are not part of it)`);
    case "folder":
      return pass(`${detector.path} is a folder with ${found.files} files`);
    case "file":
      if (detector.nonEmpty && found.bytes.length === 0) return refuse(`${detector.path} is empty`);
      return pass(`${detector.path} has ${found.bytes.length} bytes`);
  }
}
