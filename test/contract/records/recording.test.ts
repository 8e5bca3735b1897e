import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type OcpDocument, validateOcp } from "../../../src/formats/ocp/index.ts";
import { assistant, prompt, usageOf } from "../../../src/testing/claude-lines.ts";
import { inlineRepo } from "../../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../../cli-lab.ts";

const SOLO = [
  "--type",
  "bug_fix",
  "--workflow",
  "solo",
  "--set",
  "implement=claude-code:claude-opus-5-5:high",
  "--source",
  "designed",
];
const PAIR = [
  "--type",
  "feature",
  "--workflow",
  "implement_review",
  "--set",
  "implement=claude-code:claude-opus-5-5:high",
  "--set",
  "review=claude-code:claude-sonnet-5:high",
  "--source",
  "designed",
];

/** A Claude Code session of the lab's home with one call at each moment. */
function logSession(
  lab: CliLab,
  session: string,
  times: readonly string[],
  change: { readonly cwd?: string; readonly model?: string } = {},
): void {
  const folder = join(lab.dir, ".claude/projects/-p");
  mkdirSync(folder, { recursive: true });
  const cwd = change.cwd ?? lab.dir;
  const lines = times.flatMap((at, index) => [
    prompt({ session, at, more: { cwd } }),
    assistant({
      session,
      id: `msg_${session}_${index}`,
      request: `req_${session}_${index}`,
      at,
      model: change.model ?? "claude-opus-5-5",
      usage: usageOf(1000, 100),
      more: { cwd },
    }),
  ]);
  writeFileSync(join(folder, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const S1 = "11111111-1111-4111-8111-111111111111";
const S2 = "22222222-2222-4222-8222-222222222222";
const S3 = "33333333-3333-4333-8333-333333333333";

async function started(lab: CliLab, words: readonly string[] = SOLO): Promise<string> {
  const done = await lab.run("run", "start", ...words);
  expect(done).toMatchObject({ exit: 0, json: { ok: true } });
  return String(done.json["run"]);
}

async function documentOf(lab: CliLab, run: string): Promise<OcpDocument> {
  const [row] = (await lab.run("runs", run)).json["runs"] as readonly { readonly document: OcpDocument }[];
  if (row === undefined) throw new Error("no such run");
  return row.document;
}

describe("recording work that others run", () => {
  test("start, attempt and finish make a valid document with the cost of the session's log", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T12:01:00.000Z", "2026-11-10T12:05:00.000Z"]);
    const run = await started(lab);
    await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1);
    lab.nowMs += 10 * 60_000;
    expect((await lab.run("run", "attempt", "--run", run, "--end", "implement.a1")).json).toMatchObject({
      status: "done",
    });
    await lab.run(
      "run",
      "artifact",
      "--run",
      run,
      "--kind",
      "commit",
      "--path",
      "abcdef1234",
      "--by",
      "implement.a1",
    );
    await lab.run("outcome", "--run", run, "--signal", "tests=pass", "--source", "ci");
    const finished = await lab.run("run", "finish", "--run", run);
    expect(finished).toMatchObject({
      exit: 0,
      json: {
        matched: { verified: 1, heuristic: 0, unmatched: [] },
        cost: { tokens: 2200, attempts_not_costed: 0 },
        outcome: "accepted",
        evidence: { z: 1, tier: "reported", rule: "tests" },
      },
    });
    const document = await documentOf(lab, run);
    expect(validateOcp(document).findings).toEqual([]);
    expect(document.attempts?.[0]).toMatchObject({
      status: "done",
      session: S1,
      cost: { input_tokens: 2000, output_tokens: 200, basis: "measured" },
    });
    const [row] = (await lab.run("runs", "--commit", "abcdef1")).json["runs"] as readonly Record<
      string,
      unknown
    >[];
    expect(row).toMatchObject({
      run,
      outcome: "accepted",
      origin: "recorded",
      source: "designed",
      type: "bug_fix",
    });
    expect(row?.["cost_usd"]).toBeGreaterThan(0);
    expect((await lab.run("budget")).json).toMatchObject({ spent: { runs: 1, unknown_costs: 0 } });
  });

  test("an attempt without a log costs unknown, not nothing", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1);
    const finished = await lab.run("run", "finish", "--run", run);
    expect(finished.json).toMatchObject({
      cost: { usd: null, usd_known: 0, tokens: null, attempts_not_costed: 1 },
      matched: { unmatched: [{ attempt: "implement.a1" }] },
    });
    const document = await documentOf(lab, run);
    expect(document.attempts?.[0]).toMatchObject({
      status: "settled_unverified",
      outcome: { result: "settled_unverified" },
    });
    expect(document.attempts?.[0]).not.toHaveProperty("cost");
    expect((await lab.say("runs")).stdout).toContain("cost unknown");
  });

  test("attempts of one session one after the other get what each spent", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T12:01:00.000Z", "2026-11-10T12:21:00.000Z", "2026-11-10T12:22:00.000Z"]);
    const run = await started(lab);
    for (const [n, end] of [
      [1, "2026-11-10T12:10:00Z"],
      [2, "2026-11-10T12:30:00Z"],
    ] as const) {
      const begin = n === 1 ? "2026-11-10T12:00:00Z" : "2026-11-10T12:20:00Z";
      await lab.run(
        "run",
        "attempt",
        "--run",
        run,
        "--piece",
        "implement",
        "--session",
        S1,
        "--started-at",
        begin,
        "--cause",
        n === 1 ? "initial" : "followup",
      );
      await lab.run("run", "attempt", "--run", run, "--end", `implement.a${n}`, "--ended-at", end);
    }
    lab.nowMs += 3_600_000;
    expect((await lab.run("run", "finish", "--run", run)).json).toMatchObject({
      shared: [],
      cost: { tokens: 3300 },
    });
    const costs = (await documentOf(lab, run)).attempts?.map(({ cost }) => cost?.input_tokens);
    expect(costs).toEqual([1000, 2000]);
  });

  test("a session that two attempts used at the same time is split, counted once, and said", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T12:01:00.000Z"]);
    const run = await started(lab, PAIR);
    await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1);
    await lab.run(
      "run",
      "attempt",
      "--run",
      run,
      "--piece",
      "review",
      "--harness",
      "claude-code",
      "--session",
      S1,
    );
    lab.nowMs += 600_000;
    expect((await lab.run("run", "finish", "--run", run)).json).toMatchObject({
      shared: [{ session: S1, attempts: ["implement.a1", "review.a1"], split: "equal" }],
      cost: { tokens: 1100 },
    });
    const costs = (await documentOf(lab, run)).attempts?.map(({ cost }) => [cost?.input_tokens, cost?.basis]);
    expect(costs).toEqual([
      [500, "allocated"],
      [500, "allocated"],
    ]);
  });

  test("an attempt that names only its folder is matched by folder and time, as a guess", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T12:01:00.000Z"], { cwd: "/w/a" });
    logSession(lab, S2, ["2026-11-10T12:01:00.000Z"], { cwd: "/w/b" });
    logSession(lab, S3, ["2026-11-10T12:02:00.000Z"], { cwd: "/w/b" });
    const run = await started(lab);
    for (const cwd of ["/w/a", "/w/b", "/w/c"])
      await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--cwd", cwd);
    lab.nowMs += 600_000;
    expect((await lab.run("run", "finish", "--run", run)).json).toMatchObject({
      matched: {
        verified: 0,
        heuristic: 1,
        unmatched: [
          { attempt: "implement.a2", reason: "2 sessions of claude-code in /w/b at that time" },
          { attempt: "implement.a3", reason: "no session of claude-code in /w/c at that time" },
        ],
      },
      cost: { usd: null, attempts_not_costed: 2 },
    });
  });

  test("of several sessions in its folder an attempt is matched to the only one that used its model", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T12:01:00.000Z"], { cwd: "/w/a", model: "claude-haiku-5-5" });
    logSession(lab, S2, ["2026-11-10T12:02:00.000Z"], { cwd: "/w/a" });
    const run = await started(lab);
    const words = ["--run", run, "--piece", "implement", "--cwd", "/w/a"];
    await lab.run("run", "attempt", ...words, "--model", "claude-opus-5-5");
    lab.nowMs += 600_000;
    expect((await lab.run("run", "finish", "--run", run)).json).toMatchObject({
      matched: { heuristic: 1, unmatched: [] },
      cost: { attempts_not_costed: 0 },
    });
  });

  test("an attempt never starts before its run nor ends before its start", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    const early = await lab.run(
      "run",
      "attempt",
      "--run",
      run,
      "--piece",
      "implement",
      "--session",
      S1,
      "--started-at",
      "2026-11-01",
    );
    expect(early).toMatchObject({ exit: 2, json: { problem: { code: "bad-order" } } });
    await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1);
    const backwards = await lab.run(
      "run",
      "attempt",
      "--run",
      run,
      "--end",
      "implement.a1",
      "--ended-at",
      "2026-11-09",
    );
    expect(backwards).toMatchObject({ exit: 2, json: { problem: { code: "bad-order" } } });
  });

  test("nothing is added to a finished run but outcomes", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    await lab.run("run", "finish", "--run", run);
    const refused = { exit: 1, json: { problem: { code: "run-finished" } } };
    expect(
      await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1),
    ).toMatchObject(refused);
    expect(await lab.run("run", "finish", "--run", run)).toMatchObject(refused);
    expect(
      await lab.run("run", "artifact", "--run", run, "--kind", "diff", "--path", "d", "--by", "implement.a1"),
    ).toMatchObject(refused);
    expect((await lab.run("outcome", "--run", run, "--signal", "tests=pass")).json).toMatchObject({
      outcome: "accepted",
    });
  });

  test("what shaped the agents is recorded by part when it is asked for, and never otherwise", async () => {
    const repo = inlineRepo({ "CLAUDE.md": "be brief\n", "deep/a.txt": "a\n" });
    onTestFinished(() => repo.dispose());
    const lab = openCliLab();
    const finished = async (...words: readonly string[]): Promise<string> => {
      const run = await started(lab);
      await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--cwd", join(repo.dir, "deep"));
      expect((await lab.run("run", "finish", "--run", run, ...words)).exit).toBe(0);
      return JSON.stringify((await lab.run("runs", run)).json);
    };
    expect(await finished()).not.toContain("dev.loopwright.harness");
    const recorded = '"parts":{"claude-code":["prompt:a5c18cf0"]}';
    expect(await finished("--harness", "auto")).toContain(recorded);
    await lab.run("config", "set", "harness.record", "auto");
    expect(await finished()).toContain(recorded);
    expect(await finished("--harness", "none")).not.toContain("dev.loopwright.harness");
    const run = await started(lab);
    const missing = await lab.run("run", "finish", "--run", run, "--harness", "nowhere");
    expect(missing.json).toMatchObject({ problem: { code: "no-such-file" } });
  });

  test("versions of an artifact follow each other", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    await lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", S1);
    const add = (path: string) =>
      lab.run("run", "artifact", "--run", run, "--kind", "diff", "--path", path, "--by", "implement.a1");
    expect((await add("one")).json).toMatchObject({ artifact: "diff", version: 1 });
    expect((await add("two")).json).toMatchObject({ artifact: "diff@v2", version: 2 });
    expect((await documentOf(lab, run)).artifacts?.at(-1)).toMatchObject({
      id: "diff@v2",
      supersedes: "diff",
      vertex: "diff",
    });
    expect(
      await lab.run("run", "artifact", "--run", run, "--kind", "diff", "--path", "x", "--by", "none.a1"),
    ).toMatchObject({ exit: 2 });
  });

  test("runs of a slate do one task from one commit, and every member's document lists them all", async () => {
    const lab = openCliLab();
    const first = await lab.run("run", "start", ...SOLO, "--new-slate", "--base-commit", "abc1234");
    const slate = String(first.json["slate"]);
    const second = await lab.run(
      "run",
      "start",
      "--workflow",
      "solo",
      "--set",
      "implement=codex:gpt-6-astra:high",
      "--source",
      "exploration",
      "--slate",
      slate,
    );
    expect(second).toMatchObject({ exit: 0, json: { slate, task: first.json["task"] } });
    const members = [String(first.json["run"]), String(second.json["run"])];
    for (const run of members) expect((await documentOf(lab, run)).run.slate?.members).toEqual(members);
    const other = await lab.run("run", "start", ...SOLO, "--slate", slate, "--base-commit", "fff1234");
    expect(other).toMatchObject({
      exit: 1,
      json: { problem: { message: expect.stringContaining("start from abc1234") } },
    });
  });

  test("a configuration of a recorded run is run again by its id", async () => {
    const lab = openCliLab();
    const first = await lab.run("run", "start", ...PAIR);
    const again = await lab.run(
      "run",
      "start",
      "--type",
      "docs",
      "--config",
      String(first.json["config"]),
      "--source",
      "usual",
    );
    expect(again.json).toMatchObject({
      ok: true,
      config: first.json["config"],
      pieces: first.json["pieces"],
    });
    expect(
      await lab.run("run", "start", "--type", "docs", "--config", "cfg_000000000000", "--source", "usual"),
    ).toMatchObject({
      exit: 2,
      json: { problem: { code: "no-such-configuration" } },
    });
  });

  test("a task is stored as it was planned, without what was only shown, and features in the document's words", async () => {
    const lab = openCliLab();
    const task = {
      id: "tsk_x",
      type: "bug_fix",
      repo: "acme/api",
      features: { lang: "ts" },
      support: { all: 3 },
      horizon: { seconds: 60 },
      notes: ["n"],
      group_chain: [],
    };
    lab.write("task.json", { schema: "loopwright.recommend/1", task });
    const run = await started(lab, [
      ...SOLO.slice(2),
      "--task-file",
      "task.json",
      "--feature",
      "touches=3",
      "--feature",
      "has_tests=yes",
      "--feature",
      "risk=High!",
      "--horizon",
      "90m",
      "--rule",
      "tests+review",
      "--label",
      "arm=cand",
    ]);
    const { run: recorded } = await documentOf(lab, run);
    expect(recorded.task).toMatchObject({
      id: "tsk_x",
      repo: "acme/api",
      features: { lang: "ts", touches: "2-3", has_tests: true, risk: "High!" },
      ext: { "dev.loopwright.horizon": 5400 },
    });
    expect(Object.keys(recorded.task ?? {})).not.toEqual(expect.arrayContaining(["support"]));
    expect(recorded.acceptance_rule).toMatchObject({ name: "tests+review", requires: ["tests", "review"] });
    expect((await lab.run("runs", "--label", "arm=cand")).json).toMatchObject({ runs: [{ run }] });
  });

  test("self outside an agent means exactly one active session, else says how to list them", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    const attempt = () =>
      lab.run("run", "attempt", "--run", run, "--piece", "implement", "--session", "self");
    expect(await attempt()).toMatchObject({
      exit: 2,
      json: { problem: { hint: expect.stringContaining("run sessions") } },
    });
    logSession(lab, S1, ["2026-11-10T11:55:00.000Z"]);
    logSession(lab, S2, ["2026-11-10T09:00:00.000Z"]);
    expect((await attempt()).json).toMatchObject({ ok: true, session: S1 });
    expect((await lab.run("run", "sessions")).json).toMatchObject({
      sessions: [{ session: S1 }, { session: S2 }],
      more: 0,
    });
    logSession(lab, S3, ["2026-11-10T11:56:00.000Z"]);
    expect((await attempt()).json).toMatchObject({
      problem: { message: expect.stringContaining("2 sessions") },
    });
    lab.env = { CLAUDE_CODE_SESSION_ID: S2 };
    expect((await attempt()).json).toMatchObject({ session: S2 });
  });

  test.each([
    [["--workflow", "solo", "--source", "designed", "--type", "docs"], "bad-flag"],
    [["--workflow", "solo", "--set", "implement=codex:m", "--type", "docs"], "bad-flag"],
    [
      ["--workflow", "solo", "--set", "implement=codex:m", "--source", "designed", "--type", "chores"],
      "bad-flag",
    ],
    [["--workflow", "none_such", "--source", "designed", "--type", "docs"], "no-such-workflow"],
    [
      ["--workflow", "solo", "--set", "review=codex:m", "--source", "designed", "--type", "docs"],
      "unknown-piece",
    ],
    [["--source", "designed", "--type", "docs"], "bad-flag"],
    [
      [
        "--workflow",
        "solo",
        "--set",
        "implement=codex:m",
        "--source",
        "designed",
        "--type",
        "docs",
        "--slate",
        "slt_x",
      ],
      "no-such-run",
    ],
    [
      [
        "--workflow",
        "solo",
        "--set",
        "implement=codex:m",
        "--source",
        "designed",
        "--type",
        "docs",
        "--rule",
        "a>=b",
      ],
      "bad-input",
    ],
    [
      [
        "--workflow",
        "solo",
        "--set",
        "implement=codex:m",
        "--source",
        "designed",
        "--type",
        "docs",
        "--task-file",
        "none.json",
      ],
      "no-such-file",
    ],
  ])("run start %j is refused and records nothing", async (words, code) => {
    const lab = openCliLab();
    expect((await lab.run("run", "start", ...words)).json).toMatchObject({ ok: false, problem: { code } });
    expect((await lab.run("runs")).json).toMatchObject({ runs: [] });
  });
});

