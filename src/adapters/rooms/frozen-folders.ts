import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { isAbsent, lstatOrAbsent } from "./anchored.ts";
import { copyFolder, diskFull, isDiskFull, placeVerified } from "./copy-folder.ts";
import { removeIfThere, writeSynced } from "./exchange.ts";
import {
  formatManifest,
  type Manifest,
  manifestDifference,
  manifestDigest,
  readManifest,
} from "./manifest.ts";
import { type Scan, type StampIndex, scanFolder } from "./scan.ts";

/** Keeps copies of folders by the hash of their manifest: equal folders are kept once, whoever asks. */
export interface FolderStore {
  /** What a folder holds now, without copying it. */
  survey(folder: string): Promise<Survey>;
  /** Copies what was surveyed. Problem: `work-conflict` when the folder has changed since, `store-full`. */
  keep(folder: string, survey: Survey): Promise<Result<void>>;
  /** Puts a kept copy at `path` under `root`, proved. Problem: `tree-tampered`. */
  place(digest: string, root: string, path: string): Promise<Result<Scan>>;
}

export interface Survey {
  readonly digest: string;
  readonly manifest: Manifest;
}

const indexSchema = v.array(v.tuple([v.string(), v.string(), v.string()]));

/** @param dir a folder of ours, outside any checkout */
export function createFolderStore(dir: string, nonce: () => string): FolderStore {
  const copies = join(dir, "folders");
  const indexes = join(dir, "stamps");
  const temporary = join(dir, "new");

  const survey: FolderStore["survey"] = async (folder) => {
    for (const sub of [copies, indexes, temporary]) await mkdir(sub, { recursive: true, mode: 0o700 });
    const indexFile = join(indexes, sha256(folder));
    const scan = await scanFolder(folder, temporary, await readIndex(indexFile));
    await writeIndex(indexFile, scan.index, join(temporary, nonce()));
    return { digest: manifestDigest(scan.manifest), manifest: scan.manifest };
  };

  const keep: FolderStore["keep"] = async (folder, { digest, manifest }) => {
    const kept = join(copies, digest);
    if ((await lstatOrAbsent(kept)) !== undefined) return ok(undefined);
    const fresh = join(temporary, nonce());
    try {
      await mkdir(join(fresh, "content"), { recursive: true });
      await copyFolder(folder, manifest, join(fresh, "content"));
      const copied = await scanFolder(join(fresh, "content"), temporary);
      const different = manifestDifference(manifest, copied.manifest);
      if (different.length > 0) return changing(folder, different);
      await writeSynced(join(fresh, "manifest"), formatManifest(manifest), 0o600);
      await rename(fresh, kept);
    } catch (error) {
      // Another session may have kept the same content a moment ago; a file may have gone while we copied.
      if ((await lstatOrAbsent(kept)) !== undefined) return ok(undefined);
      if (isDiskFull(error)) return diskFull(folder);
      if (!isAbsent(error)) throw error;
      return changing(folder, [String(error)]);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    return ok(undefined);
  };

  const place: FolderStore["place"] = async (digest, root, path) => {
    const kept = join(copies, digest);
    const manifest = await readManifest(join(kept, "manifest"), digest);
    if (!manifest.ok) return manifest;
    if (manifest.value === undefined) return fail("tree-tampered", `the kept copy of ${path} is gone`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    return placeVerified(join(kept, "content"), manifest.value, root, path, temporary);
  };
  return { survey, keep, place };
}

function changing(folder: string, paths: readonly string[]): Result<never> {
  return fail("work-conflict", `${folder} changes while it is copied: ${paths.slice(0, 5).join(", ")}`, {
    hint: "wait until the package manager is done, then start again",
  });
}

async function readIndex(file: string): Promise<StampIndex> {
  const text = await readFile(file, "utf8").catch(() => "[]");
  const rows = v.safeParse(v.pipe(v.string(), v.parseJson(), indexSchema), text);
  // The index only saves reading: without it everything is hashed again.
  if (!rows.success) return new Map();
  return new Map(rows.output.map(([path, stamp, hash]) => [path, { stamp, sha256: hash }]));
}

async function writeIndex(file: string, index: StampIndex, temporary: string): Promise<void> {
  const rows = [...index].map(([path, known]) => [path, known.stamp, known.sha256]);
  await removeIfThere(temporary);
  await writeSynced(temporary, JSON.stringify(rows), 0o600);
  await rename(temporary, file);
}
