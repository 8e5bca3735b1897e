import type { JsonObject } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import {
  type ArmRun,
  costRatio,
  DEFAULT_RULE,
  type DecisionRule,
  decideChange,
  evidence,
  lifetimeAlpha,
  looksUpTo,
  pairRuns,
  smallestDetectable,
  tally,
  type Verdict,
} from "../verify/experiments/index.ts";
import { armSummary } from "./arm-summary.ts";
import { ExitCode } from "./exit-codes.ts";
import { type Arms, armRuns, checkArms, runsOfArms } from "./experiment-arms.ts";
import { readFlags } from "./flag-values.ts";
import { ruleNamed } from "./home-config.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

export interface Test {
  readonly base: string;
  readonly candidate: string;
  readonly rule: DecisionRule;
  readonly runs: readonly ArmRun[];
  /** What arms there are among the recorded runs. */
  readonly known: readonly string[];
}

/** The test that the flags describe, over the recorded runs. */
export async function testOf(context: CommandContext, input: CommandInput): Promise<Result<Test>> {
  const flags = readFlags(input);
  const [base, candidate] = [flags.text("base"), flags.text("candidate")];
  if (base === undefined || candidate === undefined || base === candidate) {
    return fail("bad-flag", "name two arms with --base and --candidate", {
      hint: "`loopwright runs --json` and `loopwright recommend --json` show their cfg_ ids",
    });
  }
  const floor = Number(flags.text("floor") ?? 0);
  if (!(floor >= 0 && floor < 1)) return fail("bad-flag", "--floor is a number from 0 to below 1");
  const alpha = alphaOf(input);
  if (!alpha.ok) return alpha;
  const ratio = flags.text("maxCostRatio");
  if (ratio !== undefined && !(Number(ratio) > 0))
    return fail("bad-flag", "--max-cost-ratio is a number above 0");
  const rule: DecisionRule = {
    ...DEFAULT_RULE,
    alpha: alpha.value,
    isAnytime: flags.is("anytime"),
    ...(ratio !== undefined && { maxCostRatio: Number(ratio) }),
    maxPairs: flags.count("pairs") ?? DEFAULT_RULE.maxPairs,
    floor,
    objective: flags.text("objective") === "cost-per-accepted" ? "cost-per-accepted" : "acceptance",
  };
  if (rule.isAnytime === true && (floor > 0 || rule.objective !== "acceptance"))
    return fail("bad-flag", "--anytime decides by outcomes alone, without --floor and --objective");
  if (rule.maxPairs < 1 || rule.maxPairs > 128) return fail("bad-flag", "--pairs is from 1 to 128");
  const found = await armsOf(context, input, { base, candidate });
  return found.ok ? ok({ base, candidate, rule, ...found.value }) : found;
}

/** The runs of both arms, judged by their own rules or by the one that the flags name. */
async function armsOf(
  context: CommandContext,
  input: CommandInput,
  arms: Arms,
): Promise<Result<Pick<Test, "runs" | "known">>> {
  const word = readFlags(input).text("rule");
  const rule = word === undefined ? ok(undefined) : await ruleNamed(context, word);
  if (!rule.ok) return rule;
  const store = await context.readStore();
  if (!store.ok) return store;
  const found = await runsOfArms(store.value, arms);
  if (!found.ok) return found;
  const { stored, known } = found.value;
  const runs = armRuns(stored, arms, rule.value, context.now());
  if (!runs.ok) return runs;
  const isJudged = runs.value.length === 0 || runs.value.some(({ isAccepted }) => isAccepted !== undefined);
  return isJudged || rule.value === undefined
    ? ok({ runs: runs.value, known })
    : fail("bad-flag", `the rule ${word ?? ""} judges no run of either arm`, {
        hint: "`loopwright runs RUN --json` shows the signals of a run",
      });
}

/** One test's own level, or its share of a level for the life of a loop. */
function alphaOf(input: CommandInput): Result<number> {
  const flags = readFlags(input);
  const lifetime = flags.text("lifetimeAlpha");
  if (lifetime === undefined) return ok(Number(flags.text("alpha") ?? DEFAULT_RULE.alpha));
  if (flags.text("alpha") !== undefined)
    return fail("bad-flag", "--alpha and --lifetime-alpha exclude each other");
  const level = Number(lifetime);
  return level > 0 && level <= 0.5
    ? ok(lifetimeAlpha(level, flags.count("place") ?? 1))
    : fail("bad-flag", "--lifetime-alpha is a number above 0 and at most 0.5");
}

/** A rule about money needs every cost. Problem: `unknown-cost` with the runs that lack one. */
export function checkCosts({ base, candidate, rule, runs }: Test): Result<void> {
  if (rule.maxCostRatio === undefined && rule.objective !== "cost-per-accepted") return ok(undefined);
  const missing = unpriced(runs, base, candidate);
  if (missing.length === 0) return ok(undefined);
  return fail("unknown-cost", `the rule is about money, and the cost of ${missing.join(", ")} is unknown`, {
    hint: "leave out --max-cost-ratio and --objective cost-per-accepted: then outcomes alone decide",
  });
}

