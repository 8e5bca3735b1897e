import type { Problem } from "../../core/result.ts";
import type { PathChange, TreeEntry, TreeId, Workspace } from "../../ports/workspace.ts";

/** What a detector that only looks at files may look at: the tree as the work left it. */
export interface TreeView {
  readonly workspace: Pick<Workspace, "read">;
  readonly tree: TreeId;
  readonly entries: readonly TreeEntry[];
  /** From the base tree. */
  readonly changes: readonly PathChange[];
}

/** `detail` is what a person reads: why not, or what was found. */
export type Assessed =
  | { readonly verdict: "pass"; readonly detail: string }
  | { readonly verdict: "fail"; readonly detail: string }
  | { readonly verdict: "uncheckable"; readonly problem: Problem };

export function pass(detail: string): Assessed {
  return { verdict: "pass", detail };
}

export function refuse(detail: string): Assessed {
  return { verdict: "fail", detail };
}
