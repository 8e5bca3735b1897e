import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ToolWatch } from "./tool-watch.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "loopwright-tools-"));
  for (const folder of ["first", "second"]) mkdirSync(join(dir, folder));
  path = `${join(dir, "first")}:${join(dir, "second")}`;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function program(name: string, text: string): void {
  writeFileSync(join(dir, name), text, { mode: 0o755 });
}

test("a program that was replaced or that another one hides now is named, and a new one is not", () => {
  for (const name of ["a", "b", "c"]) program(`second/${name}`, `#!/bin/sh\n# ${name}\n`);
  const watch = new ToolWatch();
  expect(watch.changed(path)).toEqual([]);
  program("second/a", "#!/bin/sh\nexit 0\n");
  program("first/b", "#!/bin/sh\nexit 0\n");
  program("first/d", "#!/bin/sh\nexit 0\n");
  expect(watch.changed(path)).toEqual(["a", "b"]);
});

test("a small program that is written anew with the same text is the same", () => {
  program("first/a", "#!/bin/sh\n");
  const watch = new ToolWatch();
  watch.changed(path);
  rmSync(join(dir, "first/a"));
  program("first/a", "#!/bin/sh\n");
  expect(watch.changed(path)).toEqual([]);
});
