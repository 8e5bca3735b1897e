import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";

test("a check that lacks an ignored file in its checkout is told from one that the work fails, to the agent too", async () => {
  const lab = openCliLab();
  lab.write("a.txt", "old\n");
  lab.write(".gitignore", "home/\nown/\nbuilt/\n");
  for (const folder of ["own", "built"]) mkdirSync(lab.path(folder));
  lab.write("built/x", "made by hand\n");
  lab.write("own/worker.sh", "printf '%s\\n---\\n' \"$1\" >> own/prompts; echo new >> a.txt");
  const git = (...words: readonly string[]) =>
    execFileSync("git", [...words], { cwd: lab.dir, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "start");
  const check = "grep -q new a.txt && test -e built/x";
  const provider = "command:sh own/worker.sh {prompt}";
  const words = ["go", "write new", "--check", check, "--provider", provider, "--max-iterations", "3"];
  const done = await lab.say(...words);
  expect(done.exit).toBe(10);
  expect(done.stdout + done.stderr).toContain("in the working folder the same files pass");
  const prompts = readFileSync(lab.path("own/prompts"), "utf8").split("---\n");
  expect(prompts.map((prompt) => prompt.includes("an ignored file or a variable"))).toEqual([
    false,
    false,
    true,
    false,
  ]);
});
