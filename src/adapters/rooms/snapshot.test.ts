import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { type RoomLab, type RoomLabOptions, roomLab, runIn } from "../../testing/room-lab.ts";

const labs: RoomLab[] = [];
afterEach(() => {
  for (const lab of labs.splice(0)) lab.dispose();
});

/** A hand-made runner: exit code 1 as long as `src.js` says "old". */
const RUNNER = { executable: "#!/bin/sh\ngrep -q new src.js\n" };

async function lab(more: Parameters<typeof roomLab>[0] = {}, options: RoomLabOptions = {}): Promise<RoomLab> {
  const made = await roomLab(
    { "src.js": "old\n", ".gitignore": "node_modules/\n.venv/\n.env*\n", ...more },
    options,
  );
  labs.push(made);
  made.folder.write({ "node_modules/fake-runner/cli.sh": RUNNER });
  mkdirSync(join(made.folder.dir, "node_modules/.bin"), { recursive: true });
  symlinkSync("../fake-runner/cli.sh", join(made.folder.dir, "node_modules/.bin/fake-runner"));
  return made;
}

const CHECK = "node_modules/.bin/fake-runner";

describe("a snapshot room", () => {
  test("uses the runner as it was at session start, whatever the agent did to node_modules", async () => {
    const { folder, freeze, open } = await lab();
    await freeze();
    folder.write({ "node_modules/fake-runner/cli.sh": { executable: "#!/bin/sh\nexit 0\n" } });
    rmSync(join(folder.dir, "node_modules/.bin/fake-runner"));
    folder.write({ "node_modules/.bin/fake-runner": { executable: "#!/bin/sh\nexit 0\n" } });
    const room = must(await open("snapshot"));
    expect(runIn(room, CHECK).exitCode).toBe(1);
    expect(must(await room.altered())).toEqual([]);
    must(await room.dispose());
    folder.write({ "src.js": "new\n" });
    const second = must(await open("snapshot"));
    expect(runIn(second, CHECK).exitCode).toBe(0);
    must(await second.dispose());
  });

  test("holds real copies, so that the agent cannot reach them through the working folder", async () => {
    const { folder, freeze, open } = await lab();
    await freeze();
    const room = must(await open("snapshot"));
    const original = statSync(join(folder.dir, "node_modules/fake-runner/cli.sh"));
    const copy = statSync(join(room.dir, "node_modules/fake-runner/cli.sh"));
    expect(copy.ino).not.toBe(original.ino);
    expect(copy.nlink).toBe(1);
    expect(lstatSync(join(room.dir, CHECK)).isSymbolicLink()).toBe(true);
    must(await room.dispose());
  });

  test("is refused as tampered with when a kept copy was changed", async () => {
    const { cacheDir, freeze, open } = await lab();
    const frozen = await freeze();
    const kept = join(cacheDir, "folders", frozen.snapshots[0]?.manifest ?? "", "content/fake-runner/cli.sh");
    writeFileSync(kept, "#!/bin/sh\nexit 0\n");
    expect(await open("snapshot")).toMatchObject({ ok: false, problem: { code: "tree-tampered" } });
  });

  test("reports a check that patches its runner, changes the tree or an env file", async () => {
    const { folder, freeze, open } = await lab();
    folder.write({ ".env": "A=1\n" });
    await freeze();
    const room = must(await open("snapshot"));
    runIn(
      room,
      `echo 'exit 0' > ${CHECK}; echo x >> src.js; mkdir -p node_modules/.vite coverage; echo A=2 > .env`,
    );
    writeFileSync(join(room.dir, "node_modules/.vite/cache"), "");
    expect(must(await room.altered())).toEqual([".env", "node_modules/fake-runner/cli.sh", "src.js"]);
    must(await room.dispose());
  });

  test("throws the caches of a runner away, so that nothing passes to the next check", async () => {
    const { freeze, open } = await lab();
    await freeze();
    const room = must(await open("snapshot"));
    runIn(room, "mkdir node_modules/.vite; echo poison > node_modules/.vite/deps.js");
    expect(must(await room.altered())).toEqual([]);
    expect(runIn(room, "ls node_modules/.vite").output).not.toContain("deps.js");
    must(await room.dispose());
  });

  test("leaves nothing behind, not even folders that a check has locked", async () => {
    const { freeze, open } = await lab();
    await freeze();
    const room = must(await open("snapshot"));
    runIn(room, "mkdir locked; touch locked/file; chmod 500 locked");
    must(await room.dispose());
    expect(() => statSync(room.dir)).toThrow();
  });

  test("finds commands of the working folder's dependencies in its own copy", async () => {
    const toolPath = (dir: string) => `${dir}/node_modules/.bin:${process.env["PATH"]}`;
    const { folder, freeze, open } = await lab({}, { toolPath });
    await freeze();
    folder.write({ "node_modules/fake-runner/cli.sh": { executable: "#!/bin/sh\nexit 0\n" } });
    const room = must(await open("snapshot"));
    expect(runIn(room, "fake-runner").exitCode).toBe(1);
    must(await room.dispose());
  });

  test("is the strongest room of a folder without git", async () => {
    const { freeze, open } = await lab({}, { plainFolder: true });
    await freeze();
    expect(await open("clean")).toMatchObject({ ok: false, problem: { code: "level-unavailable" } });
    const room = must(await open("snapshot"));
    expect(runIn(room, CHECK).exitCode).toBe(1);
    must(await room.dispose());
  });
});

