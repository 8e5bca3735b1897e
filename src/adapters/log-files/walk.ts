import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { normalize, sep } from "node:path";
import type { LogFile, LogListing, LogTree } from "../../ports/log-source.ts";

interface Found {
  readonly file: LogFile;
  /** Reached through a symbolic link: gives way to the same file reached without one. */
  readonly isLinked: boolean;
}

interface Walk {
  readonly tree: LogTree;
  /** The root as the system writes it: paths below are put together from it by hand, thousands of times. */
  readonly root: string;
  readonly found: Map<string, Found>;
  readonly problems: { path: string; reason: string }[];
  /** Where the root really is; undefined when it cannot be told. */
  readonly realRoot: string | undefined;
  /** Real paths of the folders so far: ends circles of links. */
  readonly seen: Set<string>;
  /** Followed after all real folders, so that what is there twice keeps its own place. */
  readonly links: string[];
}

/** Synchronous: for thousands of files the thread pool takes several times as long as the calls. */
export function listTrees(trees: readonly LogTree[]): LogListing {
  const found = new Map<string, Found>();
  const problems: { path: string; reason: string }[] = [];
  for (const tree of trees) {
    const root = normalize(tree.root).replace(/(?<=.)[\\/]$/, "");
    const realRoot = realPathOf(root);
    const walk: Walk = { tree, root, found, problems, realRoot, seen: new Set(), links: [] };
    walkFolder("", false, walk);
    for (const link of walk.links) followLink(link, walk);
  }
  const files = [...found.values()].map((entry) => entry.file);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function pathOf(root: string, below: string): string {
  if (below === "") return root;
  const path = sep === "/" ? below : below.replaceAll("/", sep);
  return root.endsWith(sep) ? root + path : root + sep + path;
}

function walkFolder(below: string, isLinked: boolean, walk: Walk): void {
  const path = pathOf(walk.root, below);
  let entries: Dirent[];
  try {
    // Without a link on the way there is nothing to resolve, which saves a call to the system for each folder.
    const real =
      isLinked || walk.realRoot === undefined ? realpathSync.native(path) : pathOf(walk.realRoot, below);
    if (walk.seen.has(real)) return;
    walk.seen.add(real);
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    const isAbsent = code === "ENOENT" || (code === "ENOTDIR" && below === "");
    if (!isAbsent) walk.problems.push({ path, reason: code });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const before = below === "" ? "" : `${below}/`;
  const folder = path.endsWith(sep) ? path : path + sep;
  for (const entry of entries) {
    const child = before + entry.name;
    const { wants } = walk.tree;
    if (entry.isFile() && wants(child, "file")) {
      const file = folder + entry.name;
      const stats = statsOf(file, walk);
      if (stats?.isFile() === true) keep(file, stats, isLinked, walk);
    } else if (entry.isSymbolicLink()) walk.links.push(child);
    else if (entry.isDirectory() && wants(child, "folder")) walkFolder(child, isLinked, walk);
  }
}

function followLink(below: string, walk: Walk): void {
  const { wants } = walk.tree;
  const mayBe = { file: wants(below, "file"), folder: wants(below, "folder") };
  if (!mayBe.file && !mayBe.folder) return;
  const path = pathOf(walk.root, below);
  const stats = statsOf(path, walk);
  if (mayBe.folder && stats?.isDirectory() === true) walkFolder(below, true, walk);
  if (mayBe.file && stats?.isFile() === true) keep(path, stats, true, walk);
}

function statsOf(path: string, walk: Walk): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    walk.problems.push({ path, reason: codeOf(error) });
    return undefined;
  }
}

function keep(path: string, stats: Stats, isLinked: boolean, walk: Walk): void {
  const { size, mtimeMs, dev, ino } = stats;
  // Some systems count files beyond what a number holds: then the exact number tells them apart.
  const inode = Number.isSafeInteger(ino) ? `${ino}` : `${statSync(path, { bigint: true }).ino}`;
  const file: LogFile = { path, sizeBytes: size, mtimeMs, device: `${dev}`, inode };
  const key = ino === 0 ? realpathSync.native(path) : `${dev}:${inode}`;
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
