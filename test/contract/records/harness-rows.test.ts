import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCliLab } from "../../cli-lab.ts";

const lines = (...rows: readonly (object | string)[]): string =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

const HEAD = { schema: "loopwright.harness-runs/0.1", model: "claude-opus-4-5-20251101", tier: "verified" };
const TASK = { id: "t1", type: "bug_fix", repo: "acme/api", base_commit: "a".repeat(40) };
const AT = { started_at: "2026-11-01T10:00:00Z", ended_at: "2026-11-01T10:20:00Z" };

test("rollouts of an A/B become runs that import, pair by task and keep what they cost", async () => {
  const lab = openCliLab();
  lab.write(
    "rows.jsonl",
    lines(
      HEAD,
      {
        id: "r1",
        task: TASK,
        arm: "base",
        pair: "p1",
        ...AT,
        verdicts: { tests: true },
        cost: { usd: 0.31 },
      },
      "",
      {
        ...{ id: "r2", task: TASK, arm: "cand", pair: "p1", ...AT, verdicts: { tests: false } },
        harness: {
          label: "codex",
          digest: `sha256:${"1".repeat(64)}`,
          parts: ["skill:pdf", { id: "mcp:github" }],
        },
        cost: { input_tokens: 1_000_000, output_tokens: 0 },
      },
    ),
  );
  const made = await lab.run("adapt", "harness-runs", "rows.jsonl", "--out", "runs");
  expect(made).toMatchObject({ exit: 0, json: { runs: 2, refused: [], no_cost: [], unpaired: [] } });
  expect((await lab.run("ocp", "validate", "runs")).exit).toBe(0);
  const imported = await lab.run("run", "import", "runs", "--no-fit");
  expect(imported).toMatchObject({ exit: 0, json: { imported: 2, open: 0 } });
  const listed = await lab.run("runs", "--sort", "cost");
  expect(listed.json["runs"]).toMatchObject([
    { outcome: "rejected", cost_usd: 5 },
    { outcome: "accepted", cost_usd: 0.31 },
  ]);
  const [first, second] = readdirSync(lab.path("runs")).map((name) =>
    JSON.parse(readFileSync(join(lab.path("runs"), name), "utf8")),
  );
  expect(first.run.slate).toEqual(second.run.slate);
  expect(first.run.slate).toMatchObject({ id: "slt_p1", members: [expect.any(String), expect.any(String)] });
  const candidate = [first, second].find(({ run }) => run.labels.arm === "cand");
  expect(candidate.run.ext["dev.loopwright.harness"].parts).toEqual({ codex: ["skill:pdf", "mcp:github"] });
  const again = await lab.run("run", "import", "runs", "--no-fit");
  expect(again.json).toMatchObject({ unchanged: 2 });
});

test("a row that cannot be taken is refused by its line, and the others are converted", async () => {
  const lab = openCliLab();
  lab.write(
    "rows.jsonl",
    lines(
      { id: "a", task: "t" },
      "{ broken",
      { id: "a", task: "t" },
      { task: "t" },
      { id: "b", task: "t", replicate: -1 },
      { id: "c", task: "t", status: "fine" },
      { id: "d", task: "t", rule: "tests+" },
      { id: "e", task: "t", cost: { usd: -1 } },
    ),
  );
  const made = await lab.run("adapt", "harness-runs", "rows.jsonl");
  expect(made.exit).toBe(1);
  expect(made.json).toMatchObject({ runs: 1, no_cost: ["a"] });
  const refused = made.json["refused"] as readonly { readonly line: number; readonly error: string }[];
  expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  expect(refused[1]?.error).toBe("the id a is there twice");
  expect(refused[2]?.error).toBe('"id" is missing');
});

test("what has no dollars and no price stays unknown, and members of another tool's rows are named once", async () => {
  const lab = openCliLab();
  lab.write(
    "rows.jsonl",
    lines(
      { schema: "loopmath.harness-runs/0.1" },
      { id: "a", task: "t", model: "nobody-knows-1", cost: { input_tokens: 5, output_tokens: 5 }, reward: 1 },
      { id: "b", task: "u", pair: "p", reward: 2 },
      { id: "c", task: "v", pair: "p" },
    ),
  );
  const made = await lab.run("adapt", "harness-runs", "rows.jsonl", "--out", "runs");
  expect(made).toMatchObject({
    exit: 0,
    json: { no_cost: ["a", "b", "c"], unknown: ["reward"], unpaired: ["p"] },
  });
  await lab.run("run", "import", "runs", "--no-fit");
  const listed = await lab.run("runs");
  expect((listed.json["runs"] as readonly object[]).map((run) => "cost_usd" in run && run.cost_usd)).toEqual([
    null,
    null,
    null,
  ]);
});
