import type { GateFacts, PieceFacts, SettingFacts, TaskFacts, WorkflowFacts } from "./facts.ts";
import { BOXED_SHARE, type HorizonPlan, horizonTerms, isBoxed } from "./horizon.ts";
import { modelPath } from "./model-path.ts";
import { Known, named, term } from "./names.ts";

/** One effect in a row and how much of it the row has. Effects are named `level:key`. */
export type Term = readonly [node: string, value: number];

/** What the data at hand decide about rows: which tasks repeat, and how models moved in time. */
export interface RowContext {
  readonly source: string;
  hasTask(task: string): boolean;
  drift(model: string, weight: number): readonly Term[];
  /** Harness parts, each with its share of the run's attempts. */
  readonly parts: readonly Term[];
  /** How time boxes count; absent where they do not. */
  readonly horizon?: HorizonPlan;
}

export const INTERCEPT = "fixed:intercept";
export const EXHAUSTED = "fixed:exhausted";
export const ROUNDS = "fixed:rounds";
export const FAILED = "fixed:failed";

/** The group of effects that share one scale: the level, for a feature also its key. */
export function groupOf(node: string): string {
  const level = node.slice(0, node.indexOf(":"));
  return level === "feature" ? node.slice(0, node.indexOf("=")) : level;
}

const ofSettings = new Known<readonly Term[]>();
const ofRoles = new Known<readonly Term[]>();
const ofPlaces = new Known<readonly Term[]>();

/** Of the rows of one run, which come together: all of them begin with these. */
let lastTask:
  | { readonly task: TaskFacts; readonly context: RowContext; readonly terms: readonly Term[] }
  | undefined;

function taskTerms(task: TaskFacts, context: RowContext): readonly Term[] {
  if (lastTask?.task === task && lastTask.context === context) return lastTask.terms;
  const terms = freshTaskTerms(task, context);
  lastTask = { task, context, terms };
  return terms;
}

function freshTaskTerms(task: TaskFacts, context: RowContext): readonly Term[] {
  const terms = [term(INTERCEPT, 1), term(named("type", task.type), 1)];
  if (task.org !== undefined) terms.push(term(named("org", task.org), 1));
  if (task.repo !== undefined) {
    terms.push(term(named("repo", task.type, "/", task.repo), 1));
    if (task.subtype !== undefined)
      terms.push(term(named("subtype", `${task.type}/${task.repo}`, "/", task.subtype), 1));
  }
  for (const [key, value] of task.features) terms.push(term(named("feature", key, "=", value), 1));
  if (task.id !== undefined && context.hasTask(task.id)) terms.push(term(named("task", task.id), 1));
  if (context.source !== "user") terms.push(term(named("source", context.source), 1));
  terms.push(...horizonTerms(task, context.horizon));
  return terms;
}

function modelTerms(
  setting: SettingFacts,
  weight: number,
  context: RowContext,
  effortWeight = weight,
): readonly Term[] {
  const { model, effort } = setting;
  const found = ofSettings.below(model).below(effort).below(weight).below(effortWeight);
  found.made ??= freshModelTerms(setting, weight, effortWeight);
  if (model === undefined) return found.made;
  const drift = context.drift(modelPath(model).model, weight);
  return drift.length === 0 ? found.made : [...found.made, ...drift];
}

function freshModelTerms(setting: SettingFacts, weight: number, effortWeight: number): readonly Term[] {
  if (setting.model === undefined) return effortTerms(setting, undefined, effortWeight);
  const { provider, family, model } = modelPath(setting.model);
  return [
    [named("provider", provider), weight],
    [named("family", family), weight],
    [named("model", model), weight],
    ...effortTerms(setting, family, effortWeight),
  ];
}

function effortTerms({ effort }: SettingFacts, family: string | undefined, weight: number): readonly Term[] {
  if (effort === undefined) return [];
  const own: Term = [named("effort", effort), weight];
  return family === undefined ? [own] : [own, [named("family_effort", family, "|", effort), weight]];
}

function roleTerms(role: string, { model }: SettingFacts, weight: number): readonly Term[] {
  const found = ofRoles.below(role).below(model).below(weight);
  found.made ??= freshRoleTerms(role, model, weight);
  return found.made;
}

