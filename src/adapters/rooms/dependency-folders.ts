/**
 * Folders and files that package managers fill and nobody edits. Build output (`dist`, `target`) is not among them:
 * it is made from the tree, and a copy of it would hide what the tree says now.
 */
const FOLDERS: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  ".venv",
  "venv",
  "__pypackages__",
  "vendor",
  ".bundle",
  "Pods",
]);

/** `.yarn` holds settings as well as caches, so only the caches count. */
const NESTED = /(^|\/)\.yarn\/(cache|unplugged)$/;

export function isDependencyFolder(path: string): boolean {
  const name = path.split("/").pop() ?? "";
  return FOLDERS.has(name) || NESTED.test(path);
}

/** The dependency folders among ignored paths (as a workspace lists them, folders with a final slash). */
export function dependencyFoldersAmong(ignored: readonly string[]): readonly string[] {
  const plain = ignored.map((path) => path.replace(/\/$/, ""));
  const found = plain.filter(isDependencyFolder).toSorted();
  return found.filter((path) => !found.some((outer) => path.startsWith(`${outer}/`)));
}

/**
 * Caches that runners keep inside dependency folders. They are written by nearly every run, so they void nothing;
 * rooms throw them away instead, so that nothing passes from one check to the next. `path` is relative to the folder.
 */
export function isRunnerCache(path: string): boolean {
  return /^\.(cache|vite|vite-temp|vitest)(\/|$)|(^|\/)__pycache__(\/|$)/.test(path);
}
