// What it takes to plan a loop of many pieces: the plan itself, cold and warm, and reading the file before it; and to
// schedule one: to decide what is next, and to fold what has happened, over a whole run of agents that take no time.
// npm run bench -- loop-plan      BENCH_PIECES=1000

import { bundled, load, machine, median, report, unload } from "./lib.mjs";

const PIECES = Number(process.env.BENCH_PIECES ?? 1000);
const ROUNDS = 15;
const TARGET_MS = 100;
const TARGET_PIECE_MS = 5;
const TARGET_LOOK_MS = 50;
const AT_ONCE = 50;

// The reader loads its parser lazily, which a bundle that is gone by then could not.
const { parseLoop, predictedOverlaps, sharedWriters } = await load("src/formats/loop/index.ts");
const { planGraph } = await bundled(["src/graph/index.ts"]);
const { agentPiece, aSpec, decide, gatePiece, Story } = await bundled([
  "src/testing/session-story.ts",
  "src/run/decide.ts",
]);

/** The same graph every time: each piece reads up to three of the forty before it. */
function loopOf(count) {
  let state = 12345;
  const next = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  const nodes = Array.from({ length: count }, (_, index) => {
    const inputs = new Set();
    for (let n = next(4); n > 0 && index > 0; n -= 1) inputs.add(`p${Math.max(0, index - 1 - next(40))}`);
    return {
      id: `p${index}`,
      role: "builder",
      instruction: `Write out/part-${next(count)}.md about this piece.`,
      depends_on: [...inputs],
      goals: ["green"],
      weight: 1 + next(9),
      isolation: { mode: "worktree" },
    };
  });
  return JSON.stringify({
    name: "many",
    intent: { goals: [{ name: "green", description: "Every part is written." }] },
    execution: { graph: { nodes } },
  });
}

function merged(attempt, tree) {
  const data = { attempt, base: tree, found: tree, paths: [], conflicts: [], problem: null, root: tree };
  return { type: "work:integrated", data };
}

/** All pieces of the plan, `AT_ONCE` at a time, each done as soon as it has begun. The longest look is what a person waits. */
function schedule(pieces) {
  const agents = pieces.map(({ id, dependsOn }) => agentPiece(id, { dependsOn, isolation: "worktree" }));
  const ids = agents.map(({ id }) => id);
  const story = Story.running(aSpec([...agents, gatePiece(ids)], { concurrency: AT_ONCE }));
  let longest = 0;
  for (;;) {
    const looked = time(() => decide(story.state, story.nowMs));
    longest = Math.max(longest, looked.ms);
    if (looked.result.action !== "dispatch" || looked.result.pieces[0] === "gate") break;
    const attempts = looked.result.pieces.map((id) => story.dispatch(id));
    for (const attempt of attempts)
      story.spawn(attempt).end(attempt).add(merged(attempt, story.state.currentTree));
  }
  return longest;
}

/** Processor time in ms, so that what else the machine does counts less. */
function time(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

function timed(work) {
  const all = Array.from({ length: ROUNDS }, () => time(work).ms);
  return { first: all[0], median: median(all) };
}

machine();
const text = loopOf(PIECES);
const started = process.cpuUsage();
const { loop } = await parseLoop(text, "loop.json");
const read = process.cpuUsage(started);
report(`read and check a file of ${PIECES} pieces, once`, (read.user + read.system) / 1000, "ms");
const plan = timed(() => planGraph(loop.pieces, loop.concurrency));
report(`plan ${PIECES} pieces, first time`, plan.first, "ms", TARGET_MS);
report(`plan ${PIECES} pieces, median of ${ROUNDS}`, plan.median, "ms", TARGET_MS);
const writers = timed(() => [sharedWriters(loop), predictedOverlaps(loop)]);
report("who may write the same file", writers.median, "ms");
const whole = time(() => schedule(loop.pieces));
report(`schedule a piece of ${PIECES}, ${AT_ONCE} at a time`, whole.ms / PIECES, "ms", TARGET_PIECE_MS);
report("longest look for what is next", whole.result, "ms", TARGET_LOOK_MS);
await unload();
