import type { BigIntStats, Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LogFile, LogListing, LogTree } from "../../ports/log-source.ts";

interface Found {
  readonly file: LogFile;
  /** Reached through a symbolic link: gives way to the same file reached without one. */
  readonly isLinked: boolean;
}

interface Walk {
  readonly found: Map<string, Found>;
  readonly problems: { path: string; reason: string }[];
  /** Real paths of the folders above and so far, per tree: ends link cycles. */
  readonly seen: Set<string>;
}

export async function listTrees(trees: readonly LogTree[]): Promise<LogListing> {
  const found = new Map<string, Found>();
  const problems: { path: string; reason: string }[] = [];
  for (const tree of trees) {
    await walkFolder(tree, "", false, { found, problems, seen: new Set() });
  }
  const files = [...found.values()].map((entry) => entry.file);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

async function walkFolder(tree: LogTree, below: string, isLinked: boolean, walk: Walk): Promise<void> {
  const path = below === "" ? tree.root : join(tree.root, below);
  let entries: Dirent[];
  try {
    const real = await realpath(path);
    if (walk.seen.has(real)) return;
    walk.seen.add(real);
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    const isAbsent = code === "ENOENT" || (code === "ENOTDIR" && below === "");
    if (!isAbsent) walk.problems.push({ path, reason: code });
    return;
  }
  // Real folders first, so that a file is found at its own place before any link to it.
  entries.sort(
    (a, b) => Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1),
  );
  for (const entry of entries) {
    await walkEntry(tree, below === "" ? entry.name : `${below}/${entry.name}`, entry, isLinked, walk);
  }
}

async function walkEntry(
  tree: LogTree,
  below: string,
  entry: Dirent,
  isLinked: boolean,
  walk: Walk,
): Promise<void> {
  const linked = isLinked || entry.isSymbolicLink();
  if (entry.isDirectory()) {
    if (tree.wants(below, "folder")) await walkFolder(tree, below, linked, walk);
    return;
  }
  if (!entry.isFile() && !entry.isSymbolicLink()) return;
  if (!tree.wants(below, "file") && !(entry.isSymbolicLink() && tree.wants(below, "folder"))) return;
  const path = join(tree.root, below);
  let stats: BigIntStats;
  try {
    stats = await stat(path, { bigint: true });
  } catch (error) {
    walk.problems.push({ path, reason: codeOf(error) });
    return;
  }
  if (stats.isDirectory()) {
    if (tree.wants(below, "folder")) await walkFolder(tree, below, linked, walk);
  } else if (stats.isFile() && tree.wants(below, "file")) {
    await keep(path, stats, linked, walk);
  }
}

async function keep(path: string, stats: BigIntStats, isLinked: boolean, walk: Walk): Promise<void> {
  const file: LogFile = {
    path,
    sizeBytes: Number(stats.size),
    mtimeMs: Number(stats.mtimeMs),
    device: String(stats.dev),
    inode: String(stats.ino),
  };
  const key = stats.ino === 0n ? await realpath(path) : `${file.device}:${file.inode}`;
  const before = walk.found.get(key);
  const isBetter = before === undefined || rank(isLinked, path) < rank(before.isLinked, before.file.path);
  if (isBetter) walk.found.set(key, { file, isLinked });
}

function rank(isLinked: boolean, path: string): string {
  return `${isLinked ? 1 : 0}:${path}`;
}

export function codeOf(error: unknown): string {
  if (error instanceof Error) {
    return "code" in error && typeof error.code === "string" ? error.code : error.message;
  }
  return String(error);
}
