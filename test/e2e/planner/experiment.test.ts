import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import type { AgentStep } from "../../../src/testing/scripted-agent.ts";
import { openWorkflowLab, pick, says, type WorkflowLab } from "../workflows/workflow-lab.ts";
import { clearWinner, importRuns } from "./history.ts";

let lab: WorkflowLab | undefined;
afterEach(() => lab?.dispose());

function writes(text: string): AgentStep {
  return says("done", { do: [{ kind: "write", path: "answer.txt", text }] });
}

const GOAL = "write the right answer";
const CHECK = ["--check", "grep -q right answer.txt"];

/** Two configurations that were run before: a base of codex and a candidate of claude. */
async function ready(builder: readonly AgentStep[], other: readonly AgentStep[]) {
  const opened = openWorkflowLab({ builder, judge: other });
  opened.repo.git("config", "user.name", "Ada");
  opened.repo.git("config", "user.email", "ada@example.org");
  const runs = clearWinner("acme/api");
  await importRuns(opened, runs);
  const [base, candidate] = [runs[0], runs[20]].map((run) => run?.run.configuration?.id ?? "");
  return { opened, arms: ["--base", base ?? "", "--candidate", candidate ?? ""] };
}

interface Ran {
  readonly slate: string;
  readonly runs: readonly { readonly run: string; readonly config: string }[];
  readonly preferred: string | null;
}

