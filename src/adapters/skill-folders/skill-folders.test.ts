import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { must } from "../../core/result.ts";
import { createSkillFolders } from "./index.ts";

function aRoom() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-skills-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const skill = (folder: string, text = "how to"): string => {
    mkdirSync(join(dir, folder, "more"), { recursive: true });
    writeFileSync(join(dir, folder, "SKILL.md"), text);
    writeFileSync(join(dir, folder, "more/picture"), Uint8Array.of(0, 255));
    return folder;
  };
  const bin = join(dir, "bin");
  const environment = { PATH: `${bin}:${process.env["PATH"]}`, HOME: dir };
  return { dir, bin, skill, folders: createSkillFolders(dir, environment) };
}

test("a skill is known by the names and contents of all its files, and copied byte by byte", async () => {
  const { dir, skill, folders } = aRoom();
  const one = must(await folders.read(skill("one")));
  if (one === undefined) throw new Error("there is no skill");
  expect([...one.files.keys()].toSorted()).toEqual(["SKILL.md", "more/picture"]);
  must(await folders.write("copy", one));
  expect(must(await folders.read("copy"))?.digest).toBe(one.digest);
  expect(readFileSync(join(dir, "copy/more/picture"))).toEqual(Buffer.of(0, 255));
  expect(await folders.write("copy", one)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  writeFileSync(join(dir, "copy/more/picture"), "other");
  expect(must(await folders.read("copy"))?.digest).not.toBe(one.digest);
  must(await folders.remove("copy"));
  expect(existsSync(join(dir, "copy"))).toBe(false);
  expect(must(await folders.read("copy"))).toBeUndefined();
});

test("a link inside of a skill is refused, wherever it leads", async () => {
  const { dir, skill, folders } = aRoom();
  symlinkSync("/etc/hostname", join(dir, skill("one"), "more/link"));
  expect(await folders.read("one")).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining("more/link") },
  });
});

test("a skill is fetched from a repository at its present commit", async () => {
  const { dir, skill, folders } = aRoom();
  skill("repo/skills/pdf");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      cwd: join(dir, "repo"),
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "x");
  const source = { kind: "git", url: `file://${dir}/repo` } as const;
  const got = must(await folders.fetch({ ...source, path: "skills/pdf" }));
  expect(got.revision).toBe(git("rev-parse", "HEAD").trim());
  expect(got.digest).toBe(must(await folders.read("repo/skills/pdf"))?.digest);
  expect(await folders.fetch(source)).toMatchObject({
    ok: false,
    problem: { hint: "name its folder with --path" },
  });
});

test("a skill is fetched from a package without running its scripts", async () => {
  const { dir, bin, skill, folders } = aRoom();
  skill("pack/package");
  mkdirSync(bin);
  const npm = `#!/bin/sh\necho "$@" > ${dir}/said\ntar -czf "$5/skill-1.0.0.tgz" -C ${dir}/pack package\n`;
  writeFileSync(join(bin, "npm"), npm, { mode: 0o755 });
  const got = must(await folders.fetch({ kind: "npm", name: "@some/skill@1.0.0" }));
  expect([...got.files.keys()]).toContain("more/picture");
  expect(got.revision).toBe("skill-1.0.0.tgz");
  expect(readFileSync(join(dir, "said"), "utf8")).toMatch(
    /^pack --ignore-scripts .* -- @some\/skill@1.0.0\n$/,
  );
});

test.each([
  { kind: "git", url: "ext::sh -c id" },
  { kind: "git", url: "--upload-pack=id" },
  { kind: "git", url: "http://example.org/x" },
  { kind: "npm", name: "../x" },
  { kind: "npm", name: "-g" },
  { kind: "npm", name: "x", path: "../../etc" },
] as const)("nothing is run for %j", async (source) => {
  const { folders } = aRoom();
  expect(await folders.fetch(source)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
});
