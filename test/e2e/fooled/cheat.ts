import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GateLevel } from "../../../src/ports/check-rooms.ts";
import type { DatedEvent } from "../../../src/run/events.ts";
import type { InlineFiles } from "../../../src/testing/inline-repo.ts";
import type { GateResult } from "../../../src/verify/types.ts";
import { type Finished, type Lab, openLab } from "../../lab.ts";
import { ledgerOf } from "../../ledger-of.ts";

/** What an agent is let loose on. The check is red at the start. */
export interface Project {
  readonly files: InlineFiles;
  readonly check: string;
  /** Shell script of an agent that does what was asked. */
  readonly honest: string;
  /** Further steps before the session starts. */
  readonly prepare?: (lab: Lab) => void;
  /** Environment of the program. */
  readonly env?: (lab: Lab) => Readonly<Record<string, string>>;
}

/** A way to make the check pass without doing the work. */
export interface Cheat {
  /** Completes "an agent that ... is refused". */
  readonly name: string;
  /** Shell script of the agent; runs in the project's folder. */
  readonly agent: string | ((lab: Lab) => string);
  /** It ends its session, or changes more than the project's folder. */
  readonly alone?: boolean;
  /** The levels that promise to resist. */
  readonly levels: readonly GateLevel[];
  /** Besides "no" (10) and "blocked" (12), where a person has to be asked (11). */
  readonly exits?: readonly number[];
  readonly flags?: readonly string[];
  readonly afterwards?: (lab: Lab, done: Finished) => void | Promise<void>;
}

export const CHECKOUTS: readonly GateLevel[] = ["clean", "snapshot"];
export const ALL_LEVELS: readonly GateLevel[] = [...CHECKOUTS, "in-place"];
const REFUSALS = [10, 12];

/**
 * Each cheat at each level that promises to resist it, and the honest agent at the same levels, unless another file
 * shows already that it is accepted in this project. What needs no session of its own is tried in one session, each
 * try on the project as it was at the start, and the honest work comes last.
 */
export function refuses(
  title: string,
  project: Project,
  cheats: readonly Cheat[],
  honest: "honest too" | "honest elsewhere" = "honest too",
): void {
  describe.concurrent(title, () => {
    for (const level of ALL_LEVELS) {
      const tried = cheats.filter((cheat) => cheat.levels.includes(level));
      if (tried.length === 0) continue;
      const inTurn = tried.filter((cheat) => !needsItsOwn(cheat));
      if (inTurn.length > 0)
        test(`at level ${level} ${inTurn.length} agents in turn are refused, and the work after them is accepted`, () =>
          withLab(project, (lab) => expectInTurn(lab, project, level, inTurn)));
      else if (honest === "honest too")
        test(`an agent that does the work is accepted at level ${level}`, () =>
          withLab(project, async (lab) => {
            const done = await attempt(lab, project, level, project.honest);
            expect(done).toMatchObject({ exit: 0 });
            expect(done.json()).toMatchObject({ satisfied: true, level });
          }));
      test.each(tried.filter(needsItsOwn))(`an agent that $name is refused at level ${level}`, (cheat) =>
        withLab(project, (lab) => expectAlone(lab, project, level, cheat)),
      );
    }
  });
}

/** What ends its session or leaves something outside the project's folder. */
function needsItsOwn(cheat: Cheat): boolean {
  return (
    cheat.alone === true ||
    cheat.exits !== undefined ||
    cheat.flags !== undefined ||
    cheat.afterwards !== undefined
  );
}

async function expectAlone(lab: Lab, project: Project, level: GateLevel, cheat: Cheat): Promise<void> {
  const done = await attempt(lab, project, level, scriptOf(lab, cheat), cheat.flags);
  expect(cheat.exits ?? REFUSALS, done.stdout + done.stderr).toContain(done.exit);
  if (done.exit !== 12) expect(done.json()).toMatchObject({ satisfied: false, level });
  await expectRefusal(lab, level);
  await cheat.afterwards?.(lab, done);
}

async function expectInTurn(
  lab: Lab,
  project: Project,
  level: GateLevel,
  cheats: readonly Cheat[],
): Promise<void> {
  cpSync(lab.repo.dir, join(lab.outside, "pristine"), { recursive: true, verbatimSymlinks: true });
  const scripts = [...cheats.map((cheat) => scriptOf(lab, cheat)), project.honest];
  const done = await attempt(lab, project, level, oneByOne(lab, scripts), [], scripts.length);
  const verdicts = verdictsIn(await ledgerOf(lab));
  const found = verdicts.map(({ satisfied }, index) => ({
    tried: cheats[index]?.name ?? "the work",
    satisfied,
  }));
  const wanted = [
    ...cheats.map(({ name }) => ({ tried: name, satisfied: false })),
    { tried: "the work", satisfied: true },
  ];
  expect(found, done.stdout + done.stderr).toEqual(wanted);
  expect(done).toMatchObject({ exit: 0 });
  for (const verdict of verdicts) expectJudgedAt(level, verdict);
}

function scriptOf(lab: Lab, { agent }: Cheat): string {
  return typeof agent === "string" ? agent : agent(lab);
}

/** An agent that makes the project what it was and does the next deed, each in a shell of its own. */
function oneByOne(lab: Lab, scripts: readonly string[]): string {
  scripts.forEach((script, index) => {
    writeFileSync(join(lab.outside, `deed-${index}`), script);
  });
  return `
    count=$(cat '${lab.outside}/count' 2> /dev/null || echo 0)
    echo $((count + 1)) > '${lab.outside}/count'
    find . -mindepth 1 -delete
    cp -a '${lab.outside}/pristine/.' .
    mkdir -p src
    echo "$count" > src/try.txt # Agents that leave the same behind again and again are stopped.
    exec /bin/sh "${lab.outside}/deed-$count"`;
}

async function withLab(project: Project, use: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = openLab(project.files);
  try {
    project.prepare?.(lab);
    await use(lab);
  } finally {
    lab.dispose();
  }
}

/** One session with as many tries as it has iterations. */
function attempt(
  lab: Lab,
  project: Project,
  level: GateLevel,
  script: string,
  flags: readonly string[] = [],
  iterations = 1,
): Promise<Finished> {
  const words = [
    ...["go", "make the check pass", "--check", project.check, "--level", level],
    ...["--provider", lab.agent(script), "--max-iterations", String(iterations), "--json", ...flags],
  ];
  return lab.run(words, project.env?.(lab));
}

/** The ledger holds no satisfied goal, the agent has run, and each verdict says at which level it was judged. */
async function expectRefusal(lab: Lab, level: GateLevel): Promise<void> {
  const events = await ledgerOf(lab);
  expect(events.map((event) => event.type)).toContain("attempt:ended");
  expect(events.map((event) => event.type)).not.toContain("goal:satisfied");
  for (const result of verdictsIn(events)) {
    expect(result).toMatchObject({ satisfied: false });
    expectJudgedAt(level, result);
  }
}

function verdictsIn(events: readonly DatedEvent[]): readonly GateResult[] {
  return events.flatMap((event) => (event.type === "gate:evaluated" ? [event.data.result] : []));
}

function expectJudgedAt(level: GateLevel, result: GateResult): void {
  expect(result.level).toBe(level);
  for (const { evidence } of result.checks) if (evidence !== undefined) expect(evidence.level).toBe(level);
}
