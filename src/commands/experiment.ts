import { answer, flag, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import { TYPE_FLAG } from "./session-task.ts";
import type { Command, CommandContext, CommandInput, FlagSpec } from "./types.ts";

const ARM_FLAGS: Readonly<Record<string, FlagSpec>> = {
  base: {
    kind: "text",
    brief: "Arm that is used now: a configuration, label or harness",
    placeholder: "ARM",
  },
  candidate: { kind: "text", brief: "Arm that may replace it", placeholder: "ARM" },
  rule: { kind: "text", brief: "What counts as accepted (each run's own)", placeholder: "RULE" },
  pairs: { kind: "count", brief: "Pairs at most (64)", placeholder: "N" },
  alpha: {
    kind: "choice",
    brief: "Largest chance to adopt what is no better (0.05)",
    choices: ["0.05", "0.1"],
  },
  floor: {
    kind: "text",
    brief: "Gain that it must have: 0.05 is five points of chance, or 5 % of the cost",
    placeholder: "X",
  },
  anytime: { kind: "boolean", brief: "Decide after any pair, by a boundary that holds for that" },
  lifetimeAlpha: {
    kind: "text",
    brief: "Bound the chance of any false adoption in the life of a loop, with --place",
    placeholder: "A",
  },
  place: { kind: "count", atLeast: 1, brief: "Which candidate of the loop this is (1)", placeholder: "N" },
  maxCostRatio: {
    kind: "text",
    brief: "Give the candidate up when its mean cost over the base's is above this",
    placeholder: "X",
  },
  objective: {
    kind: "choice",
    brief: "What decides (acceptance)",
    choices: ["acceptance", "cost-per-accepted"],
  },
};

const RULE = object({
  alpha: number,
  max_pairs: whole,
  min_pairs: whole,
  floor: number,
  objective: text,
  anytime: flag,
  max_cost_ratio: orNull(number),
  looks: list(whole),
});

const STANDING = {
  base: text,
  candidate: text,
  rule: RULE,
  pairs: whole,
  wins: whole,
  losses: whole,
  unpaired: list(text),
  evidence: number,
  cost_ratio: orNull(number),
  runs_without_cost: list(text),
  verdict: oneOf("adopt", "reject", "unresolved", "undecided"),
  decided_at: orNull(whole),
  better_prob: orNull(number),
  next_look: orNull(whole),
};

export const experimentStart: Command = {
  path: ["experiment", "start"],
  group: "Verify",
  brief: "Plan a paired change test: what runs first in each pair, when it decides, what it can detect",
  details:
    "The order of the arms is drawn from the names of the two configurations, so the same test has the same plan. Run both arms of a pair on one task from one commit, with the same --slate.",
  args: [],
  flags: ARM_FLAGS,
  output: answer("experiment-start", {
    base: text,
    candidate: text,
    rule: RULE,
    base_accepted: orNull(number),
    smallest_detectable: orNull(number),
    plan: list(object({ pair: whole, slate: text, first: text, second: text })),
  }),
  run: (context, input) => lazily(context, input, "runStart"),
};

export const experimentRun: Command = {
  path: ["experiment", "run"],
  group: "Verify",
  brief: "Run the next planned pairs: both arms on one goal, each in a worktree of its own",
  details:
    "Both arms start from the same commit, in the order of the plan, and leave their work on branches `experiment/...`. The checks decide what is accepted; a judge, if there is one, sees the goal and two patches under letters, neither which arm made one nor which came first. It must be of another family than both arms, and what it costs counts in the budget. Exit codes as `experiment decide`.",
  args: [{ name: "goal", brief: "What shall be reached, in a sentence", required: false }],
  flags: {
    ...ARM_FLAGS,
    check: {
      kind: "text",
      brief: "Command that must exit 0; repeatable",
      placeholder: "CMD",
      repeatable: true,
    },
    count: { kind: "count", atLeast: 1, brief: "Pairs to run now (1)", placeholder: "N" },
    budget: { kind: "usd", brief: "For both arms of all pairs; stops before it", placeholder: "USD" },
    judge: { kind: "text", brief: "Agent that says which work is better, blind", placeholder: "PROVIDER" },
    type: TYPE_FLAG,
    maxTime: { kind: "duration", brief: "Stop an arm after this running time (4h)", placeholder: "TIME" },
    sameFamily: {
      kind: "boolean",
      brief: "Let a reviewer or the judge be of the family whose work it judges",
    },
  },
  output: answer("experiment-run", {
    ...STANDING,
    ran: list(
      object({
        slate: text,
        runs: list(object({ run: text, config: text })),
        preferred: orNull(text),
      }),
    ),
    stopped: orNull(oneOf("decided", "budget", "interrupted")),
  }),
  async run(context, input) {
    const { runPairs } = await import("./experiment-run.ts");
    return runPairs(context, input);
  },
};

export const experimentStatus: Command = {
  path: ["experiment", "status"],
  group: "Verify",
  brief: "How a paired change test stands; looking changes nothing",
  args: [],
  flags: ARM_FLAGS,
  output: answer("experiment-status", STANDING),
  run: (context, input) => lazily(context, input, "runStatus"),
};

export const experimentDecide: Command = {
  path: ["experiment", "decide"],
  group: "Verify",
  brief: "Adopt, reject or wait: exit 0, 10 or 11",
  details:
    "A decision falls only after 1, 2, 4, 8 ... pairs and sees exactly the first so many; the first one stands. Running it again, or bringing pairs in bulk, cannot raise the chance of a false adoption.",
  args: [],
  flags: ARM_FLAGS,
  output: answer("experiment-decide", STANDING),
  run: (context, input) => lazily(context, input, "runDecide"),
};

export const experimentCompare: Command = {
  path: ["experiment", "compare"],
  group: "Verify",
  brief: "What the recorded runs of two arms come to, paired or not; decides nothing",
  details:
    "An arm is a configuration, a label (`arm=new`, or the value of any label) or a harness (`sha256:` and as much of its digest as is unique). Pairs are runs of one slate, or of one task from one commit; what the other runs show is an association and no proof.",
  args: [],
  flags: ARM_FLAGS,
  output: answer("experiment-compare", {
    ...STANDING,
    arms: list(
      object({
        arm: text,
        runs: whole,
        judged: whole,
        accepted: whole,
        acceptance: orNull(object({ mean: number, lo: number, hi: number })),
        mean_cost_usd: orNull(number),
        cost_per_accepted_usd: orNull(number),
      }),
    ),
  }),
  run: (context, input) => lazily(context, input, "runCompare"),
};

async function lazily(
  context: CommandContext,
  input: CommandInput,
  what: "runStart" | "runStatus" | "runDecide" | "runCompare",
): ReturnType<Command["run"]> {
  const runs = await import("./experiment-standing.ts");
  return runs[what](context, input);
}
