import { fail, ok, type Result } from "../core/result.ts";
import { type Config, formatKeyPath } from "../formats/config/index.ts";
import type { OcpTask } from "../formats/ocp/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import { configurationIdOf, type WorkflowFile } from "../formats/workflow/index.ts";
import type { Question, Recommendation } from "../plan/question.ts";
import { budgetLeft } from "./budget.ts";
import { type CurrentWay, currentWay } from "./current-way.ts";
import { findWorkflow } from "./find-workflow.ts";
import { readFlags } from "./flag-values.ts";
import { ruleNamed } from "./home-config.ts";
import type { Learned } from "./learned.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** What counts as accepted: `--target` is a rule that is a score target and nothing else. */
export async function ruleOfFlags(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<AcceptanceRule>> {
  const flags = readFlags(input);
  const target = flags.text("target");
  if (target === undefined) return ruleNamed(context, flags.text("rule"));
  if (flags.text("rule") !== undefined)
    return fail("bad-flag", "--rule and --target both say what is accepted", { hint: "leave one out" });
  const { parseRule } = await import("../formats/rule/index.ts");
  const rule = parseRule(target);
  if (!rule.ok) return rule;
  return targetOf(rule.value) === undefined
    ? fail("bad-flag", `--target is "${target}", expected a score such as "quality>=0.9"`)
    : rule;
}

/** The score that decides alone; a rule that asks for verdicts too is judged as a whole. */
export function targetOf({ requires, score }: AcceptanceRule): Question["target"] {
  return score !== undefined && score !== null && (requires ?? []).length === 0 ? score : undefined;
}

export function targetNotes(rule: AcceptanceRule, { successFrom }: Recommendation): readonly string[] {
  const name = rule.score?.name;
  if (name === undefined || successFrom === "score_head") return [];
  return [
    targetOf(rule) === undefined
      ? "the rule asks for verdicts too, so every chance is one of an accepted result"
      : `too few runs have the score ${name}, so every chance is one of an accepted result`,
  ];
}

interface Money {
  /** What exploring may cost; undefined while nothing bounds it. */
  readonly usd: number | undefined;
  readonly notes: readonly string[];
}

/** By the flag and by what is left of the budget, whichever is less. */
export async function explorationMoney(
  context: CommandContext,
  microUsd: number | undefined,
): Promise<Money> {
  const store = await context.readStore();
  const left = store.ok ? await budgetLeft(context, store.value) : undefined;
  const bounds = [microUsd, left].flatMap((bound) => (bound === undefined ? [] : [Math.max(0, bound) / 1e6]));
  const isUsedUp = left !== undefined && left <= 0;
  return {
    usd: bounds.length === 0 ? undefined : Math.min(...bounds),
    notes: isUsedUp ? ["the budget of this period is used up, so exploring is paused"] : [],
  };
}

/** What runs now: as told, else as recorded, else as configured for the type. */
export function currentOf(
  { values }: Config,
  { rows }: Learned,
  { type = "unknown", repo = "*" }: OcpTask,
  usual: string | undefined,
  nowMs: number,
): CurrentWay | undefined {
  if (usual !== undefined) return { id: usual, isUsual: false };
  const configured = [repo, "*"]
    .map((place) => values.get(formatKeyPath(["usual", type, place])))
    .find((id) => typeof id === "string");
  return currentWay(rows, type, repo, nowMs, configured);
}

/** The workflows to consider beside recorded ones: those named, and what runs now where no run has it. */
export async function workflowFiles(
  context: CommandContext,
  names: readonly string[],
  { documents }: Learned,
  currentId: string | undefined,
): Promise<Result<readonly WorkflowFile[]>> {
  const files: WorkflowFile[] = [];
  for (const name of names) {
    const found = await findWorkflow(context, name);
    if (!found.ok) return found;
    files.push(found.value.file);
  }
  const isKnown =
    documents.some(({ run }) => run.configuration?.id === currentId) ||
    files.some((file) => configurationIdOf(file) === currentId);
  if (currentId === undefined || isKnown) return ok(files);
  const current = await findWorkflow(context, currentId);
  if (!current.ok || configurationIdOf(current.value.file) !== currentId) {
    return fail("no-such-configuration", `no run, file or recommendation has the configuration ${currentId}`);
  }
  return ok([...files, current.value.file]);
}
