import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Lab, openLab } from "../../lab.ts";

let lab: Lab;
beforeEach(() => {
  lab = openLab({ "a.txt": "a\n" });
});
afterEach(() => lab.dispose());

interface Refusal {
  readonly exit: number;
  readonly code: string;
  readonly says: RegExp;
  readonly hint?: RegExp;
}

/** One problem as JSON with its exit code. */
async function refuses(args: readonly string[], refusal: Refusal): Promise<void> {
  const asJson = await lab.run([...args, "--json"]);
  expect([asJson.exit, asJson.json()]).toMatchObject([
    refusal.exit,
    { schema: "loopwright.problem/1", ok: false, exit: refusal.exit, problem: { code: refusal.code } },
  ]);
  const problem = asJson.json()["problem"] as { readonly message: string; readonly hint?: string };
  expect(problem.message).toMatch(refusal.says);
  if (refusal.hint !== undefined) expect(problem.hint).toMatch(refusal.hint);
}

function setIdentity(): void {
  lab.repo.git("config", "user.name", "Ada");
  lab.repo.git("config", "user.email", "ada@example.org");
}

const go = ["go", "write b", "--provider", "command:touch b.txt"];
const check = ["--check", "test -e b.txt"];

describe("go refuses with one problem", () => {
  test("a missing check", () =>
    refuses(go, { exit: 1, code: "missing-check", says: /needs a check/, hint: /--check/ }));

  test("a missing goal", () =>
    refuses(["go", ...check], { exit: 1, code: "missing-goal", says: /needs a goal/ }));

  test("a blank goal", () =>
    refuses(["go", "  ", ...check], { exit: 1, code: "missing-goal", says: /needs a goal/ }));

  test("a blank check", () =>
    refuses([...go, "--check", "  "], { exit: 1, code: "missing-check", says: /check/ }));

  test("a goal file that is not there", () =>
    refuses(["go", "--goal-file", "none.md", ...check], { exit: 2, code: "no-such-file", says: /none\.md/ }));

  test("an unknown provider, with those it knows", () =>
    refuses(["go", "x", ...check, "--provider", "claud"], {
      exit: 1,
      code: "unknown-provider",
      says: /claud/,
      hint: /claude-code.*command:/,
    }));

  test("an empty provider command", () =>
    refuses(["go", "x", ...check, "--provider", "command:"], {
      exit: 1,
      code: "bad-input",
      says: /command/,
    }));

  test("a folder that is not there", () =>
    refuses([...go, ...check, "-C", "/no/such/folder"], {
      exit: 2,
      code: "no-such-folder",
      says: /\/no\/such\/folder/,
    }));

  test("a file in place of a folder", () =>
    refuses([...go, ...check, "-C", join(lab.repo.dir, "a.txt")], {
      exit: 2,
      code: "no-such-folder",
      says: /a\.txt/,
    }));

  test("a misspelt flag, with the right one", () =>
    refuses([...go, "--chek", "true"], { exit: 1, code: "bad-flag", says: /--chek, did you mean --check/ }));

  test.each([
    ["--max-iterations", "many"],
    ["--max-iterations", "-1"],
    ["--max-iterations", "1.5"],
    ["--max-iterations", "0"],
    ["--max-usd", "cheap"],
    ["--max-usd", "-3"],
    ["--max-time", "soon"],
    ["--max-time", "0s"],
    ["--level", "spotless"],
  ])("%s %s", (flag, value) =>
    refuses([...go, ...check, flag, value], { exit: 1, code: "bad-flag", says: new RegExp(flag) }),
  );

  test("a flag without its value", () =>
    refuses([...go, "--check"], { exit: 1, code: "bad-flag", says: /--check/ }));

  test("--commit together with --branch", () =>
    refuses([...go, ...check, "--commit", "--branch", "b"], {
      exit: 1,
      code: "bad-flag",
      says: /--commit and --branch/,
    }));

  test("a dollar cap with a provider of unknown cost", () =>
    refuses([...go, ...check, "--max-usd", "1"], {
      exit: 1,
      code: "unknown-cost",
      says: /does not report what it costs/,
      hint: /--allow-unknown-cost/,
    }));

  test("an env file for the checks that is not there", () =>
    refuses([...go, ...check, "--check-env", "none.env"], {
      exit: 2,
      code: "no-such-file",
      says: /none\.env/,
    }));

  test("--commit where git does not know who commits, with the command that tells it", () =>
    refuses([...go, ...check, "--commit"], {
      exit: 12,
      code: "git-failed",
      says: /who commits/,
      hint: /git config --global user\.name/,
    }));

  test("a branch name that git does not take", async () => {
    setIdentity();
    await refuses([...go, ...check, "--branch", "a..b"], { exit: 1, code: "bad-input", says: /a\.\.b/ });
  });

  test("a branch that is already there", async () => {
    setIdentity();
    lab.repo.git("branch", "taken");
    await refuses([...go, ...check, "--branch", "taken"], { exit: 1, code: "bad-input", says: /taken/ });
  });

  test("a worktree where git has no commit to start from", async () => {
    lab.dispose();
    lab = openLab({ "a.txt": "a\n" }, { noCommit: true });
    await refuses([...go, ...check, "--worktree"], {
      exit: 1,
      code: "no-commits",
      says: /at least one commit/,
    });
  });
});

