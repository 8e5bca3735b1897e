import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { must } from "../../core/result.ts";
import {
  hasTool,
  labRooms,
  type RoomLab,
  type RoomLabOptions,
  roomLab,
  runIn,
} from "../../testing/room-lab.ts";

// Package managers and killed children take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const labs: RoomLab[] = [];
afterEach(() => {
  for (const lab of labs.splice(0)) lab.dispose();
});
async function lab(files: Parameters<typeof roomLab>[0], options: RoomLabOptions = {}): Promise<RoomLab> {
  const made = await roomLab(files, { cacheDir: join(work, "cache"), ...options });
  labs.push(made);
  return made;
}

const npm = hasTool("npm", "--version");
let work: string;
let tarball: Uint8Array;
let lock: string;

const PACKAGE = {
  name: "project",
  version: "1.0.0",
  scripts: { test: "fake-runner" },
  devDependencies: { "fake-runner": "file:tools/fake-runner-1.0.0.tgz" },
};
/** What `npm test` runs. */
const CHECK = "node_modules/.bin/fake-runner";
const GITIGNORE = "node_modules/\n.venv/\ndist/\n";

function install(dir: string, ...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: dir };
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--offline", ...args];
  execFileSync("npm", ["install", ...options], { cwd: dir, env, stdio: "pipe" });
}