describe("run record", () => {
  test("one call records sessions, rounds, commits and verdicts", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T10:00:00.000Z", "2026-11-10T10:10:00.000Z"]);
    logSession(lab, S2, ["2026-11-10T10:20:00.000Z"], { model: "claude-sonnet-5" });
    logSession(lab, S3, ["2026-11-10T10:30:00.000Z"]);
    const sessions = ["--session", S3, "--session", S1, "--session", S2];
    const done = await lab.run(
      "run",
      "record",
      ...PAIR,
      ...sessions,
      "--commit",
      "ABCDEF1234",
      "--verified",
      "tests=pass",
      "--score",
      "quality=0.5",
    );
    expect(done).toMatchObject({
      exit: 0,
      json: {
        attempts: [
          { attempt: "implement.a1", session: S1, how: "model", round: 1 },
          { attempt: "review.a1", session: S2, how: "model", round: 1 },
          { attempt: "implement.a2", session: S3, how: "round", round: 2 },
        ],
        commits: ["ABCDEF1234"],
        matched: { verified: 3 },
        outcome: "accepted",
        evidence: { tier: "verified", scores: { quality: 0.5 } },
      },
    });
    const document = await documentOf(lab, String(done.json["run"]));
    expect(validateOcp(document).findings).toEqual([]);
    expect(document.attempts?.at(-1)?.cause).toEqual({ type: "sent_back", ref: "implement.a1" });
    expect((await lab.run("runs", "--commit", "abcdef1234")).json).toMatchObject({
      runs: [{ run: done.json["run"] }],
    });
  });

  test("commits of the window are found in the history and given to the implementer", async () => {
    const lab = openCliLab();
    const repo = inlineRepo({ "a.txt": "a\n" });
    const base = repo.git("rev-parse", "HEAD").trim();
    logSession(lab, S1, ["2025-12-31T23:50:00.000Z", "2026-01-01T00:10:00.000Z"], { cwd: repo.dir });
    repo.write({ "a.txt": "b\n" });
    const sha = repo.commit("change").trim();
    const done = await lab.run(
      "run",
      "record",
      ...SOLO,
      "--worked",
      repo.dir,
      "--base-commit",
      base,
      "--cwd",
      repo.dir,
    );
    expect(done.json).toMatchObject({ ok: true, commits: [sha], notes: [], outcome: "unknown" });
    expect((await lab.run("outcome", "--commit", sha, "--signal", "tests=pass")).json).toMatchObject({
      via: "artifact",
      outcome: "accepted",
    });
    repo.dispose();
  });

  test("nothing is written when any lookup fails, and searched folders are named when no commit is found", async () => {
    const lab = openCliLab();
    logSession(lab, S1, ["2026-11-10T10:00:00.000Z"]);
    const failing = [
      ["--session", S2],
      ["--session", S1, "--verified", "tests=good"],
      ["--session", `nobody=${S1}`],
      ["--session", S1, "--slate", "slt_x"],
      ["--worked", "/none"],
    ];
    for (const words of failing) {
      expect((await lab.run("run", "record", ...SOLO, ...words)).json).toMatchObject({ ok: false });
      expect((await lab.run("runs")).json).toMatchObject({ runs: [] });
    }
    const done = await lab.run("run", "record", ...SOLO, "--session", S1);
    expect(done.json["notes"]).toEqual([`no commit of the run was found in ${lab.dir}`]);
  });

  test("a run that was begun is finished by one call, with its own task, rule and configuration", async () => {
    const lab = openCliLab();
    const run = await started(lab);
    lab.nowMs += 3_600_000;
    logSession(lab, S1, ["2026-11-10T11:50:00.000Z", "2026-11-10T12:10:00.000Z"]);
    expect(
      (await lab.run("run", "record", "--run", run, "--type", "docs", "--session", S1)).json,
    ).toMatchObject({ problem: { code: "bad-flag" } });
    const done = await lab.run(
      "run",
      "record",
      "--run",
      run,
      "--session",
      `implement=${S1}`,
      "--no-commits",
      "--reported",
      "tests=pass",
    );
    expect(done.json).toMatchObject({
      ok: true,
      run,
      attempts: [{ how: "named" }],
      cost: { tokens: 1100 },
      outcome: "accepted",
    });
  });

  test("inside an attempt nobody records a verified verdict", async () => {
    const lab = openCliLab();
    lab.env = { LOOPWRIGHT_ATTEMPT: "att_1" };
    expect(
      (await lab.run("run", "record", ...SOLO, "--session", S1, "--verified", "tests=pass")).json,
    ).toMatchObject({ problem: { code: "person-only" } });
  });
});
