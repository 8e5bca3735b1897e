import { ok, type Result } from "../../core/result.ts";
import { isAtLeast } from "./find-git.ts";
import type { At, ObjectStore } from "./object-store.ts";
import { joinNul } from "./paths.ts";

/**
 * `new` ones are written: from `PACK_FROM` on into one pack, because thousands of small synced files are slower to
 * write and to read. Of `known` ones the store holds nearly all, and looking them up is seven times faster than packing.
 */
export type Contents = "new" | "known";
const PACK_FROM = 200;

/** Hashes and stores the files at `paths`, and brings their index entries up to date; absent ones are removed. */
export async function indexPaths(
  store: ObjectStore,
  at: At,
  paths: readonly string[],
  contents: Contents,
): Promise<Result<void>> {
  // Older versions write one pack per file instead of one in all.
  const packs = contents === "new" && paths.length >= PACK_FROM && isAtLeast(store.git.version, [2, 37]);
  const done = await store.run(
    [
      ...(packs ? ["-c", "core.bigFileThreshold=1"] : []),
      "update-index",
      "--add",
      "--remove",
      "--replace",
      "-z",
      "--stdin",
    ],
    { ...at, input: joinNul(paths) },
  );
  return done.ok ? ok(undefined) : done;
}
