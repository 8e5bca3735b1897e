import { expect, test } from "vitest";
import { type Loop, parseLoop } from "../formats/loop/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { MINIMAL_LOOP } from "../testing/minimal-loop.ts";
import { aSpec, Story } from "../testing/session-story.ts";
import { changeOf, skillsAfter } from "./explore-skills.ts";
import { loopProposals } from "./loop-proposals.ts";
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

/** A store with one session of the loop that ended like this. */
async function contextAfter(why: "no-progress" | "goal-satisfied"): Promise<CommandContext> {
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const { store } = memoryStore(clock);
  const story = Story.running({ ...aSpec(), kind: "loop", title: "tidy" });
  story.add({ type: "session:stopped", data: { reason: { why } } });
  const projection = JSON.parse(JSON.stringify(story.state));
  const lease = {
    owner: "o",
    expiresAt: "2026-01-01T00:00:00.000Z",
    holder: { pid: 1, host: "h", bootId: "b", startTicks: "1", since: "2026-01-01T00:00:00.000Z" },
  };
  await store.createSession(
    "ses_1" as never,
    "/top",
    [],
    { title: "tidy", state: "closed", projection },
    lease,
  );
  return {
    now: () => 0,
    readStore: async () => ({ ok: true, value: store }),
    topLevel: async () => ({ ok: true, value: "/top" }),
  } as unknown as CommandContext;
}

test("candidates that nobody tries are named once a run has failed, and no run is spent on them", async () => {
  const loop = await aLoop("{explore_candidates: [pdf]}");
  const kinds = async (one: Loop, why: "no-progress" | "goal-satisfied") => {
    const found = await loopProposals(await contextAfter(why), one, "text");
    return found.ok ? found.value.proposals.map(({ kind, subject }) => `${kind} ${subject}`) : found.problem;
  };
  expect(await kinds(loop, "no-progress")).toEqual(["try_skill pdf"]);
  expect(await kinds(loop, "goal-satisfied")).toEqual([]);
  expect(await kinds(await aLoop("{explore: true, explore_candidates: [pdf]}"), "no-progress")).toEqual([]);
});
