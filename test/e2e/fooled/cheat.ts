import { describe, expect, test } from "vitest";
import { openStore } from "../../../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../../../src/adapters/system/clock.ts";
import { must } from "../../../src/core/result.ts";
import type { GateLevel } from "../../../src/ports/check-rooms.ts";
import { type DatedEvent, fromStored } from "../../../src/run/events.ts";
import type { InlineFiles } from "../../../src/testing/inline-repo.ts";
import { type Finished, type Lab, openLab } from "../../lab.ts";

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
 * shows already that it is accepted in this project.
 */
export function refuses(
  title: string,
  project: Project,
  cheats: readonly Cheat[],
  honest: "honest too" | "honest elsewhere" = "honest too",
): void {
  const levels = ALL_LEVELS.filter((level) => cheats.some((cheat) => cheat.levels.includes(level)));
  describe.concurrent(title, () => {
    test.each(honest === "honest too" ? levels : [])(
      "an agent that does the work is accepted at level %s",
      async (level) => {
        await withLab(project, async (lab) => {
          const done = await attempt(lab, project, level, project.honest);
          expect(done).toMatchObject({ exit: 0 });
          expect(done.json()).toMatchObject({ satisfied: true, level });
        });
      },
    );
    const cases = cheats.flatMap((cheat) => cheat.levels.map((level) => ({ ...cheat, level })));
    test.each(cases)("an agent that $name is refused at level $level", async (cheat) => {
      await withLab(project, async (lab) => {
        const script = typeof cheat.agent === "string" ? cheat.agent : cheat.agent(lab);
        const done = await attempt(lab, project, cheat.level, script, cheat.flags);
        expect(cheat.exits ?? REFUSALS, done.stdout + done.stderr).toContain(done.exit);
        if (done.exit !== 12) expect(done.json()).toMatchObject({ satisfied: false, level: cheat.level });
        await expectRefusal(lab, cheat.level);
        await cheat.afterwards?.(lab, done);
      });
    });
  });
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

/** One session with one try. */
function attempt(
  lab: Lab,
  project: Project,
  level: GateLevel,
  script: string,
  flags: readonly string[] = [],
): Promise<Finished> {
  const words = [
    ...["go", "make the check pass", "--check", project.check, "--level", level],
    ...["--provider", lab.agent(script), "--max-iterations", "1", "--json", ...flags],
  ];
  return lab.run(words, project.env?.(lab));
}

/** The ledger holds no satisfied goal, the agent has run, and each verdict says at which level it was judged. */
async function expectRefusal(lab: Lab, level: GateLevel): Promise<void> {
  const events = await ledgerOf(lab);
  expect(events.map((event) => event.type)).toContain("attempt:ended");
  expect(events.map((event) => event.type)).not.toContain("goal:satisfied");
  for (const event of events) {
    if (event.type !== "gate:evaluated") continue;
    const { result } = event.data;
    expect(result).toMatchObject({ satisfied: false, level });
    for (const check of result.checks) {
      if (check.evidence !== undefined) expect(check.evidence.level).toBe(level);
    }
  }
}

/** The events of the lab's first session, read past the program. */
export async function ledgerOf(lab: Lab): Promise<readonly DatedEvent[]> {
  const { store } = must(await openStore(lab.home, systemClock, { readOnly: true }));
  try {
    const [session] = must(await store.sessions({}));
    if (session === undefined) throw new Error("no session was recorded");
    return must(await store.events(session.session, 0)).map((event) => must(fromStored(event)));
  } finally {
    await store.close();
  }
}
