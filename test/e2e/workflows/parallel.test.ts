import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import { ASTRA, OPUS, openWorkflowLab, PASS, pick, says, type WorkflowLab } from "./workflow-lab.ts";

let lab: WorkflowLab | undefined;
afterEach(() => lab?.dispose());

const write = (path: string, text: string) => ({ kind: "write", path, text }) as const;

/** Reads the candidates as the selector is shown them and picks the one whose patch adds this line. */
const PICKS_SHORT = `
let task = "";
for await (const chunk of process.stdin) task += chunk;
const parts = task.split(/^Candidate (?=[A-Z],)/m).slice(1);
const found = parts.find((part) => part.includes("+right and short"));
console.log(JSON.stringify({ pick: found[0], evidence: [{ where: found[0], what: "right and short" }] }));
`;

describe("best_of_n", () => {
  const GO = [
    "go",
    "write the right answer",
    "--check",
    "grep -q right answer.txt",
    "--workflow",
    "best_of_n",
  ];
  const candidates = ["right but long\n", "right and short\n", "right and odd\n"].map((text) => ({
    do: [write("answer.txt", text)],
    claim: "mine is best",
  }));

  test("what the selector picked is in the folder, the others stay out of it, and the record is valid", async () => {
    lab = openWorkflowLab({ builder: candidates, judge: [] });
    const select = `select=${lab.nodeAgent(PICKS_SHORT)}`;
    const done = await lab.play([...GO, "--set", `implement=${OPUS}`, "--set", select]);
    expect(done.exit).toBe(0);
    expect(done.json()).toMatchObject({ satisfied: true, iteration: 1, attempts: 4 });
    expect(readFileSync(join(lab.repo.dir, "answer.txt"), "utf8")).toBe("right and short\n");
    expect(lab.repo.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
    const document = await lab.document();
    expect(validateOcp(document).findings).toEqual([]);
    const trees = document.artifacts?.filter(({ vertex }) => vertex === "candidates");
    expect(new Set(trees?.map(({ path }) => path)).size).toBe(3);
  });

  test("has the catalogue's id, whichever candidate is picked", async () => {
    lab = openWorkflowLab({ builder: candidates, judge: [says(pick("B"))] });
    const done = await lab.play([...GO, "--set", `implement=${OPUS}`, "--set", `select=${ASTRA}`]);
    expect(done.exit).toBe(0);
    const document = await lab.document();
    expect(document.run.configuration?.id).toBe("cfg_5f0a744e4954");
    expect(document.run.signals?.find(({ name }) => name === "referee")).toMatchObject({
      value: "accept",
      tier: "reported",
    });
  });

  test("a pick of nothing that was offered ends the run unsatisfied, with nothing merged", async () => {
    lab = openWorkflowLab({ builder: candidates, judge: [says(pick("Z"))] });
    const done = await lab.play([...GO, "--set", `implement=${OPUS}`, "--set", `select=${ASTRA}`]);
    expect(done.exit).toBe(10);
    expect(done.json()["notices"]).toEqual(["g_select: no verdict, its pick is none of A, B, C"]);
    expect(done.json()).toMatchObject({ satisfied: false, changed: [] });
    expect(validateOcp(await lab.document()).findings).toEqual([]);
  });

  test("where candidates cannot be kept apart it is refused before anything is spent", async () => {
    const sets = ["--set", `implement=${OPUS}`, "--set", `select=${ASTRA}`];
    lab = openWorkflowLab({ builder: candidates, judge: [] });
    const inWorktree = await lab.play([...GO, "--worktree", ...sets]);
    expect(inWorktree.json()).toMatchObject({ problem: { code: "not-supported-yet" } });
    lab.dispose();
    lab = openWorkflowLab({ builder: candidates, judge: [] }, { noGit: true });
    expect((await lab.play([...GO, ...sets])).json()).toMatchObject({
      problem: { code: "not-a-repository" },
    });
  });
});

describe("swarm", () => {
  test("workers get the plan and their share of it, and what all of them did is merged and reviewed", async () => {
    lab = openWorkflowLab({
      builder: [
        { when: { promptContains: "Make a plan for this task" }, do: [], claim: "THE-PLAN in three parts" },
        ...[1, 2, 3].map((part) => ({
          when: { promptContains: `You are worker ${part} of 3` },
          do: [write(`part-${part}.txt`, "done\n")],
          claim: "my part is done",
        })),
      ],
      judge: [says(PASS)],
    });
    const sets = ["plan", "work"].flatMap((piece) => ["--set", `${piece}=${OPUS}`]);
    const check = "cat part-1.txt part-2.txt part-3.txt";
    const done = await lab.play([
      "go",
      "do all",
      "--check",
      check,
      "--workflow",
      "swarm",
      ...sets,
      "--set",
      `review=${ASTRA}`,
    ]);
    expect(done.exit).toBe(0);
    expect(done.json()).toMatchObject({ satisfied: true, attempts: 5 });
    const document = await lab.document();
    expect(validateOcp(document).findings).toEqual([]);
    expect(document.run.configuration?.id).toBe("cfg_d862c54e12cd");
  });
});
