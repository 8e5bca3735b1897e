import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { chanceFrom, oneOf } from "./chance.ts";
import { openScene, undisturbed } from "./crash.ts";
import { type Disturbed, disturb } from "./disturb.ts";
import { KILLS, SEED } from "./how-many.ts";
import { inParallel } from "./parallel.ts";
import type { Found, Projection } from "./projection.ts";
import { goScene, graphScene, type Pace, type Scene } from "./scenes.ts";

const KINDS: readonly [(pace: Pace) => Scene, ...((pace: Pace) => Scene)[]] = [
  (pace) => goScene("in place", ["--level", "in-place"], pace),
  (pace) => goScene("clean", [], pace),
  (pace) => goScene("worktree", ["--worktree"], pace),
  (pace) => goScene("commit", ["--level", "in-place", "--commit"], pace),
  (pace) => graphScene("graph", pace),
];
/** Short ones end before anybody looks, long ones are met alive. */
const PACES: readonly [number, ...number[]] = [40, 1000, 3000];

/** An agent that is killed has failed: the gate judges what it left, and the way to the end is another. */
function endOf({ lifecycle, outcome, satisfiedTree, files, git, delivered, verdicts }: Projection): unknown {
  const last = verdicts.at(-1)?.slice(1);
  return { lifecycle, outcome, satisfiedTree, files, git, delivered, last };
}

test(`${KILLS} kills at random moments change nothing in what sessions come to`, async () => {
  const chance = chanceFrom(SEED);
  const calms = new Map<(typeof KINDS)[number], Promise<Found>>();
  const calmOf = (kind: (typeof KINDS)[number]): Promise<Found> => {
    const calm = calms.get(kind) ?? undisturbed(kind({ attemptMs: 40 }));
    calms.set(kind, calm);
    return calm;
  };
  const total = { kills: 0, agents: 0, resumes: 0, drained: 0, lost: 0, reaped: 0, sessions: 0 };
  const one = async (index: number): Promise<void> => {
    if (total.kills >= KILLS) return;
    const attemptMs = oneOf(chance, PACES);
    const kind = oneOf(chance, KINDS);
    const calm = await calmOf(kind);
    const scene = kind({ attemptMs });
    const lab = openScene(scene);
    try {
      const found = await disturb(lab, scene, { chance: chanceFrom(SEED + index), mostKills: 3, attemptMs });
      expectSame(`seed ${SEED} session ${index} (${scene.name}): ${found.what.join(", ")}`, found, calm);
      addTo(total, found);
    } finally {
      lab.dispose();
    }
  };
  // Most of the time goes by in agents that sleep.
  await inParallel([...Array(KILLS * 3).keys()], one, 2 * availableParallelism() + 1);
  process.stdout.write(
    `${total.kills} kills (${total.agents} of agents alone) in ${total.sessions} sessions, ${total.resumes} resumes: ` +
      `${total.drained} attempts drained, ${total.lost} lost and done again, ${total.reaped} processes reaped\n`,
  );
  expect(total.kills).toBeGreaterThanOrEqual(KILLS);
});

function expectSame(what: string, found: Disturbed, calm: Found): void {
  const said = found.faults.length === 0 ? "" : `${found.last.exit} ${found.last.stdout}${found.last.stderr}`;
  expect.soft({ what, faults: found.faults, said }).toEqual({ what, faults: [], said: "" });
  if (found.agentKills === 0) expect.soft(found.projection, what).toEqual(calm.projection);
  else expect.soft(endOf(found.projection), what).toEqual(endOf(calm.projection));
}

function addTo(
  total: {
    kills: number;
    agents: number;
    resumes: number;
    drained: number;
    lost: number;
    reaped: number;
    sessions: number;
  },
  found: Disturbed,
): void {
  total.kills += found.kills;
  total.agents += found.agentKills;
  total.resumes += found.resumes;
  total.drained += found.recovered.drained;
  total.lost += found.recovered.lost;
  total.reaped += found.recovered.reaped;
  total.sessions += 1;
}