describe("experiment run", () => {
  test("goes on with an arm whose process died, in its session, and then with the pair", async () => {
    const slow: AgentStep = { do: [{ kind: "sleep", ms: 3_000 }] };
    const { opened, arms } = await ready([slow, writes("right\n")], [slow, writes("right\n")]);
    lab = opened;
    const words = ["experiment", "run", GOAL, ...CHECK, ...arms, "--json"];
    const cut = lab.start(words, lab.env);
    const begun = ["builder", "judge"].map((name) => join(lab?.outside ?? "", `state-${name}`));
    while (!begun.some((state) => existsSync(state))) await new Promise((done) => setTimeout(done, 50));
    cut.child.kill("SIGKILL");
    await cut.finished;
    const [ran] = (await lab.run(words, lab.env)).json()["ran"] as readonly Ran[];
    expect(ran?.runs).toHaveLength(2);
    const rows = await lab.run(["runs", "--json"], lab.env);
    const listed = rows.json()["runs"] as readonly {
      readonly run: string;
      readonly session: string | null;
    }[];
    const own = listed.filter(({ session }) => session !== null).map(({ run }) => run);
    expect(own.sort()).toEqual(ran?.runs.map(({ run }) => run).sort());
  });

  test("runs a planned pair apart from each other and from the user's files, and feeds the rule", async () => {
    const { opened, arms } = await ready(
      [writes("right\n")],
      Array.from({ length: 3 }, () => writes("wrong\n")),
    );
    lab = opened;
    const judge = lab.agent(`cat > ${lab.outside}/judge-saw; echo '${pick("A")}'`);
    const head = lab.repo.git("rev-parse", "HEAD");
    const plan = await lab.play(["experiment", "start", ...arms]);
    const done = await lab.play(["experiment", "run", GOAL, ...CHECK, ...arms, "--judge", judge]);
    expect(done.exit).toBe(11);
    const answer = done.json();
    expect(answer).toMatchObject({ pairs: 1, verdict: "undecided" });
    const [ran] = answer["ran"] as readonly Ran[];
    const [first] = plan.json()["plan"] as readonly { slate: string; first: string; second: string }[];
    expect(ran?.slate).toBe(first?.slate);
    expect(ran?.runs.map(({ config }) => config)).toEqual([first?.first, first?.second]);
    expect(lab.repo.git("status", "--porcelain")).not.toContain("answer.txt");
    expect(lab.repo.git("rev-parse", "HEAD")).toBe(head);
    const documents = await lab.run(["runs", "--slate", ran?.slate ?? "", "--json", "--documents"], lab.env);
    const rows = documents.json()["runs"] as readonly { readonly document: Record<string, unknown> }[];
    expect(validateOcp(rows[0]?.document).findings).toEqual([]);
    for (const { document } of rows) {
      expect(document["run"]).toMatchObject({
        slate: { id: ran?.slate, members: ran?.runs.map(({ run }) => run), isolated: true },
        configuration: { source: "exploration" },
        preferences: [{ winner: ran?.preferred, judge: { blinded: true } }],
      });
    }
    const tasks = new Set(rows.map(({ document }) => (document["run"] as { task: { id: string } }).task.id));
    expect(tasks.size).toBe(1);
  });

  test("shows the judge, here a configured one, neither the arms nor their order", async () => {
    const { opened, arms } = await ready([writes("right\n")], [writes("right, too\n")]);
    lab = opened;
    const judge = lab.nodeAgent(
      `import { readFileSync, writeFileSync } from "node:fs";
       writeFileSync(${JSON.stringify(join(lab.outside, "seen"))}, process.argv.slice(2).join("\\n") + readFileSync(0, "utf8"));
       console.log(${JSON.stringify(pick("B"))});`,
    );
    await lab.play(["config", "set", "referee.model", `${judge} {prompt}`]);
    const done = await lab.play(["experiment", "run", GOAL, ...CHECK, ...arms]);
    const [ran] = done.json()["ran"] as readonly Ran[];
    expect(ran?.runs.map(({ run }) => run)).toContain(ran?.preferred);
    const seen = readFileSync(join(lab.outside, "seen"), "utf8");
    expect(seen).toContain("right, too");
    expect(seen).not.toMatch(/opus|luna|claude|codex|cfg_|experiment\/|base|first arm/i);
  });

  test("goes on with the arm that a pair lacks, then with further pairs, and counts what the judge costs", async () => {
    const judges: AgentStep = { ...says(pick("A")), when: { promptContains: "Two candidates" } };
    const { opened, arms } = await ready([writes("right\n"), judges], [writes("right\n")]);
    lab = opened;
    const words = ["experiment", "run", GOAL, ...CHECK, ...arms, "--judge", "claude-code"];
    expect((await lab.play(words)).json()).toMatchObject({ problem: { code: "judge-not-independent" } });
    const plan = (await lab.play(["experiment", "start", ...arms])).json()["plan"];
    const [first, second] = plan as readonly { slate: string; first: string; second: string }[];
    const missing = join(lab.outside, "bin", first?.second === arms[1] ? "codex" : "claude");
    renameSync(missing, `${missing}.off`);
    const cut = await lab.play([...words, "--same-family"]);
    expect(cut.json()).toMatchObject({ ok: false });
    renameSync(`${missing}.off`, missing);
    const rows = await lab.run(["runs", "--slate", first?.slate ?? "", "--json"], lab.env);
    const [done, ...others] = rows.json()["runs"] as readonly { run: string; config: string }[];
    expect(others).toEqual([]);
    const on = await lab.play([...words, "--same-family", "--count", "2"]);
    const ran = on.json()["ran"] as readonly Ran[];
    expect(ran.map(({ slate }) => slate)).toEqual([first?.slate, second?.slate]);
    expect(ran[0]?.runs[0]).toMatchObject({ run: done?.run, config: first?.first });
    expect(ran.every(({ runs }) => runs.length === 2)).toBe(true);
    // The judge is asked about the pair that was cut short too: of an answer without a verdict it says so.
    for (const { slate } of ran) expect(on.stderr).toContain(`no preference for ${slate}: the judge gave`);
    expect(on.json()).toMatchObject({ pairs: 2, stopped: null });
    const last = await lab.run(["runs", ran[1]?.runs[1]?.run ?? "", "--json"], lab.env);
    expect(JSON.stringify(last.json())).toMatch(
      /"dev\.loopwright\.judge_cost":\{"usd":0\.\d+,"unknown_parts":0\}/,
    );
  });

  test("with a budget of nothing buys no pair", async () => {
    const { opened, arms } = await ready([writes("right\n")], [writes("right\n")]);
    lab = opened;
    const none = await lab.play(["experiment", "run", GOAL, ...CHECK, ...arms, "--budget", "0"]);
    expect(none.json()).toMatchObject({ ran: [], stopped: "budget" });
  });
});
