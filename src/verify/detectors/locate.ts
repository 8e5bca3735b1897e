import type { Problem } from "../../core/result.ts";
import { folderOf } from "../globs.ts";
import type { TreeView } from "./types.ts";

export type Located =
  | { readonly kind: "absent" }
  | { readonly kind: "folder"; readonly files: number }
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "unreadable"; readonly problem: Problem };

const MAX_LINKS = 10;

/** What a path of the tree is, symbolic links followed inside the tree only: a link that leads out of it is absent. */
export async function locate(path: string, view: TreeView): Promise<Located> {
  let at = normal(path);
  for (let hop = 0; at !== undefined && hop < MAX_LINKS; hop += 1) {
    const inside = `${at}/`;
    const below =
      at === "" ? view.entries.length : view.entries.filter((entry) => entry.path.startsWith(inside)).length;
    if (below > 0) return { kind: "folder", files: below };
    const target: string = at;
    const entry = view.entries.find((candidate) => candidate.path === target);
    if (entry === undefined) return { kind: "absent" };
    const bytes = await view.workspace.read(view.tree, target);
    if (!bytes.ok) return { kind: "unreadable", problem: bytes.problem };
    if (bytes.value === undefined) return { kind: "absent" };
    if (entry.mode !== "symlink") return { kind: "file", bytes: bytes.value };
    const link = new TextDecoder().decode(bytes.value);
    at = link.startsWith("/") ? undefined : normal(`${folderOf(target)}/${link}`);
  }
  return { kind: "absent" };
}

/** The path without `.` and `..`; undefined when it leaves the tree. */
function normal(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
