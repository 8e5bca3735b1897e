import type { JsonObject } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
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
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { type Learned, learn } from "./learned.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

export interface Test {
  readonly base: string;
  readonly candidate: string;
  readonly rule: DecisionRule;
  readonly runs: readonly ArmRun[];
}

/** The test that the flags describe, over the recorded runs. */
export async function testOf(context: CommandContext, input: CommandInput): Promise<Result<Test>> {
  const flags = readFlags(input);
  const [base, candidate] = [flags.text("base"), flags.text("candidate")];
  if (base === undefined || candidate === undefined || base === candidate) {
    return fail("bad-flag", "name two configurations with --base and --candidate", {
      hint: "`loopwright runs --json` and `loopwright recommend --json` show their cfg_ ids",
    });
  }
  const floor = Number(flags.text("floor") ?? 0);
  if (!(floor >= 0 && floor < 1)) return fail("bad-flag", "--floor is a number from 0 to below 1");
  const learned = await learn(context, { isWithoutPrior: true });
  if (!learned.ok) return learned;
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
  return ok({ base, candidate, rule, runs: armRuns(learned.value) });
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

function armRuns({ rows, documents, belief }: Learned): readonly ArmRun[] {
  const verdicts = new Map(belief.runs.map(({ id, verdict }) => [id, verdict] as const));
  const byId = new Map(documents.map((document) => [document.run.id, document] as const));
  return rows.flatMap((row): readonly ArmRun[] => {
    if (row.configuration === undefined) return [];
    const verdict = verdicts.get(row.run);
    const costUsd = row.unknownCosts > 0 ? undefined : costOf(byId.get(row.run));
    return [
      {
        run: row.run,
        configuration: row.configuration,
        startedAt: row.startedAt,
        ...(row.slate !== undefined && { slate: row.slate }),
        ...(row.task !== undefined && { task: row.task }),
        ...(row.baseCommit !== undefined && { baseCommit: row.baseCommit }),
        ...(verdict !== undefined && { isAccepted: verdict.isAccepted }),
        ...(costUsd !== undefined && { costUsd }),
      },
    ];
  });
}

/** Undefined when no attempt says what it cost. */
function costOf(document: OcpDocument | undefined): number | undefined {
  const known = (document?.attempts ?? []).flatMap(({ cost }) => (cost?.usd === undefined ? [] : [cost.usd]));
  return known.length === 0 ? undefined : known.reduce((sum, usd) => sum + usd, 0);
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

/** Which arm goes first in each pair, drawn from the names of the two: the same test has the same plan. */
export function pairPlan({ base, candidate, rule }: Test): readonly PlannedPair[] {
  const name = sha256(`${base}\n${candidate}`).slice(0, 8);
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
  const { base, candidate, runs } = test.value;
  const missing = [base, candidate].find((arm) => !runs.some(({ configuration }) => configuration === arm));
  if (missing !== undefined) {
    return fail("no-such-configuration", `no recorded run has the configuration ${missing}`);
  }
  const costs = checkCosts(test.value);
  if (!costs.ok) return costs;
  const { view, verdict } = standing(test.value);
  return ok({
    exit: exitOfVerdict(verdict),
    json: { schema: "loopwright.experiment-decide/1", ok: true, ...view },
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