/** Runs of either arm without a cost. */
function unpriced(runs: readonly ArmRun[], base: string, candidate: string): readonly string[] {
  return runs
    .filter(
      ({ configuration, costUsd }) => [base, candidate].includes(configuration) && costUsd === undefined,
    )
    .map(({ run }) => run);
}

function ruleView(rule: DecisionRule): JsonObject {
  const { alpha, maxPairs, minPairs, floor, objective, isAnytime = false, maxCostRatio } = rule;
  return {
    alpha,
    max_pairs: maxPairs,
    min_pairs: minPairs,
    floor,
    objective,
    anytime: isAnytime,
    max_cost_ratio: maxCostRatio ?? null,
    looks: isAnytime ? [] : looksUpTo(maxPairs),
  };
}

export interface PlannedPair {
  readonly pair: number;
  readonly slate: string;
  readonly first: string;
  readonly second: string;
}

/** What the slates of a test begin with. */
export function slateName(base: string, candidate: string): string {
  return sha256(`${base}\n${candidate}`).slice(0, 8);
}

/** Which arm goes first in each pair, drawn from the names of the two: the same test has the same plan. */
export function pairPlan({ base, candidate, rule }: Test): readonly PlannedPair[] {
  const name = slateName(base, candidate);
  return Array.from({ length: rule.maxPairs }, (_, i) => {
    const isBaseFirst = Number.parseInt(sha256(`${name}/${i}`).slice(0, 2), 16) % 2 === 0;
    const [first, second] = isBaseFirst ? [base, candidate] : [candidate, base];
    return { pair: i + 1, slate: `${name}-${i + 1}`, first, second };
  });
}

export async function runStart(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const test = await testOf(context, input);
  if (!test.ok) return test;
  const { base, candidate, rule, runs } = test.value;
  const known = runs.filter((run) => run.configuration === base && run.isAccepted !== undefined);
  const accepted = known.filter(({ isAccepted }) => isAccepted === true).length;
  const baseProb = known.length < 4 ? undefined : accepted / known.length;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.experiment-start/1",
      ok: true,
      base,
      candidate,
      rule: ruleView(rule),
      base_accepted: baseProb ?? null,
      smallest_detectable: smallestDetectable(rule.maxPairs, rule.alpha, baseProb ?? 0.5) ?? null,
      plan: pairPlan(test.value).map((pair) => ({ ...pair })),
    },
  });
}

export async function runStatus(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const test = await testOf(context, input);
  if (!test.ok) return test;
  const { view } = standing(test.value);
  return ok({ exit: ExitCode.ok, json: { schema: "loopwright.experiment-status/1", ok: true, ...view } });
}

export async function runDecide(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const test = await testOf(context, input);
  if (!test.ok) return test;
  const there = checkArms(test.value.runs, test.value, test.value.known);
  if (!there.ok) return there;
  const costs = checkCosts(test.value);
  if (!costs.ok) return costs;
  const { view, verdict } = standing(test.value);
  return ok({
    exit: exitOfVerdict(verdict),
    json: { schema: "loopwright.experiment-decide/1", ok: true, ...view },
  });
}

/** What the recorded runs of the two arms come to, paired or not; decides nothing. */
export async function runCompare(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const test = await testOf(context, input);
  if (!test.ok) return test;
  const { base, candidate, runs, known } = test.value;
  const there = checkArms(runs, test.value, known);
  if (!there.ok) return there;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.experiment-compare/1",
      ok: true,
      ...standing(test.value).view,
      arms: [base, candidate].map((arm) => ({
        ...armSummary(
          runs.filter((run) => run.configuration === arm),
          arm,
        ),
      })),
    },
  });
}

export function exitOfVerdict({ kind }: Verdict): ExitCode {
  switch (kind) {
    case "adopt":
      return ExitCode.ok;
    case "reject":
    case "unresolved":
      return ExitCode.notSatisfied;
    case "undecided":
      return ExitCode.awaitingApproval;
  }
}

export function standing({ base, candidate, rule, runs }: Test): {
  readonly view: JsonObject;
  readonly verdict: Verdict;
} {
  const { pairs, unpaired } = pairRuns(runs, base, candidate);
  const counts = tally(pairs);
  const verdict = decideChange(pairs, rule);
  const look = verdict.kind === "undecided" ? undefined : verdict.look;
  const view: JsonObject = {
    base,
    candidate,
    rule: ruleView(rule),
    ...counts,
    unpaired,
    evidence: evidence(counts.wins, counts.losses, counts.pairs, rule.floor),
    cost_ratio: (pairs.length > 0 ? costRatio(pairs) : undefined) ?? null,
    runs_without_cost: [...unpriced(runs, base, candidate)],
    verdict: verdict.kind,
    decided_at: look?.pairs ?? null,
    better_prob: look?.betterProb ?? null,
    next_look: verdict.kind === "undecided" ? verdict.nextLook : null,
  };
  return { view, verdict };
}
