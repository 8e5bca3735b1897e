import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Finished, Lab } from "../../lab.ts";

export interface Work {
  readonly check: string | readonly string[];
  /** What the agent does, as a shell script in the working folder. */
  readonly agent: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `go` with an agent that is a shell script. */
export function goWith(lab: Lab, work: Work): Promise<Finished> {
  const checks = typeof work.check === "string" ? [work.check] : work.check;
  return lab.run(
    [
      "go",
      "do the work",
      ...checks.flatMap((check) => ["--check", check]),
      "--provider",
      lab.agent(work.agent),
      "--max-iterations",
      "2",
      "--json",
      ...(work.flags ?? []),
    ],
    work.env,
  );
}

/** The answer of a `go` that reached its goal at the first try; fails with everything that was said otherwise. */
export async function satisfied(lab: Lab, work: Work): Promise<Record<string, unknown>> {
  const done = await goWith(lab, work);
  if (done.exit !== 0) expect.fail(`exit ${done.exit}\n${done.stdout}\n${done.stderr}`);
  const answer = done.json();
  expect(answer).toMatchObject({ ok: true, satisfied: true, outcome: "succeeded", iteration: 1 });
  return answer;
}

/** What the gate's last evaluation of the newest session rests on, one record a check. */
export async function evidence(lab: Lab): Promise<readonly Record<string, unknown>[]> {
  const printed = await lab.run(["events", "--json"]);
  const events = printed.stdout
    .trim()
    .split("\n")
    .map(
      (line) => JSON.parse(line) as { type: string; data: { result?: { checks: { evidence: never }[] } } },
    );
  const last = events.findLast((event) => event.type === "gate:evaluated");
  return last?.data.result?.checks.map((check) => check.evidence) ?? [];
}

export function textOf(lab: Lab, path: string): string {
  return readFileSync(join(lab.repo.dir, path), "utf8");
}
