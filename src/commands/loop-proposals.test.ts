import { expect, test } from "vitest";
import { makeId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import { type Loop, parseLoop } from "../formats/loop/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { MINIMAL_LOOP } from "../testing/minimal-loop.ts";
import { aSpec, Story } from "../testing/session-story.ts";
import { nextTrial, type TrialPlan } from "../verify/experiments/loop-trials.ts";
import { changeOf, skillsAfter } from "./explore-skills.ts";
import { loopProposals, type Proposal } from "./loop-proposals.ts";
import type { CommandContext } from "./types.ts";

async function aLoop(skills: string, ofBuild = ""): Promise<Loop> {
  const text = MINIMAL_LOOP.replace("      - id: build", `      - id: build${ofBuild}`).replace(
    "execution:\n",
    `execution:\n  skills: ${skills}\n`,
  );
  const { loop } = await parseLoop(text, "loop.yaml");
  if (loop === undefined) throw new Error("the loop cannot be read");
  return loop;
}

test("a skill that a piece has is tried by leaving it out", async () => {
  const loop = await aLoop("{}", "\n        skills: [pdf, mail]");
  expect(changeOf(loop, "pdf")).toBe("drop pdf");
  expect([...skillsAfter(loop, "drop pdf")]).toEqual([["build", ["mail"]]]);
  expect(changeOf(loop, "new")).toBe("use new");
  expect([...skillsAfter(loop, "use new")]).toEqual([["build", ["pdf", "mail", "new"]]]);
});

/** A store with sessions of the loop that ended like these, the later ones last. */
async function storeWith(
  sessions: readonly { readonly why: "no-progress" | "goal-satisfied"; readonly trial?: TrialPlan }[],
): Promise<CommandContext> {
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const { store } = memoryStore(clock);
  const at = "2026-01-01T00:00:00.000Z";
  const holder = { pid: 1, host: "h", bootId: "b", startTicks: "1", since: at };
  for (const [n, { why, trial }] of sessions.entries()) {
    const story = Story.running({ ...aSpec(), kind: "loop", title: "tidy" });
    story.add({ type: "session:stopped", data: { reason: { why } } });
    const session = makeId("session", n, new Uint8Array(10));
    const summary = { title: "tidy", state: "closed", projection: JSON.parse(JSON.stringify(story.state)) };
    await store.createSession(session, "/top", [], summary, { owner: "o", expiresAt: at, holder });
    if (trial === undefined) continue;
    const { change: key, pair, arm } = trial;
    const of = { topLevel: "/top", loop: "tidy", kind: "trial", key, part: session } as const;
    await store.changeLoopRecords({ put: [{ ...of, at: instant(n), document: { pair, arm } }] });
  }
  return {
    now: () => 0,
    readStore: async () => ({ ok: true, value: store }),
    topLevel: async () => ({ ok: true, value: "/top" }),
  } as unknown as CommandContext;
}

async function proposed(context: CommandContext, loop: Loop): Promise<readonly Proposal[]> {
  const found = await loopProposals(context, loop, "text");
  if (!found.ok) throw new Error(found.problem.message);
  return found.value.proposals;
}

test("useless configured ones are proposed for removal, once pairs of runs without them do better", async () => {
  const loop = await aLoop("{explore: true, explore_candidates: [pdf]}", "\n        skills: [pdf, mail]");
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, n) => [
      { why: "no-progress", trial: { change: "drop pdf", pair: n + 1, arm: "without" } } as const,
      { why: "goal-satisfied", trial: { change: "drop pdf", pair: n + 1, arm: "with" } } as const,
    ]).flat();
  expect(await proposed(await storeWith(pairs(3)), loop)).toEqual([]);
  expect(await proposed(await storeWith(pairs(8)), loop)).toMatchObject([
    {
      kind: "drop_skill",
      patch: { path: "execution.graph.nodes[build].skills", value: ["mail"] },
      standing: { wins: 8, losses: 0 },
      regression: { is: "no-baseline" },
    },
  ]);
});

test("configured skills are not re-adopted", async () => {
  const loop = await aLoop("{explore: true, explore_candidates: [pdf]}", "\n        skills: [pdf]");
  expect(nextTrial([changeOf(loop, "pdf")], [], 3)?.change).toBe("drop pdf");
});

test("candidates that nobody tries are named once a run has failed, and no run is spent on them", async () => {
  const loop = await aLoop("{explore_candidates: [pdf]}");
  const kinds = async (one: Loop, why: "no-progress" | "goal-satisfied") =>
    (await proposed(await storeWith([{ why }]), one)).map(({ kind, subject }) => `${kind} ${subject}`);
  expect(await kinds(loop, "no-progress")).toEqual(["try_skill pdf"]);
  expect(await kinds(loop, "goal-satisfied")).toEqual([]);
  expect(await kinds(await aLoop("{explore: true, explore_candidates: [pdf]}"), "no-progress")).toEqual([]);
});