function freshRoleTerms(role: string, model: string | undefined, weight: number): readonly Term[] {
  const own: Term = [named("role", role), weight];
  if (model === undefined) return [own];
  return [own, [named("role_family", role, "|", modelPath(model).family), weight]];
}

const NONE: readonly Term[] = [];

function roundTerms(round: number): readonly Term[] {
  return round <= 1 ? NONE : [term(round === 2 ? "round:2" : "round:3+", 1)];
}

export function agentPieces(workflow: WorkflowFacts): readonly PieceFacts[] {
  return workflow.pieces.filter(({ isMechanical }) => !isMechanical);
}

/** One attempt of a piece, for the cost and token heads. */
export function attemptTerms(
  task: TaskFacts,
  workflow: WorkflowFacts,
  piece: Pick<PieceFacts, "id" | "role" | "width" | "setting">,
  round: number,
  context: RowContext,
): readonly Term[] {
  const { setting } = piece;
  const index = agentPieces(workflow).findIndex(({ id }) => id === piece.id);
  const share = isBoxed(task, context.horizon) ? BOXED_SHARE : 1;
  const terms = [
    ...taskTerms(task, context),
    ...modelTerms(setting, 1, context, share),
    ...roleTerms(piece.role, setting, 1),
    ...roundTerms(round),
    ...context.parts,
  ];
  if (setting.harness !== undefined) terms.push(term(named("harness", setting.harness), 1));
  terms.push(...placeTerms(workflow.shape, Math.max(0, index), share));
  if (workflow.rounds > 1) terms.push(term("control:budget", Math.log2(workflow.rounds)));
  if (piece.width > 1) terms.push(term("control:width", Math.log2(piece.width)));
  return terms;
}

/** Where a piece stands in its shape. */
function placeTerms(shape: string, index: number, share: number): readonly Term[] {
  const found = ofPlaces.below(shape).below(index).below(share);
  found.made ??= [
    [named("topology", shape), share],
    [named("position", shape, "#", String(index)), share],
  ];
  return found.made;
}

/** The piece whose work a gate judges: the one that it sends back to, else the one that it sits on. */
export function judgedPiece(workflow: WorkflowFacts, gate: GateFacts): PieceFacts | undefined {
  return workflow.pieces.find(({ id }) => id === (gate.sendsBackTo ?? gate.piece));
}

/** One evaluation of a gate. */
export function gateTerms(
  task: TaskFacts,
  workflow: WorkflowFacts,
  gate: GateFacts,
  round: number,
  context: RowContext,
): readonly Term[] {
  const judged = judgedPiece(workflow, gate);
  return [
    ...taskTerms(task, context),
    term(named("gate", gate.rule), 1),
    ...roundTerms(round),
    ...(judged === undefined
      ? []
      : [...modelTerms(judged.setting, 1, context), ...roleTerms(judged.role, judged.setting, 1)]),
  ];
}

/** One run, for the success and score heads, without what only its end shows. */
export function runTerms(task: TaskFacts, workflow: WorkflowFacts, context: RowContext): readonly Term[] {
  const pieces = agentPieces(workflow);
  const terms = [...taskTerms(task, context), ...context.parts];
  terms.push(term(named("topology", workflow.shape), 1));
  const width = Math.max(1, ...pieces.map((piece) => piece.width));
  if (width > 1) terms.push(term("control:width", Math.log2(width)));
  for (const { role, setting } of pieces) {
    const share = 1 / pieces.length;
    terms.push(...modelTerms(setting, share, context));
    if (setting.harness !== undefined) terms.push(term(named("harness", setting.harness), share));
    terms.push(...roleTerms(role, setting, 1 / pieces.filter((piece) => piece.role === role).length));
  }
  return terms;
}

/** What the end of a run showed: whether its rounds ran out on a no, and how many it took. */
export function endTerms(rounds: number, isExhausted: boolean): readonly Term[] {
  const terms: Term[] = [];
  if (isExhausted) terms.push(term(EXHAUSTED, 1));
  if (rounds > 1) terms.push(term(ROUNDS, Math.log2(rounds)));
  return terms;
}
