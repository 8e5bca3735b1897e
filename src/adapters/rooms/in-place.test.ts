import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { type RoomLab, roomLab, runIn } from "../../testing/room-lab.ts";

const labs: RoomLab[] = [];
afterEach(() => {
  for (const lab of labs.splice(0)) lab.dispose();
});

async function lab(files: Parameters<typeof roomLab>[0]): Promise<RoomLab> {
  const made = await roomLab(files);
  labs.push(made);
  await made.freeze();
  return made;
}

const FILES = { "a.test.js": "honest\n", "src.js": "old\n" };

describe("an in-place room", () => {
  test("shows the check the base test and gives the agent's text back afterwards, with its mode and time", async () => {
    const { folder, open } = await lab(FILES);
    folder.write({ "a.test.js": "cheating\n", "src.js": "new\n" });
    const path = join(folder.dir, "a.test.js");
    chmodSync(path, 0o640);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const room = must(await open("in-place", { protect: ["a.test.js"] }));
    expect(runIn(room, "cat a.test.js src.js").output).toBe("honest\nnew");
    expect(must(await room.altered())).toEqual([]);
    expect(must(await room.dispose())).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("cheating\n");
    expect(lstatSync(path).mode & 0o777).toBe(0o640);
    expect(lstatSync(path).mtimeMs).toBe(1_700_000_000_000);
  });

  test("takes added tests away for the check and puts them back", async () => {
    const { folder, open } = await lab(FILES);
    folder.write({ "deep/er/b.test.js": "added\n" });
    const room = must(await open("in-place", { omit: ["deep/er/b.test.js"] }));
    expect(existsSync(join(folder.dir, "deep/er/b.test.js"))).toBe(false);
    must(await room.dispose());
    expect(readFileSync(join(folder.dir, "deep/er/b.test.js"), "utf8")).toBe("added\n");
  });

  test("brings deleted tests back for the check and leaves no trace of them", async () => {
    const { folder, open } = await lab({ ...FILES, "test/deep/c.test.js": "kept\n" });
    folder.remove("test");
    const room = must(await open("in-place", { protect: ["test/deep/c.test.js"] }));
    expect(runIn(room, "cat test/deep/c.test.js").output).toBe("kept");
    must(await room.dispose());
    expect(existsSync(join(folder.dir, "test"))).toBe(false);
  });

  test("never writes through a link that took the place of a folder", async () => {
    const { folder, open } = await lab({ ...FILES, "test/c.test.js": "kept\n" });
    const outside = join(folder.dir, "..", `${folder.dir.split("/").pop()}-outside`);
    mkdirSync(outside);
    writeFileSync(join(outside, "c.test.js"), "precious\n");
    folder.remove("test");
    symlinkSync(outside, join(folder.dir, "test"));
    const room = must(await open("in-place", { protect: ["test/c.test.js"] }));
    expect(runIn(room, "cat test/c.test.js").output).toBe("kept");
    must(await room.dispose());
    expect(readFileSync(join(outside, "c.test.js"), "utf8")).toBe("precious\n");
    expect(readlinkSync(join(folder.dir, "test"))).toBe(outside);
    rmSync(outside, { recursive: true });
  });

  test("keeps what somebody writes meanwhile, returns it, and lays the earlier text beside it", async () => {
    const { folder, open } = await lab(FILES);
    folder.write({ "a.test.js": "cheating\n" });
    const room = must(await open("in-place", { protect: ["a.test.js"] }));
    folder.write({ "a.test.js": "my edit\n" });
    expect(must(await room.altered())).toEqual(["a.test.js"]);
    expect(must(await room.dispose())).toEqual(["a.test.js"]);
    expect(readFileSync(join(folder.dir, "a.test.js"), "utf8")).toBe("my edit\n");
    expect(readFileSync(join(folder.dir, "a.test.js.before-check"), "utf8")).toBe("cheating\n");
  });

  test("reports a check that changes its own dependencies, but not the caches of a runner", async () => {
    const { folder, open } = await lab({ ...FILES, ".gitignore": "node_modules/\n" });
    folder.write({ "node_modules/runner/index.js": "1\n" });
    const room = must(await open("in-place"));
    folder.write({ "node_modules/.vite/results.json": "{}" });
    expect(must(await room.altered())).toEqual([]);
    folder.write({ "node_modules/runner/index.js": "2\n" });
    expect(must(await room.altered())).toEqual(["node_modules/runner/index.js"]);
    must(await room.dispose());
  });
});
