import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpPreference } from "../formats/ocp/index.ts";
import { OWN_FAMILY_EXT } from "../learn/index.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type { RunPorts } from "../run/ports.ts";
import { type ArmDone, workOf } from "./experiment-arm.ts";
import type { Work } from "./experiment-judge.ts";
import { findWorkflow } from "./find-workflow.ts";
import { readFlags } from "./flag-values.ts";
import { readConfig } from "./home-config.ts";
import type { CommandContext, CommandInput } from "./types.ts";

export interface Judge {
  readonly spec: ProviderSpec;
  /** Of an arm's own family, as somebody insisted. */
  readonly isOwnFamily: boolean;
}

/**
 * The judge that the flag names, else the configured one. Problem: `judge-not-independent` where it is of an arm's own
 * family, before anything is spent; `--same-family` insists.
 */
export async function judgeOf(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  arms: readonly string[],
): Promise<Result<Judge | undefined>> {
  const config = await readConfig(context);
  if (!config.ok) return config;
  const flags = readFlags(input);
  const named = flags.text("judge") ?? config.value.values.get("referee.model");
  if (typeof named !== "string") return ok(undefined);
  const spec = ports.providers.parse(named);
  if (!spec.ok) return spec;
  const judge = ports.providers.make(spec.value);
  if (!judge.ok) return judge;
  for (const arm of arms) {
    const families = await familiesOf(context, ports, arm);
    if (!families.ok) return families;
    if (families.value.has(judge.value.family)) {
      if (flags.is("sameFamily")) return ok({ spec: spec.value, isOwnFamily: true });
      return fail(
        "judge-not-independent",
        `the judge ${named} and the arm ${arm} are both ${judge.value.family}`,
        {
          hint: "name another with --judge, or insist with --same-family",
        },
      );
    }
  }
  return ok({ spec: spec.value, isOwnFamily: false });
}

async function familiesOf(
  context: CommandContext,
  { providers }: RunPorts,
  arm: string,
): Promise<Result<ReadonlySet<string>>> {
  const found = await findWorkflow(context, arm);
  if (!found.ok) return found;
  const families = new Set<string>();
  for (const { harness, model } of Object.values(found.value.file.settings)) {
    const spec = model === undefined ? undefined : providers.parse(harness);
    const made = spec?.ok === true ? providers.make(spec.value) : undefined;
    if (made?.ok === true) families.add(made.value.family);
  }
  return ok(families);
}

/** Asks the judge about a pair, and records what it said in both runs and what it cost in the later one. */
export async function judgePair(
  context: CommandContext,
  ports: RunPorts,
  judge: Judge | undefined,
  goal: string,
  slate: string,
  runs: readonly ArmDone[],
): Promise<Result<string | null>> {
  if (judge === undefined) return ok(null);
  const works: Work[] = [];
  for (const run of runs) {
    const work = await workOf(ports, run);
    if (!work.ok) return work;
    if (work.value !== undefined) works.push(work.value);
  }
  const [one, other] = works;
  if (one === undefined || other === undefined) return ok(null);
  const { judgeBlind } = await import("./experiment-judge.ts");
  const judged = await judgeBlind(ports, judge.spec, goal, slate, [one, other]);
  if (!judged.ok) {
    context.talk(`no preference for ${slate}: ${judged.problem.message}`);
    return ok(null);
  }
  const { winner, spend } = judged.value;
  const members = runs.map(({ run }) => run);
  const { changeRun, withJudgeCost, withPreference } = await import("../record/index.ts");
  const paid = await changeRun(ports.store, other.run, (document) => ok(withJudgeCost(document, spend)));
  if (!paid.ok) return paid;
  if (winner === undefined) {
    context.talk(`no preference for ${slate}: the judge gave no verdict that counts`);
    return ok(null);
  }
  const preference: OcpPreference = {
    id: makeId("preference", context.now(), context.entropy(10)),
    slate,
    winner,
    members,
    judge: {
      kind: "model",
      blinded: true,
      ...(judge.isOwnFamily && { ext: { [OWN_FAMILY_EXT]: true } }),
    },
    observed_at: instant(context.now()),
    tier: "reported",
  };
  for (const run of members) {
    const put = await changeRun(ports.store, run, (document) => withPreference(document, preference));
    if (!put.ok) return put;
  }
  return ok(winner);
}
