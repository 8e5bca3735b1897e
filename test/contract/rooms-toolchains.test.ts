import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { must } from "../../src/core/result.ts";
import { hasTool, type RoomLab, type RoomLabOptions, roomLab, runIn } from "../../src/testing/room-lab.ts";

const npm = hasTool("npm", "--version");
const python = hasTool("python3", "-m", "venv", "--help");
const cargo = hasTool("cargo", "--version");
const go = hasTool("go", "version");

let work: string;
const labs: RoomLab[] = [];
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "loopwright-toolchains-"));
});
afterEach(() => {
  for (const lab of labs.splice(0)) lab.dispose();
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

async function lab(files: Parameters<typeof roomLab>[0], options: RoomLabOptions = {}): Promise<RoomLab> {
  const made = await roomLab(files, { cacheDir: join(work, "cache"), ...options });
  labs.push(made);
  return made;
}

function lockOnline(dir: string): boolean {
  const argv = ["install", "--package-lock-only", "--no-audit", "--no-fund", "--fetch-retries=0"];
  return spawnSync("npm", argv, { cwd: dir, stdio: "ignore", timeout: 60_000 }).status === 0;
}

/** A wheel with one command, made without a build tool. */
function fakeWheel(): { readonly name: string; readonly bytes: Uint8Array } {
  const name = "fake_runner-1.0-py3-none-any.whl";
  const script = `
import sys, zipfile
info = "fake_runner-1.0.dist-info"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("fake_runner.py", "import sys\\ndef main():\\n    print(sys.prefix)\\n    sys.exit(0 if 'new' in open('src.py').read() else 1)\\n")
    wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: fake-runner\\nVersion: 1.0\\n")
    wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "/entry_points.txt", "[console_scripts]\\nfake-runner = fake_runner:main\\n")
    wheel.writestr(info + "/RECORD", "")
`;

  // Package managers and killed children take their time on a busy machine.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  const path = join(work, name);
  execFileSync("python3", ["-c", script, path], { stdio: "pipe" });
  return { name, bytes: readFileSync(path) };
}

describe.skipIf(!npm)("a project with packages of the npm registry", () => {
  test("gets what the lock names, and plain additions of the agent's", async (context) => {
    const manifest = (dependencies: object): string => JSON.stringify({ name: "me", dependencies });
    const { folder, freeze, open } = await lab({
      "package.json": manifest({ picocolors: "1.1.1" }),
      ".gitignore": "node_modules/\n",
    });
    if (!lockOnline(folder.dir)) {
      process.stderr.write("\nSKIPPED for lack of the npm registry: a test of check rooms\n");
      context.skip();
    }
    await freeze();
    folder.write({ "package.json": manifest({ picocolors: "1.1.1", ms: "2.1.3" }) });
    lockOnline(folder.dir);
    const room = must(await open("clean"));
    expect(room.dependencyChange).toEqual({ kind: "additions", added: ["ms@2.1.3"] });
    expect(runIn(room, 'node -p \'require("ms")("1s")\'').output).toBe("1000");
    must(await room.dispose());
  });
});

describe.skipIf(!python)("a Python project", () => {
  test("is installed from its requirements into a venv that starts itself in every room", async () => {
    const wheel = fakeWheel();
    const { folder, freeze, open } = await lab({
      "requirements.txt": `./wheels/${wheel.name}\n`,
      [`wheels/${wheel.name}`]: wheel.bytes,
      "src.py": "old\n",
      ".gitignore": ".venv/\n",
    });
    // The user's own venv leads into the working folder, so a copy of it would run what an agent writes there.
    folder.write({ ".venv/bin/fake-runner": { executable: `#!${folder.dir}/.venv/bin/python\n` } });
    await freeze();
    folder.write({ ".venv/bin/fake-runner": { executable: "#!/bin/sh\nexit 0\n" } });
    expect(await open("snapshot")).toMatchObject({ ok: false, problem: { code: "level-unavailable" } });
    const room = must(await open("clean"));
    const ran = runIn(room, "fake-runner");
    expect(ran).toEqual({ exitCode: 1, output: join(room.dir, ".venv") });
    expect(runIn(room, ". .venv/bin/activate && python -c 'import sys; print(sys.prefix)'").output).toBe(
      join(room.dir, ".venv"),
    );
    expect(must(await room.altered())).toEqual([]);
    must(await room.dispose());
  });

  test("with an editable install has no clean level, and the reason is said", async () => {
    const { open } = await lab({ "requirements.txt": "-e .\n", "pyproject.toml": "[project]\nname='me'\n" });
    expect(await open("clean")).toMatchObject({
      ok: false,
      problem: { code: "level-unavailable", message: expect.stringContaining("editable") },
    });
  });

  test("that reads an env file finds it in a checkout", async () => {
    const { folder, freeze, open } = await lab({
      "check.py": "print(open('.env').read())",
      ".gitignore": ".env\n",
    });
    folder.write({ ".env": "GREETING=hello\n" });
    await freeze();
    const room = must(await open("clean"));
    expect(runIn(room, "python3 check.py").output).toBe("GREETING=hello");
    must(await room.dispose());
  });
});

describe.skipIf(!cargo)("a Rust project", () => {
  test("is fetched into a store of ours and found there with the toolchain of this machine", async () => {
    const { freeze, open } = await lab({
      "Cargo.toml": '[package]\nname = "me"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "me"\nversion = "0.1.0"\n',
      "src/lib.rs": "pub fn one() -> u8 { 1 }\n",
    });
    expect((await freeze()).setup).toEqual([
      { manager: "cargo", cwd: "", argv: ["cargo", "fetch", "--locked"] },
    ]);
    const room = must(await open("clean"));
    expect(room.env["CARGO_HOME"]).toContain("/stores/cargo");
    expect(runIn(room, "cargo metadata --offline --format-version 1 --no-deps").exitCode).toBe(0);
    must(await room.dispose());
  });
});

describe.skipIf(!go)("a Go project", () => {
  test("without modules of others needs no set-up", async () => {
    const { freeze, open } = await lab({ "go.mod": "module me\n\ngo 1.21\n", "me.go": "package me\n" });
    expect((await freeze()).setup).toEqual([]);
    const room = must(await open("clean"));
    expect(runIn(room, "go list .").output).toBe("me");
    must(await room.dispose());
  });
});
