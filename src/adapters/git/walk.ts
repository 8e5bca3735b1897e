import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { ancestors, unnameable } from "./paths.ts";

export type Kind = "file" | "symlink" | "folder" | "special" | "absent";

export function kindAt(path: string): Kind {
  const stat = statAt(path);
  if (stat === undefined) return "absent";
  if (stat.isFile()) return "file";
  if (stat.isSymbolicLink()) return "symlink";
  return stat.isDirectory() ? "folder" : "special";
}

/** Undefined for whatever reason there is nothing to see: absent, below a file, not permitted. */
export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Files and links below a folder, never through a link and never into `.git`; of `paths`, those that are there. */
export function walkFiles(dir: string, paths: readonly string[] | "all"): string[] {
  if (paths === "all") return [...everyFile(dir, "", () => false)];
  const isReal = realFolders(dir);
  return paths.filter((path) => {
    if (!ancestors(path).every(isReal)) return false;
    const kind = kindAt(join(dir, path));
    return kind === "file" || kind === "symlink";
  });
}

export function* everyFile(
  dir: string,
  under: string,
  leaveOut: (path: string, isFolder: boolean) => boolean,
): Generator<string> {
  for (const item of readdirSync(join(dir, under), { withFileTypes: true })) {
    const path = under === "" ? item.name : `${under}/${item.name}`;
    if (unnameable(path) !== undefined || leaveOut(path, item.isDirectory())) continue;
    if (item.isDirectory()) yield* everyFile(dir, path, leaveOut);
    else if (item.isFile() || item.isSymbolicLink()) yield path;
  }
}

/** Answers, with a memory, whether a path below `dir` is a folder and not a link to one. */
export function realFolders(dir: string): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  return (folder) => {
    const isReal = known.get(folder) ?? kindAt(join(dir, folder)) === "folder";
    known.set(folder, isReal);
    return isReal;
  };
}
