import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { formatManifest, type Manifest, manifestDifference, parseManifest } from "./manifest.ts";
import { changedSince, scanFolder, watchFolder } from "./scan.ts";

let dir: string;
let clock: string;
beforeEach(() => {
  const work = mkdtempSync(join(tmpdir(), "loopwright-scan-"));
  dir = join(work, "folder");
  clock = join(work, "clock");
  mkdirSync(dir);
  mkdirSync(clock);
  writeFileSync(join(dir, "a.js"), "one\n");
});
afterEach(() => rmSync(join(dir, ".."), { recursive: true, force: true }));

/** Same size, same modification time: only the content and the change time tell. */
function forge(): void {
  const path = join(dir, "a.js");
  const { atime, mtime } = statSync(path);
  writeFileSync(path, "two\n");
  utimesSync(path, atime, mtime);
}

test("a file that changes under the same size and time is noticed, however soon after it was looked at", async () => {
  const watch = await watchFolder(dir, clock);
  const scan = await scanFolder(dir, clock);
  forge();
  expect(await changedSince(dir, watch)).toEqual(["a.js"]);
  const again = await scanFolder(dir, clock, scan.index);
  expect(manifestDifference(scan.manifest, again.manifest)).toEqual(["a.js"]);
});

test("an unchanged folder has no changes, and added and removed files are both named", async () => {
  const watch = await watchFolder(dir, clock);
  expect(await changedSince(dir, watch)).toEqual([]);
  rmSync(join(dir, "a.js"));
  writeFileSync(join(dir, "b.js"), "");
  expect(await changedSince(dir, watch)).toEqual(["a.js", "b.js"]);
});

const entry = fc.oneof(
  fc.record({ kind: fc.constant("folder" as const), path: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant("link" as const), path: fc.string({ minLength: 1 }), target: fc.string() }),
  fc.record({
    kind: fc.constant("file" as const),
    path: fc.string({ minLength: 1 }),
    executable: fc.boolean(),
    sha256: fc.stringMatching(/^[0-9a-f]{8}$/),
  }),
);
const manifests = fc.uniqueArray(entry, { selector: (one) => one.path });

test("a manifest is read back as it was written, in any order of its entries", () => {
  fc.assert(
    fc.property(manifests, (entries: Manifest) => {
      const text = formatManifest(entries);
      expect(formatManifest(parseManifest(text))).toBe(text);
      expect(formatManifest(entries.toReversed())).toBe(text);
      expect(manifestDifference(entries, parseManifest(text))).toEqual([]);
    }),
  );
});

test("the difference of two manifests names a path exactly when their entries for it differ", () => {
  fc.assert(
    fc.property(manifests, manifests, (from: Manifest, to: Manifest) => {
      const text = (manifest: Manifest, path: string): string =>
        formatManifest(manifest.filter((one) => one.path === path));
      const paths = [...new Set([...from, ...to].map((one) => one.path))];
      const expected = paths.filter((path) => text(from, path) !== text(to, path));
      expect(new Set(manifestDifference(from, to))).toEqual(new Set(expected));
    }),
  );
});