describe("a refusal", () => {
  test.each([
    [["go"], 1, /^loopwright: go needs a goal.*\n {2}try: loopwright go/],
    [
      ["go", "x", "--max-iterations", "many", ...check],
      1,
      /^loopwright: --max-iterations: expected .*\n {2}try: /,
    ],
    [[...go, "--check", "test -e b.txt", "-C", "/no/such"], 2, /^loopwright: .*\/no\/such\n$/],
  ])("of %j is one sentence on stderr, and nothing was begun", async (args, exit, says) => {
    const done = await lab.run(args);
    expect(done).toMatchObject({ exit, stdout: "", stderr: expect.stringMatching(says) });
    expect((await lab.run(["status", "--json"])).exit).toBe(2);
  });
});

describe("other commands refuse with one problem", () => {
  test("an unknown command, with the nearest", () =>
    refuses(["statsu"], { exit: 1, code: "unknown-command", says: /statsu, did you mean status/ }));

  test("a session that is not there", () =>
    refuses(["status", "--session", "12"], { exit: 2, code: "no-such-session", says: /no session/ }));

  test("a home that is a file", () =>
    refuses([...go, ...check, "--home", join(lab.repo.dir, "a.txt")], {
      exit: 12,
      code: "store-unusable",
      says: /a\.txt/,
    }));

  test("a home whose database is no database", async () => {
    const home = join(lab.outside, "odd");
    mkdirSync(join(home, "loopwright.db"), { recursive: true });
    await refuses([...go, ...check, "--home", home], {
      exit: 12,
      code: "store-unusable",
      says: /loopwright\.db/,
    });
  });
});

describe("a loop file is refused with its line and column", () => {
  const cases: readonly (readonly [string, string, RegExp, RegExp | undefined])[] = [
    ["broken YAML", "goals:\n  - name: [x\n", /loop\.yaml:\d+:\d+/, undefined],
    ["an unknown key, with the nearest", "goalz: []\n", /loop\.yaml:1:1/, /goals/],
    ["text where a list is meant", "goals: many\n", /loop\.yaml:1:\d+/, undefined],
    ["an empty file", "", /loop\.yaml/, undefined],
  ];
  test.each(cases)("%s", async (_what, text, place, hint) => {
    lab.repo.write({ "loop.yaml": text });
    const validated = await lab.run(["loop", "validate"]);
    expect([validated.exit, validated.stdout]).toEqual([1, expect.stringMatching(place)]);
    if (hint !== undefined) expect(validated.stdout).toMatch(hint);
    const started = await lab.run(["loop", "start"]);
    expect([started.exit, started.stderr]).toEqual([1, expect.stringMatching(place)]);
  });

  test("a file that is not there", () =>
    refuses(["loop", "start", "none.yaml"], { exit: 2, code: "no-such-file", says: /none\.yaml/ }));

  test("no file at all", () =>
    refuses(["loop", "start"], { exit: 2, code: "no-such-file", says: /loop\.yaml/ }));
});
