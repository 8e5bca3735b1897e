import picomatch from "picomatch";

const OPTIONS = { dot: true } as const;

/** A test whether a path matches one of the globs. Dot files count; a folder's name stands for all that is in it. */
export function matcher(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  return picomatch(globs.flatMap(expand), OPTIONS);
}

function expand(glob: string): readonly string[] {
  const bare = glob.replace(/^(\.?\/)+/, "").replace(/\/+$/, "");
  return [bare, `${bare}/**`];
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder of a path; "" for the root. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** Every folder above a path, nearest first, without the root. */
export function foldersAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) above.push(folder);
  return above;
}