/** A runner packed as npm packs it: it fails as long as `src.js` says "old". */
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "loopwright-clean-"));
  if (!npm) return;
  const runner = join(work, "fake-runner");
  mkdirSync(runner);
  const manifest = { name: "fake-runner", version: "1.0.0", bin: { "fake-runner": "cli.sh" } };
  writeFileSync(join(runner, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(runner, "cli.sh"), "#!/bin/sh\ngrep -q new src.js\n", { mode: 0o755 });
  const project = join(work, "project");
  mkdirSync(join(project, "tools"), { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: work };
  execFileSync("npm", ["pack", "--pack-destination", join(project, "tools")], {
    cwd: runner,
    env,
    stdio: "pipe",
  });
  tarball = readFileSync(join(project, "tools/fake-runner-1.0.0.tgz"));
  writeFileSync(join(project, "package.json"), JSON.stringify(PACKAGE));
  install(project, "--package-lock-only");
  lock = readFileSync(join(project, "package-lock.json"), "utf8");
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

function project(): Parameters<typeof roomLab>[0] {
  return {
    "package.json": JSON.stringify(PACKAGE),
    "package-lock.json": lock,
    "tools/fake-runner-1.0.0.tgz": tarball,
    "src.js": "old\n",
    ".gitignore": GITIGNORE,
  };
}

describe("a clean room without dependencies", () => {
  test("is a checkout of the judged tree, with a repository, and nothing else", async () => {
    const { folder, freeze, open } = await lab({ "package.json": '{"scripts":{}}', "src.js": "old\n" });
    expect((await freeze()).setup).toEqual([]);
    folder.write({ "src.js": "new\n" });
    const room = must(await open("clean"));
    expect(readdirSync(room.dir).sort()).toEqual([".git", "package.json", "src.js"]);
    expect(readFileSync(join(room.dir, "src.js"), "utf8")).toBe("new\n");
    expect(room.dependencyChange).toEqual({ kind: "none" });
    must(await room.dispose());
    expect(existsSync(dirname(room.dir))).toBe(false);
  });

  test("does not see what the agent put into an ignored node_modules", async () => {
    const { folder, freeze, open } = await lab({ "package.json": "{}", ".gitignore": GITIGNORE });
    await freeze();
    folder.write({ "node_modules/.bin/fake-runner": { executable: "#!/bin/sh\nexit 0\n" } });
    const room = must(await open("clean"));
    expect(runIn(room, "node_modules/.bin/fake-runner").exitCode).toBe(127);
    must(await room.dispose());
  });

  test("is not available when packages are asked for and no lock file says which", async () => {
    const { open } = await lab({ "package.json": '{"devDependencies":{"a":"^1.0.0"}}' });
    expect(await open("clean")).toMatchObject({
      ok: false,
      problem: { code: "level-unavailable", message: expect.stringContaining("no lock file") },
    });
  });

  test("is not available when the manager of a lock file is missing", async () => {
    const { open } = await lab(
      { "package.json": "{}", "pnpm-lock.yaml": "" },
      { toolPath: () => "/nonexistent" },
    );
    expect(await open("clean")).toMatchObject({
      ok: false,
      problem: { code: "level-unavailable", message: "pnpm is not on the PATH, and pnpm-lock.yaml needs it" },
    });
  });
});

describe.skipIf(!npm)("a clean room of an npm project", () => {
  test("installs the lock file in a worktree that never had node_modules", async () => {
    const { folder, open, freeze } = await lab(project());
    expect((await freeze()).setup[0]).toMatchObject({ manager: "npm", cwd: "" });
    const room = must(await open("clean"));
    expect(runIn(room, CHECK).exitCode).toBe(1);
    expect(must(await room.altered())).toEqual([]);
    must(await room.dispose());
    folder.write({ "src.js": "new\n" });
    const second = must(await open("clean"));
    expect(runIn(second, CHECK).exitCode).toBe(0);
    expect(second.setupHash).toBe(room.setupHash);
    must(await second.dispose());
    expect(existsSync(join(folder.dir, "node_modules"))).toBe(false);
  });

  test("takes no notice of a runner that the agent patched, in node_modules or in its tarball's folder", async () => {
    const { folder, freeze, open } = await lab(project());
    install(folder.dir);
    await freeze();
    const evil = "#!/bin/sh\nexit 0\n";
    folder.write({ "node_modules/fake-runner/cli.sh": { executable: evil } });
    rmSync(join(folder.dir, "node_modules/.bin/fake-runner"));
    folder.write({ "node_modules/.bin/fake-runner": { executable: evil } });
    const inPlace = must(await open("in-place"));
    expect(runIn(inPlace, CHECK).exitCode).toBe(0);
    must(await inPlace.dispose());
    for (const level of ["clean", "snapshot"] as const) {
      const room = must(await open(level));
      expect([level, runIn(room, CHECK).exitCode]).toEqual([level, 1]);
      must(await room.dispose());
    }
  });

  test("gives each check its own copy: what one check patches the next one does not see", async () => {
    const { open } = await lab(project());
    const first = must(await open("clean"));
    const second = must(await open("clean", { instance: 1 }));
    runIn(first, "printf '#!/bin/sh\\nexit 0\\n' > node_modules/fake-runner/cli.sh");
    expect(must(await first.altered())).toEqual(["node_modules/fake-runner/cli.sh"]);
    expect(must(await second.altered())).toEqual([]);
    expect(runIn(second, CHECK).exitCode).toBe(1);
    must(await first.dispose());
    must(await second.dispose());
    const third = must(await open("clean"));
    expect(runIn(third, CHECK).exitCode).toBe(1);
    must(await third.dispose());
  });

  test("refuses cached packages that somebody changed", async () => {
    const cacheDir = join(work, "spoiled");
    const { open } = await lab(project(), { cacheDir });
    must(await must(await open("clean")).dispose());
    const [kept = ""] = readdirSync(join(cacheDir, "folders"));
    writeFileSync(join(cacheDir, "folders", kept, "content/fake-runner/cli.sh"), "#!/bin/sh\nexit 0\n");
    const again = await open("clean", { rooms: labRooms(cacheDir) });
    expect(again).toMatchObject({ ok: false, problem: { code: "tree-tampered" } });
  });

  test("does not run scripts of the agent's when it installs", async () => {
    const { folder, freeze, open } = await lab(project());
    await freeze();
    const changed = {
      ...PACKAGE,
      scripts: { ...PACKAGE.scripts, postinstall: "touch /tmp/never && exit 1" },
    };
    folder.write({ "package.json": JSON.stringify(changed) });
    expect(await open("clean")).toMatchObject({
      ok: false,
      problem: { code: "dependency-change", message: expect.stringContaining("script postinstall") },
    });
    const approved = await open("clean", { approved: true });
    expect(approved).toMatchObject({ ok: false, problem: { code: "setup-failed" } });
  });

  test("needs a person when a tarball of the tree is added, and installs it after approval", async () => {
    const { folder, freeze, open } = await lab(project());
    await freeze();
    folder.write({ "tools/second-1.0.0.tgz": tarball });
    const dependencies = { second: "file:tools/second-1.0.0.tgz" };
    folder.write({ "package.json": JSON.stringify({ ...PACKAGE, dependencies }) });
    install(folder.dir, "--package-lock-only");
    expect(await open("clean")).toMatchObject({
      ok: false,
      problem: { code: "dependency-change", message: expect.stringContaining("not from a registry") },
    });
    const room = must(await open("clean", { approved: true }));
    expect(existsSync(join(room.dir, "node_modules/second/cli.sh"))).toBe(true);
    must(await room.dispose());
  });

  test("runs the install scripts of the base tree, of the root and of workspaces, in the base tree", async () => {
    const tool =
      "require('fs').writeFileSync('node_modules/generated.txt', require('fs').readFileSync('seed.txt'))";
    const root = {
      name: "mono",
      private: true,
      workspaces: ["packages/*"],
      scripts: { postinstall: "node tool.js", prepare: "git config core.hooksPath .hooks" },
    };
    const member = { name: "member", version: "1.0.0", scripts: { postinstall: "node ../../tool.js" } };
    const files = {
      "package.json": JSON.stringify(root),
      "packages/member/package.json": JSON.stringify(member),
      "packages/member/seed.txt": "member\n",
      "tool.js": `require('fs').mkdirSync('node_modules',{recursive:true});${tool}`,
      "seed.txt": "base\n",
      ".gitignore": GITIGNORE,
    };
    const { folder, freeze, open } = await lab(files);
    install(folder.dir, "--package-lock-only");
    await freeze();
    folder.write({ "seed.txt": "agent\n", "packages/member/index.js": "new\n" });
    const room = must(await open("clean"));
    expect(readFileSync(join(room.dir, "node_modules/generated.txt"), "utf8")).toBe("base\n");
    expect(readFileSync(join(room.dir, "node_modules/member/index.js"), "utf8")).toBe("new\n");
    expect(readFileSync(join(room.dir, "packages/member/node_modules/generated.txt"), "utf8")).toBe(
      "member\n",
    );
    must(await room.dispose());
  });

  test("says what failed when an install fails", async () => {
    const files = { ...project(), "tools/fake-runner-1.0.0.tgz": "not a tarball" };
    const { open } = await lab(files, { cacheDir: join(work, "failing") });
    const opened = await open("clean");
    expect(opened).toMatchObject({
      ok: false,
      problem: { code: "setup-failed", message: expect.stringContaining("npm ci") },
    });
  });

  test("runs the set-up that a person configured instead", async () => {
    const { freeze, open } = await lab({ "make-deps.sh": "mkdir -p vendor && echo made > vendor/a\n" });
    await freeze({ setup: ["sh make-deps.sh"] });
    const room = must(await open("clean"));
    expect(readFileSync(join(room.dir, "vendor/a"), "utf8")).toBe("made\n");
    must(await room.dispose());
  });

  test("never puts dependencies through a link that the agent laid", async () => {
    const { folder, freeze, open } = await lab(project());
    await freeze();
    const outside = mkdtempSync(join(tmpdir(), "loopwright-outside-"));
    folder.write({ ".gitignore": "" });
    symlinkSync(outside, join(folder.dir, "node_modules"));
    expect(await open("clean")).toMatchObject({ ok: false, problem: { code: "level-unavailable" } });
    expect(readdirSync(outside)).toEqual([]);
    rmSync(outside, { recursive: true });
  });
});
