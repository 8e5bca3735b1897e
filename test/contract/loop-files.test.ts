import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";

test("a new loop file breaks no rule and starts; one that is there is replaced only when it is said", async () => {
  const lab = openCliLab();
  const made = await lab.run("loop", "new", "nightly", "--purpose", 'Say "hello: world" # in out/result.md');
  expect(made).toMatchObject({ exit: 0, json: { file: lab.path("nightly/loop.yaml") } });
  const valid = await lab.run("loop", "validate", "nightly/loop.yaml");
  expect(valid.json).toMatchObject({ valid: true, starts: true });
  expect((await lab.run("loop", "plan", "nightly/loop.yaml")).json).toMatchObject({ loop: "nightly" });
  const again = await lab.run("loop", "new", "nightly");
  expect(again.json).toMatchObject({
    problem: { code: "bad-flag", message: expect.stringContaining("loop.yaml") },
  });
  expect((await lab.run("loop", "new", "nightly", "--force", "--name", "other")).exit).toBe(0);
  expect((await lab.run("loop", "plan", "nightly/loop.yaml")).json).toMatchObject({ loop: "other" });
});

test("a file of one's own is taken in either form, and one that is no loop is not written", async () => {
  const lab = openCliLab();
  await lab.run("loop", "new", "a");
  const markdown = await lab.run("loop", "new", "b", "--config-file", "a/loop.yaml", "--markdown");
  expect(markdown.json).toMatchObject({ file: lab.path("b/loop.md") });
  expect((await lab.run("loop", "validate", "b/loop.md")).json).toMatchObject({ valid: true });
  lab.write("odd.yaml", "name: odd\n");
  expect((await lab.run("loop", "new", "c", "--config-file", "odd.yaml")).exit).toBe(1);
  expect(existsSync(lab.path("c"))).toBe(false);
});

test("permissions are added to a settings file once, beside what is there; no other file is touched", async () => {
  const lab = openCliLab();
  const made = await lab.run("loop", "new", ".");
  expect(made.json).toMatchObject({ file: lab.path("loop.yaml") });
  expect(readFileSync(lab.path("loop.yaml"), "utf8")).toContain(`name: "${lab.dir.split("/").at(-1)}"`);
  const wanted = ["Bash(claude:*)", "Edit", "Glob", "Grep", "Read", "Write"];
  expect((await lab.run("loop", "permissions")).json).toMatchObject({ permissions: wanted });
  mkdirSync(lab.path(".claude"));
  lab.write(".claude/settings.json", { model: "opus", permissions: { deny: ["WebFetch"], allow: ["Read"] } });
  const added = await lab.run("loop", "permissions", "--write", ".claude/settings.json");
  expect(added.json).toMatchObject({ added: 5 });
  const settings = JSON.parse(readFileSync(lab.path(".claude/settings.json"), "utf8"));
  expect(settings).toEqual({
    model: "opus",
    permissions: { deny: ["WebFetch"], allow: ["Read", ...wanted.filter((one) => one !== "Read")] },
  });
  expect((await lab.run("loop", "permissions", "--write", ".claude/settings.json")).json).toMatchObject({
    added: 0,
  });
  lab.write("broken.json", "{");
  expect((await lab.run("loop", "permissions", "--write", "broken.json")).exit).toBe(1);
  expect(readFileSync(lab.path("broken.json"), "utf8")).toBe("{");
});
