import { describe, expect, onTestFinished, test } from "vitest";
import { inlineRepo } from "../../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../../cli-lab.ts";
import { aForeignRun, anAttempt, aSignal, SHA } from "./documents.ts";

type Row = Readonly<Record<string, unknown>>;
const listed = async (lab: CliLab): Promise<readonly Row[]> =>
  (await lab.run("runs")).json["runs"] as readonly Row[];

async function withRuns(...documents: readonly ReturnType<typeof aForeignRun>[]): Promise<CliLab> {
  const lab = openCliLab();
  const names = documents.map((document, index) => lab.write(`${index}.ocp.json`, document));
  expect((await lab.run("run", "import", ...names)).exit).toBe(0);
  return lab;
}
const unjudged = (id: string) => aForeignRun(id, { signals: [] });

describe("outcome", () => {
  test("the latest verdict of a name decides, and one seen earlier does not take it back", async () => {
    const lab = await withRuns(unjudged("run_a"));
    const say = async (value: string, at: string) =>
      (await lab.run("outcome", "--run", "run_a", "--signal", `tests=${value}`, "--observed-at", at)).json[
        "outcome"
      ];
    expect(await say("fail", "2026-11-03T00:00:00Z")).toBe("rejected");
    expect(await say("pass", "2026-11-04T00:00:00+02:00")).toBe("accepted");
    expect(await say("fail", "2026-11-02T23:00:00Z")).toBe("accepted");
  });

  test("an error is neither pass nor fail", async () => {
    const lab = await withRuns(unjudged("run_a"));
    const done = await lab.run("outcome", "--run", "run_a", "--signal", "tests=error");
    expect(done.json).toMatchObject({ outcome: "unknown", runs: [{ reasons: ["missing:tests"] }] });
  });

  test("a late excluded event inside the window rejects, outside it does not", async () => {
    const lab = await withRuns(aForeignRun("run_a"), aForeignRun("run_b"));
    lab.nowMs = Date.parse("2026-12-30T00:00:00Z");
    const say = async (run: string, at: string) =>
      (
        await lab.run(
          "outcome",
          "--run",
          run,
          "--signal",
          "revert=c0ffee1",
          "--kind",
          "event",
          "--observed-at",
          at,
        )
      ).json;
    expect(await say("run_a", "2026-11-10T00:00:00Z")).toMatchObject({
      outcome: "rejected",
      runs: [{ reasons: ["late:revert"] }],
    });
    expect(await say("run_b", "2026-11-20T00:00:00Z")).toMatchObject({ outcome: "accepted", notes: [] });
  });

  test("an event that no rule reacts to is noted, perhaps it is misspelt", async () => {
    const lab = await withRuns(aForeignRun("run_a"));
    const done = await lab.run("outcome", "--run", "run_a", "--signal", "rever=abc", "--kind", "event");
    expect(done.json["notes"]).toEqual([
      "the rule of run run_a does not react to the event rever, only to revert, incident",
    ]);
    expect(done.stderr).toContain("note: ");
  });

  test("a score takes direction, target and scale from the rule, and one not measured leaves the run unknown", async () => {
    const rule = {
      name: "fast",
      definition: "fast",
      score: { name: "runtime_s", target: 200, better: "lower" as const, scale: "log" as const },
    };
    const lab = await withRuns(aForeignRun("run_a", { acceptance_rule: rule, signals: [] }));
    expect((await lab.run("outcome", "--run", "run_a", "--signal", "runtime_s=")).json).toMatchObject({
      kind: "score",
      outcome: "unknown",
      runs: [{ reasons: ["unmeasured:runtime_s"] }],
    });
    expect((await lab.run("outcome", "--run", "run_a", "--signal", "runtime_s=180.5")).json).toMatchObject({
      outcome: "accepted",
    });
    const [shown] = (await lab.run("runs", "run_a")).json["runs"] as readonly {
      document: ReturnType<typeof aForeignRun>;
    }[];
    expect(shown?.document.run.signals?.at(-1)).toMatchObject({
      value: 180.5,
      better: "lower",
      target: 200,
      scale: "log",
    });
  });

  test("a commit finds the runs that made it, all of them", async () => {
    const lab = await withRuns(
      unjudged("run_a"),
      unjudged("run_b"),
      aForeignRun("run_c", {}, { artifacts: [] }),
    );
    const done = await lab.run("outcome", "--commit", SHA.slice(0, 10), "--signal", "ci=pass");
    expect(done).toMatchObject({
      exit: 0,
      json: { via: "artifact", runs: [{ run: "run_b" }, { run: "run_a" }] },
    });
    expect(await lab.run("outcome", "--commit", "f".repeat(40), "--signal", "ci=pass")).toMatchObject({
      exit: 2,
      json: { ok: false, problem: { code: "no-such-run" } },
    });
  });

  test("a commit that no run names is traced to the one run that started from its parent, as a guess", async () => {
    const repo = inlineRepo({ "a.txt": "a\n" });
    const base = repo.git("rev-parse", "HEAD").trim();
    repo.write({ "a.txt": "b\n" });
    const child = repo.commit("change");
    const task = { id: "tsk_1", base_commit: base };
    const lab = await withRuns(aForeignRun("run_a", { task, signals: [] }, { artifacts: [] }));
    const done = await lab.run(
      "outcome",
      "--commit",
      child,
      "--signal",
      "merge=accept",
      "--tier",
      "verified",
      "--cwd",
      repo.dir,
    );
    expect(done.json).toMatchObject({ via: "base_commit", runs: [{ run: "run_a" }] });
    const shown = JSON.stringify((await lab.run("runs", "run_a")).json);
    expect(shown).toContain('"name":"merge","value":"accept"');
    expect(shown).toContain('"tier":"heuristic"');
    repo.dispose();
  });

  test("a commit is also looked up in the folders that attempts worked in", async () => {
    const repo = inlineRepo({ "a.txt": "a\n" });
    onTestFinished(() => repo.dispose());
    const base = repo.git("rev-parse", "HEAD").trim();
    repo.write({ "a.txt": "b\n" });
    const child = repo.commit("change");
    const run = { task: { id: "tsk_1", base_commit: base }, signals: [] };
    const attempts = [{ ...anAttempt("implement.a1", 1), cwd: repo.dir }];
    const lab = await withRuns(aForeignRun("run_a", run, { artifacts: [], attempts }));
    const done = await lab.run("outcome", "--commit", child, "--signal", "merge=accept");
    expect(done.json).toMatchObject({ via: "base_commit", runs: [{ run: "run_a" }] });
  });

  test("a preference stands in every member's document, and its winner is a member or a tie", async () => {
    const slate = { id: "slt_1", members: ["run_a", "run_b"] };
    const task = { id: "tsk_1" };
    const lab = await withRuns(aForeignRun("run_a", { slate, task }), aForeignRun("run_b", { slate, task }));
    const done = await lab.run(
      "outcome",
      "--slate",
      "slt_1",
      "--prefer",
      "run_b",
      "--judge",
      "model",
      "--blinded",
    );
    expect(done).toMatchObject({
      exit: 0,
      json: { winner: "run_b", runs: [{ run: "run_a" }, { run: "run_b" }] },
    });
    for (const run of ["run_a", "run_b"]) {
      expect((await lab.run("runs", run)).json).toMatchObject({
        runs: [
          {
            document: {
              run: { preferences: [{ winner: "run_b", judge: { kind: "model", blinded: true } }] },
            },
          },
        ],
      });
    }
    expect(await lab.run("outcome", "--slate", "slt_1", "--prefer", "run_x")).toMatchObject({ exit: 1 });
    expect(await lab.run("outcome", "--slate", "slt_1", "--prefer", "tie")).toMatchObject({ exit: 0 });
    expect(await lab.run("outcome", "--slate", "none", "--prefer", "tie")).toMatchObject({ exit: 2 });
  });

  test("a signal by slate is recorded on each of its runs", async () => {
    const slate = { id: "slt_1", members: ["run_a", "run_b"] };
    const task = { id: "tsk_1" };
    const lab = await withRuns(aForeignRun("run_a", { slate, task }), aForeignRun("run_b", { slate, task }));
    await lab.run("outcome", "--slate", "slt_1", "--signal", "tests=fail");
    expect(await listed(lab)).toMatchObject([{ outcome: "rejected" }, { outcome: "rejected" }]);
  });

  test("undoing a rule change restores each run's own rule, not a default", async () => {
    const own = { name: "ci", definition: "ci passes", requires: ["ci"] };
    const signals = [aSignal("sig_1", "ci", "fail"), aSignal("sig_2", "tests", "pass")];
    const lab = await withRuns(
      aForeignRun("run_a", { acceptance_rule: own, signals }),
      aForeignRun("run_b", { signals }),
    );
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }, { outcome: "rejected" }]);
    await lab.run("outcome", "--rule", "tests", "run_a");
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }, { outcome: "accepted" }]);
    await lab.run("outcome", "--rule", "ci", "run_b");
    await lab.run("outcome", "--undo-rule", "run_a", "run_b");
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }, { outcome: "rejected" }]);
    const again = await lab.run("run", "import", "0.ocp.json", "1.ocp.json");
    expect(again.json).toMatchObject({ unchanged: 2 });
  });

  test("a foreign run that only a reviewer judged is judged by the review, until its own rule is asked for", async () => {
    const lab = await withRuns(aForeignRun("run_a", { signals: [aSignal("sig_1", "review", "accept")] }));
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }]);
    await lab.run("outcome", "--undo-rule", "run_a");
    expect(await listed(lab)).toMatchObject([{ outcome: "unknown" }]);
    expect((await lab.run("runs")).json).toMatchObject({ reviewable: ["run_a"] });
    expect((await lab.say("runs")).stdout).toContain("loopwright outcome --rule review run_a");
    await lab.run("outcome", "--rule", "review", "run_a");
    expect((await lab.run("runs")).json).toMatchObject({ reviewable: [] });
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }]);
    await lab.run("outcome", "--rule", "tests", "run_a");
    expect(await listed(lab)).toMatchObject([{ outcome: "unknown" }]);
  });

  test("no rule changes when one of the runs is not there", async () => {
    const lab = await withRuns(
      aForeignRun("run_a", { signals: [aSignal("sig_1", "ci", "fail"), aSignal("sig_2", "tests", "pass")] }),
    );
    expect(await lab.run("outcome", "--rule", "ci", "run_a", "run_x")).toMatchObject({ exit: 2 });
    expect(await listed(lab)).toMatchObject([{ outcome: "accepted" }]);
  });

  test.each([
    [["--signal", "tests=pass"], "bad-flag"],
    [["--run", "run_a"], "bad-flag"],
    [["--run", "run_a", "--commit", "abcdef1", "--signal", "tests=pass"], "bad-flag"],
    [["--run", "run_a", "--signal", "tests"], "bad-flag"],
    [["--run", "run_a", "--signal", "tests=good"], "bad-input"],
    [["--run", "run_a", "--signal", "q=2", "--scale", "fraction"], "bad-input"],
    [["--run", "run_a", "--signal", "q=0", "--scale", "log"], "bad-input"],
    [["--run", "run_a", "--signal", "q=1e999", "--kind", "score"], "bad-input"],
    [["--run", "run_a", "--signal", "issue=", "--kind", "event"], "bad-input"],
    [["--run", "run_a", "--signal", "tests=pass", "--at-attempt", "none.a1"], "no-such-attempt"],
    [["--run", "run_a", "--signal", "tests=pass", "--observed-at", "yesterday"], "bad-flag"],
    [["--run", "run_x", "--signal", "tests=pass"], "no-such-run"],
    [["--run", "run_a", "--prefer", "tie"], "bad-flag"],
    [["--rule", "a>=b", "run_a"], "bad-input"],
  ])("%j is refused and changes nothing", async (words, code) => {
    const lab = await withRuns(aForeignRun("run_a"));
    const before = await lab.run("runs", "run_a");
    const done = await lab.run("outcome", ...words);
    expect(done.json).toMatchObject({ ok: false, problem: { code } });
    expect(await lab.run("runs", "run_a")).toEqual(before);
  });

  test("inside an attempt nobody records a verified outcome, changes a budget or sets a key", async () => {
    const lab = await withRuns(aForeignRun("run_a"));
    lab.env = { LOOPWRIGHT_ATTEMPT: "att_1" };
    const refused = { exit: 1, json: { problem: { code: "person-only" } } };
    expect(
      await lab.run("outcome", "--run", "run_a", "--signal", "ci=pass", "--tier", "verified"),
    ).toMatchObject(refused);
    expect(await lab.run("budget", "--usd", "5")).toMatchObject(refused);
    expect(await lab.run("config", "set", "org", "x")).toMatchObject(refused);
    expect(await lab.run("config", "unset", "org")).toMatchObject(refused);
    expect(await lab.run("outcome", "--run", "run_a", "--signal", "ci=pass")).toMatchObject({ exit: 0 });
    expect(await lab.run("budget")).toMatchObject({ exit: 0 });
  });

  test("two processes that record at once lose neither outcome", async () => {
    const lab = await withRuns(unjudged("run_a"));
    const names = Array.from({ length: 8 }, (_, n) => `check_${n}`);
    const done = await Promise.all(
      names.map((name) => lab.run("outcome", "--run", "run_a", "--signal", `${name}=pass`)),
    );
    const [shown] = (await lab.run("runs", "run_a")).json["runs"] as readonly {
      document: ReturnType<typeof aForeignRun>;
    }[];
    const kept = (shown?.document.run.signals ?? []).map(({ name }) => name);
    const said = names.filter((_, index) => done[index]?.exit === 0);
    expect(kept.sort()).toEqual(said.sort());
    expect(said.length).toBeGreaterThan(0);
  });
});
