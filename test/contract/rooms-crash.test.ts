import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { must } from "../../src/core/result.ts";
import { type RoomLab, roomLab } from "../../src/testing/room-lab.ts";
import type { CrashOrder } from "./rooms-crash-child.ts";

// Package managers and killed children take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let outDir: string;
beforeAll(async () => {
  outDir = mkdtempSync(join(tmpdir(), "loopwright-crash-"));
  const entry = join(import.meta.dirname, "rooms-crash-child.ts");
  await build({
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      minify: false,
      target: "node20",
      rolldownOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
});
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

/** The agent changed, deleted and added protected files; these are the user's bytes that must survive. */
const CHANGED = { "a.test.js": "cheating\n", "test/new.test.js": "added\n", "src.js": "new\n" };

async function brokenLab(): Promise<{ lab: RoomLab; order: Omit<CrashOrder, "dieAt"> }> {
  const lab = await roomLab({ "a.test.js": "honest\n", "gone/b.test.js": "kept\n", "src.js": "old\n" });
  const base = await lab.snapshot();
  lab.folder.write(CHANGED);
  lab.folder.remove("gone");
  const found = await lab.snapshot();
  const restore = { from: base, paths: ["a.test.js", "gone/b.test.js"] };
  const judged = must(
    await lab.workspace.compose(found, { restore, omit: ["test/new.test.js"], replace: [] }),
  );
  const store = join(lab.scratch, "..", "store");
  return { lab, order: { dir: lab.folder.dir, store, scratch: lab.scratch, found, judged } };
}

function contentOf(dir: string): Readonly<Record<string, string>> {
  const paths = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith(".git"),
  );
  const files = paths.filter((path) => path.endsWith(".js"));
  const rest = paths.filter((path) => !path.endsWith(".js") && path !== "test");
  return Object.fromEntries([
    ...files.map((path) => [path, readFileSync(join(dir, path), "utf8")]),
    ...rest.map((path) => [path, "left over"]),
  ]);
}

test("a process that is killed at any step of an in-place check leaves nothing that recovery cannot put back", async () => {
  const { lab, order } = await brokenLab();
  let survived = false;
  let kills = 0;
  for (let dieAt = 0; !survived; dieAt += 1) {
    const child = spawnSync(
      process.execPath,
      [join(outDir, "child.mjs"), JSON.stringify({ ...order, dieAt })],
      {
        encoding: "utf8",
      },
    );
    survived = child.signal === null;
    if (survived) expect(child.stderr).toBe("");
    else kills += 1;
    expect(must(await lab.rooms.recover(lab.scratch, lab.workspace))).toEqual([]);
    expect(contentOf(lab.folder.dir)).toEqual(CHANGED);
    expect(existsSync(join(lab.scratch, "in-place", "journal.json"))).toBe(false);
  }
  // One journal, two renames, three changes each way, and the end.
  expect(kills).toBeGreaterThanOrEqual(10);
  lab.dispose();
});

test("recovery leaves a file alone that was edited after the crash", async () => {
  const { lab, order } = await brokenLab();
  const dieAt = 5;
  spawnSync(process.execPath, [join(outDir, "child.mjs"), JSON.stringify({ ...order, dieAt })]);
  lab.folder.write({ "a.test.js": "edited after the crash\n" });
  expect(must(await lab.rooms.recover(lab.scratch, lab.workspace))).toEqual(["a.test.js"]);
  expect(readFileSync(join(lab.folder.dir, "a.test.js"), "utf8")).toBe("edited after the crash\n");
  lab.dispose();
});
