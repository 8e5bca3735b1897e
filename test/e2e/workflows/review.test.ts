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
});
