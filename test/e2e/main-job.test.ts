import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { validateOcp } from "../../src/formats/ocp/index.ts";
import { type Lab, openLab } from "../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

/** Fixes the file at its second try; the first only claims to. */
const SECOND_TRY = `
if [ -e "$LAB/tried" ]; then echo right > answer.txt; else touch "$LAB/tried"; echo wrong > answer.txt; echo "all done"; fi
`;

describe("go", () => {
  test("refuses a false claim, accepts the fix, and exits 0 with a valid record", async () => {
    lab = openLab({ "README.md": "hello\n" });
    const done = await lab.run([
      "go",
      "write the right answer",
      "--check",
      "grep -q right answer.txt",
      "--provider",
      lab.agent(SECOND_TRY).replace("/bin/sh", `/usr/bin/env LAB=${lab.outside} /bin/sh`),
      "--json",
    ]);
    expect(done.stderr).toContain("gate says no");
    expect(done.exit).toBe(0);
    const answer = done.json();
    expect(answer).toMatchObject({
      ok: true,
      satisfied: true,
      outcome: "succeeded",
      iteration: 2,
      attempts: 2,
    });
    expect(answer["changed"]).toEqual([{ path: "answer.txt", kind: "added" }]);
    expect(readFileSync(join(lab.repo.dir, "answer.txt"), "utf8")).toBe("right\n");
    const runs = await lab.run(["runs", "--json", "--documents"]);
    const [row] = runs.json()["runs"] as { document: unknown; outcome: string }[];
    expect(row?.outcome).toBe("accepted");
    expect(validateOcp(row?.document).findings).toEqual([]);
  });

  test("records what shaped its agents when the configuration asks for it", async () => {
    lab = openLab({ "CLAUDE.md": "be brief\n" });
    await lab.run(["config", "set", "harness.record", "auto"]);
    const words = ["go", "make b", "--check", "test -e b.txt", "--provider", lab.agent("touch b.txt")];
    expect((await lab.run([...words, "--json"])).exit).toBe(0);
    const runs = await lab.run(["runs", "--json", "--documents"]);
    expect(runs.stdout).toContain('"parts":{"claude-code":["prompt:a5c18cf0"]}');
  });

  test("accepts the fix by a check that asks git, whatever the agent committed", async () => {
    lab = openLab({ "a.txt": "a\n", "generated.txt": "made from a\n" });
    const agent = lab.agent(
      "echo b > a.txt; git -c user.name=a -c user.email=a@example.org commit -qam sly; echo c > a.txt",
    );
    const check =
      "grep -q c a.txt && git diff --exit-code -- generated.txt && test $(git log --oneline | wc -l) = 1";
    const done = await lab.run(["go", "write c", "--check", check, "--provider", agent, "--json"]);
    expect([done.exit, done.json()["level"]]).toEqual([0, "clean"]);
  });

  test("leaves index, branches and stash of the user alone", async () => {
    lab = openLab({ "a.txt": "a\n" });
    lab.repo.write({ "staged.txt": "mine\n" });
    lab.repo.git("add", "staged.txt");
    const before = [
      lab.repo.git("status", "--porcelain"),
      lab.repo.git("for-each-ref"),
      lab.repo.git("ls-files", "-s"),
    ];
    const done = await lab.run([
      "go",
      "make b",
      "--check",
      "test -e b.txt",
      "--provider",
      lab.agent("touch b.txt"),
      "--json",
    ]);
    expect(done.exit).toBe(0);
    lab.repo.remove("b.txt");
    lab.repo.remove(".loopwright");
    expect([
      lab.repo.git("status", "--porcelain"),
      lab.repo.git("for-each-ref"),
      lab.repo.git("ls-files", "-s"),
    ]).toEqual(before);
  });

  test("stops at the iteration ceiling with exit 10 and says how to go on", async () => {
    lab = openLab({ "a.txt": "a\n" });
    const agent = lab.agent("date +%N >> noise.txt");
    const done = await lab.run([
      "go",
      "never",
      "--check",
      "test -e b.txt",
      "--provider",
      agent,
      "--max-iterations",
      "2",
      "--json",
    ]);
    expect(done.exit).toBe(10);
    expect(done.json()).toMatchObject({ satisfied: false, outcome: "paused", iteration: 2 });
    const resumed = await lab.run(["loop", "resume", "--max-iterations", "3", "--json"]);
    expect(resumed.exit).toBe(10);
    expect(resumed.json()).toMatchObject({ iteration: 3, attempts: 3 });
  });
});
