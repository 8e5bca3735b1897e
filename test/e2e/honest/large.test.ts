import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type Lab, openLab } from "../../lab.ts";
import { satisfied } from "./scene.ts";

let lab: Lab | undefined;
afterEach(() => {
  lab?.dispose();
  vi.unstubAllEnvs();
});

const MEMORY_DISK = "/dev/shm";
vi.setConfig({ testTimeout: 240_000 });

test("go works on 50,000 files and its answer names the one that changed", async () => {
  // A slow disk would be most of what is seen here.
  if (existsSync(MEMORY_DISK)) vi.stubEnv("TMPDIR", MEMORY_DISK);
  lab = openLab({ "a.txt": "a\n" });
  for (let folder = 0; folder < 500; folder += 1) {
    const dir = join(lab.repo.dir, `part-${folder % 10}`, `folder-${folder}`);
    mkdirSync(dir, { recursive: true });
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(dir, `file-${file}.txt`), `${folder} ${file}\n`);
  }
  const answer = await satisfied(lab, {
    check: "grep -q done part-3/folder-133/file-42.txt",
    agent: "echo done > part-3/folder-133/file-42.txt",
    env: { TMPDIR: process.env["TMPDIR"] ?? "/tmp" },
  });
  expect(answer["changed"]).toEqual([{ path: "part-3/folder-133/file-42.txt", kind: "modified" }]);
  expect(answer["level"]).toBe("clean");
});
