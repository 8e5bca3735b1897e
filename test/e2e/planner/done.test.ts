import { afterEach, expect, test } from "vitest";
import { type Lab, openLab } from "../../lab.ts";
import { clearWinner, importRuns } from "./history.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const ASK = ["recommend", "--type", "bug_fix", "--repo", "acme/api", "--title", "Fix the parser crash"];

/** Rows that a text takes on a terminal of this width. */
function rowsOf(text: string, columns: number): number {
  return text
    .trimEnd()
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

function commandsIn(text: string): number {
  return text.match(/^ {2}loopwright go /gm)?.length ?? 0;
}

test("recommend answers from the prior alone, and moves to the clear winner of thirty runs and says why", async () => {
  lab = openLab({ "a.txt": "a\n" });
  const before = await lab.run(ASK, { COLUMNS: "80" });
  expect(before.exit).toBe(0);
  expect(before.stdout).toContain("not enough data for a chance");
  expect(before.stdout).toContain("from 0 runs of yours");
  expect(before.stdout.trimEnd()).toMatch(/\nrec rec_[0-9A-Z]{26}$/);
  await importRuns(lab, clearWinner("acme/api"));
  const after = await lab.run(ASK, { COLUMNS: "80" });
  expect(after.stdout).toMatch(/^implement_check · claude-opus-5-5/);
  expect(after.stdout).toMatch(
    /\nwhy {2}typically saves \$[\d.]+ a run against implement_check ·\s+gpt-6-luna/,
  );
  expect(commandsIn(after.stdout)).toBe(1);
  for (const { stdout } of [before, after]) {
    expect(rowsOf(stdout, 80)).toBeLessThanOrEqual(24);
    expect(rowsOf(stdout, 140)).toBeLessThanOrEqual(24);
  }
  const again = await lab.run([...ASK, "--json"]);
  expect(again.json()).toMatchObject({ reason: "saves-more-than-noise", fit: { runs: 30 } });
  const brief = await lab.run([...ASK, "--json", "--brief"]);
  expect(brief.stdout.length).toBeLessThan(10_000);
});
