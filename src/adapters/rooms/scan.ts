import { createHash } from "node:crypto";
import { type BigIntStats, constants, createReadStream } from "node:fs";
import { lstat, open, readdir, readFile, readlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { byCodePoint } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { isExecutable } from "./disk-state.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";
import { mapLimit } from "./map-limit.ts";

const PARALLEL = 16;
/** Above this a file is hashed as a stream, so that memory stays small. */
const STREAM_BYTES = 8 * 1024 * 1024;
/**
 * The kernel stamps changes in ticks of up to 10 ms: a file changed this shortly before it was looked at may change
 * again under the same stamp, so its stamp proves nothing.
 */
const RACY_NS = 50_000_000n;

/** Inode, size, mtime, ctime and mode. An equal stamp means equal content: nobody can set a ctime. */
type Stamp = string;

export interface Seen {
  readonly path: string;
  readonly kind: "folder" | "link" | "file";
  readonly stamp: Stamp;
  readonly ctimeNs: bigint;
  readonly sizeBytes: number;
  readonly executable: boolean;
}

/** Known hashes by path, each valid for one stamp. */
export type StampIndex = ReadonlyMap<string, { readonly stamp: Stamp; readonly sha256: string }>;

/** Lists a folder without following links. Sockets, pipes and devices are left out. */
export async function listFolder(root: string): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let frontier: readonly string[] = [""];
  while (frontier.length > 0) {
    const found = await mapLimit(frontier, PARALLEL, (folder) => listOne(root, folder));
    const entries = found.flat();
    seen.push(...entries);
    frontier = entries.filter((entry) => entry.kind === "folder").map((entry) => entry.path);
  }
  return seen.sort((a, b) => byCodePoint(a.path, b.path));
}

async function listOne(root: string, folder: string): Promise<Seen[]> {
  const names = await readdir(join(root, folder));
  const seen: Seen[] = [];
  for (const name of names) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const entry = asSeen(path, await lstat(join(root, path), { bigint: true }));
    if (entry !== undefined) seen.push(entry);
  }
  return seen;
}

function asSeen(path: string, stat: BigIntStats): Seen | undefined {
  const kind = stat.isDirectory()
    ? "folder"
    : stat.isSymbolicLink()
      ? "link"
      : stat.isFile()
        ? "file"
        : undefined;
  if (kind === undefined) return undefined;
  return {
    path,
    kind,
    stamp: `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.mode}`,
    ctimeNs: stat.ctimeNs,
    sizeBytes: Number(stat.size),
    executable: isExecutable(stat.mode),
  };
}

export interface Scan {
  readonly manifest: Manifest;
  /** Hashes that a later scan may reuse: files whose stamp proves their content. */
  readonly index: StampIndex;
}

/**
 * Hashes a folder; a file whose stamp `known` holds is not read again.
 *
 * @param clockDir a folder of ours on the same machine, where the time of the file system is read
 */
export async function scanFolder(
  root: string,
  clockDir: string,
  known: StampIndex = new Map(),
): Promise<Scan> {
  const nowNs = await fileSystemNow(clockDir);
  const seen = await listFolder(root);
  const index = new Map<string, { stamp: Stamp; sha256: string }>();
  const manifest = await mapLimit(seen, PARALLEL, async (item): Promise<ManifestEntry> => {
    const { path } = item;
    if (item.kind === "folder") return { kind: "folder", path };
    if (item.kind === "link") return { kind: "link", path, target: await readlink(join(root, path)) };
    const old = known.get(path);
    const hash = old?.stamp === item.stamp ? old.sha256 : await hashFile(join(root, path), item.sizeBytes);
    if (item.ctimeNs < nowNs - RACY_NS) index.set(path, { stamp: item.stamp, sha256: hash });
    return { kind: "file", path, executable: item.executable, sha256: hash };
  });
  return { manifest, index };
}

/** What a folder looks like without reading it: stamps, and hashes only where a stamp proves nothing. */
export type Watch = ReadonlyMap<string, { readonly stamp: Stamp; readonly sha256?: string }>;

export async function watchFolder(root: string, clockDir: string): Promise<Watch> {
  const nowNs = await fileSystemNow(clockDir);
  const watch = new Map<string, { stamp: Stamp; sha256?: string }>();
  for (const item of await listFolder(root)) {
    if (item.kind === "folder") continue;
    const isRacy = item.kind === "file" && item.ctimeNs >= nowNs - RACY_NS;
    const hash = isRacy ? { sha256: await hashFile(join(root, item.path), item.sizeBytes) } : {};
    watch.set(item.path, { stamp: item.stamp, ...hash });
  }
  return watch;
}

/** Paths that were added, removed or changed since the watch was taken. */
export async function changedSince(root: string, watch: Watch): Promise<readonly string[]> {
  const missing = new Set(watch.keys());
  const changed: string[] = [];
  for (const item of await listFolder(root)) {
    if (item.kind === "folder") continue;
    const old = watch.get(item.path);
    missing.delete(item.path);
    if (old === undefined) changed.push(item.path);
    else if (old.sha256 === undefined && old.stamp !== item.stamp) changed.push(item.path);
    else if (old.sha256 !== undefined) {
      if ((await hashFile(join(root, item.path), item.sizeBytes)) !== old.sha256) changed.push(item.path);
    }
  }
  return [...changed, ...missing].sort(byCodePoint);
}

async function hashFile(path: string, sizeBytes: number): Promise<string> {
  if (sizeBytes <= STREAM_BYTES) return sha256(await readFile(path));
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** Read from a file of ours, because the clock that is handed to us may be a label and not the kernel's. */
async function fileSystemNow(dir: string): Promise<bigint> {
  const probe = join(dir, `clock-${process.pid}-${probes++}`);
  const handle = await open(probe, constants.O_CREAT | constants.O_WRONLY, 0o600);
  try {
    return (await handle.stat({ bigint: true })).ctimeNs;
  } finally {
    await handle.close();
    await unlink(probe);
  }
}
let probes = 0;
