import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import { ASTRA, FAIL, OPUS, openWorkflowLab, PASS, says, type WorkflowLab } from "./workflow-lab.ts";

let lab: WorkflowLab | undefined;
afterEach(() => lab?.dispose());

const write = (text: string) => ({ kind: "write", path: "answer.txt", text }) as const;
const GO = ["go", "write the right answer", "--check", "grep -q right answer.txt"];
const REVIEWED = ["--workflow", "implement_review", "--set", `implement=${OPUS}`, "--set", `review=${ASTRA}`];

describe("implement_review", () => {
  test("work that was sent back is mended, accepted by reviewer and gate, and recorded under the catalogue's id", async () => {
    lab = openWorkflowLab({
      builder: [
        { do: [write("wrong\n")], claim: "done" },
        { do: [write("right\n")], claim: "done" },
        {
          when: { promptContains: "the answer needs a reason after it" },
          do: [write("right, because\n")],
          claim: "done",
        },
      ],
      judge: [says(FAIL), says(PASS)],
    });
    const done = await lab.play([...GO, ...REVIEWED]);
    expect(done.stderr).toContain("sent back");
    expect(done.exit).toBe(0);
    expect(done.json()).toMatchObject({ satisfied: true, iteration: 3, attempts: 5 });
    expect(readFileSync(join(lab.repo.dir, "answer.txt"), "utf8")).toBe("right, because\n");
    const document = await lab.document();
    expect(validateOcp(document).findings).toEqual([]);
    expect(document.run.configuration?.id).toBe("cfg_fa32a4be9469");
    expect(document.attempts?.map(({ id, cause }) => `${id} ${cause?.type}`)).toEqual([
      "implement.a1 initial",
      "check.a1 followup",
      "implement.a2 gate_failed",
      "check.a2 followup",
      "review.a1 initial",
      "implement.a3 sent_back",
      "check.a3 followup",
      "review.a2 sent_back",
    ]);
  });

  test("a pass without evidence is no pass, and saying so over and over ends the run unsatisfied", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("right\n")], claim: "done" }],
      judge: [says('{"verdict": "pass", "evidence": []}')],
    });
    const done = await lab.play([...GO, ...REVIEWED]);
    expect(done.exit).toBe(10);
    expect(done.stderr).toContain("it says pass without evidence");
    expect(done.json()).toMatchObject({ satisfied: false, iteration: 3, attempts: 4 });
    expect(validateOcp(await lab.document()).findings).toEqual([]);
  });

  test("a reviewer that says pass does not get past checks that fail", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("wrong\n")], claim: "done" }],
      judge: [says(PASS)],
    });
    const done = await lab.play([...GO, ...REVIEWED]);
    expect(done.exit).toBe(10);
    expect(done.stderr).not.toContain("→ review");
  });

  test("a reviewer that changes the files it judges gives no verdict", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("right\n")], claim: "done" }],
      judge: [says(PASS, { do: [write("right, as I would have it\n")] }), says(PASS)],
    });
    const done = await lab.play([...GO, ...REVIEWED]);
    expect(done.stderr).toContain("the files changed while they were reviewed");
    expect(done.exit).toBe(0);
    expect(done.json()).toMatchObject({ satisfied: true, iteration: 2 });
  });

  test("a session without a round left goes on where it was once it gets more, also by its configuration id", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("right\n")], claim: "done" }],
      judge: [says(FAIL), says(PASS)],
    });
    const stopped = await lab.play([...GO, ...REVIEWED, "--max-iterations", "1"]);
    expect(stopped.exit).toBe(10);
    const resumed = await lab.play(["loop", "resume", "--max-iterations", "2"]);
    expect(resumed.json()).toMatchObject({ satisfied: true, iteration: 2 });
    const id = (await lab.document()).run.configuration?.id ?? "";
    lab.repo.remove("answer.txt");
    const again = await lab.play([...GO, "--workflow", id]);
    expect(again.json()).toMatchObject({ satisfied: true });
    expect((await lab.document()).run.configuration?.id).toBe(id);
  });

  test("a reviewer of the builder's family is refused, unless one insists", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("right\n")], claim: PASS }],
      judge: [says(PASS)],
    });
    const same = ["--workflow", "implement_review", "--set", `implement=${OPUS}`, "--set", `review=${OPUS}`];
    const refused = await lab.play([...GO, ...same]);
    expect(refused.exit).toBe(1);
    expect(refused.json()).toMatchObject({ problem: { code: "judge-not-independent" } });
    const insisted = await lab.play([...GO, ...same, "--same-family"]);
    expect(insisted.json()).toMatchObject({ satisfied: true });
  });

  test("without --set the builder is the first agent found here and the reviewer the next", async () => {
    lab = openWorkflowLab({
      builder: [{ do: [write("right\n")], claim: "done" }],
      judge: [says(PASS)],
    });
    const done = await lab.play([...GO, "--workflow", "implement_review"]);
    expect(done.exit).toBe(0);
    expect(done.stderr).toContain("implement:claude-code, review:codex");
  });
});

describe("implement_check", () => {
  test("is what go runs: the same configuration either way", async () => {
    const builder = [{ do: [write("right\n")], claim: "done" }];
    const provider = ["--provider", "claude-code"];
    const ids: (string | undefined)[] = [];
    for (const workflow of [[], ["--workflow", "implement_check"]]) {
      lab?.dispose();
      lab = openWorkflowLab({ builder, judge: [] });
      const done = await lab.play([...GO, ...provider, ...workflow]);
      expect(done.exit).toBe(0);
      const document = await lab.document();
      expect(validateOcp(document).findings).toEqual([]);
      ids.push(document.run.configuration?.id);
    }
    expect(ids[1]).toBe(ids[0]);
  });
});