describe("a dependency folder that leads back into the working folder", () => {
  test.each<[string, (dir: string) => void, RegExp]>([
    [
      "an absolute link",
      (dir) => symlinkSync(join(dir, "src.js"), join(dir, "node_modules/link.js")),
      /absolute link/,
    ],
    [
      "an editable install",
      (dir) => {
        mkdirSync(join(dir, ".venv/lib/python3/site-packages"), { recursive: true });
        writeFileSync(join(dir, ".venv/lib/python3/site-packages/__editable__.me.pth"), `${dir}/src\n`);
      },
      /__editable__\.me\.pth leads into the working folder/,
    ],
    [
      "a start line",
      (dir) => {
        mkdirSync(join(dir, ".venv/bin"), { recursive: true });
        writeFileSync(join(dir, ".venv/bin/pytest"), `#!${dir}/.venv/bin/python\n`);
        chmodSync(join(dir, ".venv/bin/pytest"), 0o755);
      },
      /\.venv\/bin\/pytest leads into the working folder/,
    ],
    [
      "a relative link that leaves it",
      (dir) => symlinkSync("../../elsewhere", join(dir, "node_modules/out")),
      /leaves the working folder/,
    ],
  ])("by %s is not used as a copy, and the reason is said", async (_what, spoil, reason) => {
    const { folder, freeze, open } = await lab();
    spoil(folder.dir);
    await freeze();
    const opened = await open("snapshot");
    expect(opened).toMatchObject({ ok: false, problem: { code: "level-unavailable" } });
    expect(opened.ok ? "" : opened.problem.message).toMatch(reason);
  });

  test("by a relative link to a workspace package is fine, and leads to the judged tree", async () => {
    const { folder, freeze, open } = await lab({ "packages/a/index.js": "old\n" });
    symlinkSync("../packages/a", join(folder.dir, "node_modules/a"));
    await freeze();
    folder.write({ "packages/a/index.js": "new\n" });
    const room = must(await open("snapshot"));
    expect(runIn(room, "cat node_modules/a/index.js").output).toBe("new");
    must(await room.dispose());
  });
});

describe("env files", () => {
  test("are copied as they were at session start, for the user alone, by name only in what is recorded", async () => {
    const { folder, freeze, open } = await lab();
    folder.write({ ".env": "TOKEN=first\n", "web/.env.local": "B=1\n" });
    const frozen = await freeze();
    expect(frozen.envFiles).toEqual([".env", "web/.env.local"]);
    expect(JSON.stringify(frozen)).not.toContain("first");
    folder.write({ ".env": "TOKEN=second\n" });
    const room = must(await open("snapshot"));
    expect(readFileSync(join(room.dir, ".env"), "utf8")).toBe("TOKEN=first\n");
    expect(statSync(join(room.dir, ".env")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(room.dir, "web/.env.local"), "utf8")).toBe("B=1\n");
    must(await room.dispose());
  });

  test("that are named and not there are a problem", async () => {
    const { rooms, workspace, scratch, snapshot } = await lab();
    const frozen = await rooms.freeze({
      workspace,
      base: await snapshot(),
      scratch,
      envFiles: ["absent.env"],
    });
    expect(frozen).toMatchObject({ ok: false, problem: { code: "no-such-file" } });
  });
});

test("freezing an unchanged folder again keeps one copy of it", async () => {
  const { rooms, workspace, scratch, cacheDir, snapshot, freeze } = await lab();
  const first = await freeze();
  const second = must(await rooms.freeze({ workspace, base: await snapshot(), scratch }));
  expect(second.snapshots).toEqual(first.snapshots);
  expect(readdirSync(join(cacheDir, "folders"))).toHaveLength(1);
});
