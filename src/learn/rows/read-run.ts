import { HORIZON_EXT } from "../../formats/ocp/horizon-ext.ts";
import type { OcpAttempt, OcpDocument, OcpSignal, OcpTask, OutcomeTier } from "../../formats/ocp/index.ts";
import type { Feature } from "../../formats/workflow/task-types.ts";
import {
  type AttemptFacts,
  type GateObservation,
  monthOf,
  type PartFacts,
  type RunFacts,
  type ScoreFacts,
  type TaskFacts,
  type WorkflowFacts,
} from "./facts.ts";
import { knownFeatures } from "./features.ts";
import { preferencesOf } from "./preferences.ts";
import { lnPriceChange, type PriceSteps } from "./price-steps.ts";
import { foldedRole, foldedWorkflow, settingFacts } from "./read-workflow.ts";

/** A run as it comes to the learner: its document, and what the run came to under its own rule. */
export interface RunEvidence {
  readonly document: OcpDocument;
  /** 1 accepted, 0 rejected, null unknown. */
  readonly z: 0 | 1 | null;
  /** How the weakest verdict that this rests on was come by. */
  readonly tier: OutcomeTier;
  /** `user` for runs of one's own; `shared:<org>` for imported ones. */
  readonly source?: string;
  readonly parts?: readonly PartFacts[];
  /** How far verdicts of a tier are trusted, where the user says so. */
  readonly reliability?: Readonly<Partial<Record<OutcomeTier, number>>>;
  /** Features that the user declares beside the built-in ones. */
  readonly features?: readonly Feature[];
  /** Models whose list price changed, and the moment whose prices costs are learned at. */
  readonly prices?: { readonly steps: PriceSteps; readonly atMs: number };
  /** Organization of one's own runs that name none. */
  readonly org?: string;
}

const RELIABILITY: Readonly<Record<OutcomeTier, number>> = {
  verified: 0.98,
  reported: 0.95,
  heuristic: 0.8,
  asserted: 0.7,
};

/** Reads a run. `nowMs` bounds its date: a clock that ran ahead makes no future months. */
export function readRun(evidence: RunEvidence, nowMs: number): RunFacts {
  const { document, z, tier } = evidence;
  const { run } = document;
  const attempts = (document.attempts ?? []).filter(({ status }) => status !== "queued");
  const planned = foldedWorkflow(run.configuration);
  const workflow = planned?.workflow ?? workflowOfAttempts(attempts, run.configuration);
  const gates = gateObservations(attempts, workflow);
  const roundsUsed = Math.max(1, ...attempts.map(({ round }) => round ?? 1));
  const lastGate = gates.findLast(({ round }) => round === roundsUsed);
  const endedMs = Date.parse(run.ended_at ?? run.started_at ?? "");
  const task = run.task;
  const isRejected = z === 0;
  const source = evidence.source ?? "user";
  const org = task?.org ?? (source === "user" ? evidence.org : undefined);
  return {
    id: run.id,
    source,
    task: {
      ...(task?.id !== undefined && { id: task.id }),
      type: task?.type ?? "unknown",
      ...(task?.repo !== undefined && { repo: task.repo }),
      ...(task?.subtype !== undefined && { subtype: task.subtype }),
      ...(org !== undefined && { org }),
      ...horizonOf(task),
      features: knownFeatures(task?.features ?? {}, evidence.features),
    },
    workflow,
    ...(Number.isFinite(endedMs) && { month: monthOf(Math.min(endedMs, nowMs)), endedMs }),
    ...(z !== null && {
      verdict: { isAccepted: z === 1, reliability: evidence.reliability?.[tier] ?? RELIABILITY[tier] },
    }),
    roundsUsed,
    isExhausted: workflow.gates.length > 0 && lastGate?.isPassed === false,
    attempts: attempts.flatMap((attempt) => {
      const piece = attempt.vertex ?? attempt.node;
      const place = planned?.placeOf.get(piece) ?? piece;
      return attemptFacts(attempt, place, document, gates, isRejected).map((facts) =>
        withPrice(facts, evidence.prices, Math.min(endedMs, nowMs)),
      );
    }),
    gates,
    scores: scoresOf(run.signals ?? []),
    parts: evidence.parts ?? [],
    ...(run.preferences !== undefined && { preferences: preferencesOf(run.preferences) }),
  };
}

/** The time box that a task was planned with. */
export function horizonOf(task: OcpTask | undefined): Pick<TaskFacts, "horizonS"> {
  const seconds = task?.ext?.[HORIZON_EXT];
  return typeof seconds === "number" && seconds > 0 ? { horizonS: seconds } : {};
}

/** Without a workflow, the pieces are what ran. */
function workflowOfAttempts(
  attempts: readonly OcpAttempt[],
  configuration: OcpDocument["run"]["configuration"],
): WorkflowFacts {
  const named = configuration?.workflow;
  const pieces = new Map(attempts.map((attempt) => [attempt.vertex ?? attempt.node, attempt] as const));
  return {
    shape: named !== undefined && "ref" in named ? named.ref : pieces.size === 1 ? "solo" : "unnamed",
    pieces: [...pieces].map(([id, attempt]) => ({
      id,
      role: foldedRole(attempt.role?.value ?? undefined),
      width: 1,
      setting: attemptSetting(attempt, configuration),
      isMechanical: attempt.harness === "command",
      dependsOn: [],
    })),
    gates: [],
    rounds: 1,
  };
}

function attemptSetting(
  attempt: OcpAttempt,
  configuration: OcpDocument["run"]["configuration"],
): AttemptFacts["setting"] {
  const piece = attempt.vertex ?? attempt.node;
  const planned = settingFacts(attempt.setting ?? configuration?.settings?.[piece]);
  const harness = attempt.harness ?? planned.harness;
  const model = attempt.model?.id ?? attempt.model?.raw ?? planned.model;
  const effort = attempt.effort ?? planned.effort;
  return {
    ...(harness !== undefined && { harness }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && effort !== "default" && { effort }),
  };
}

/** A mechanical gate is no attempt: it spends no tokens. */
function attemptFacts(
  attempt: OcpAttempt,
  piece: string,
  document: OcpDocument,
  gates: readonly GateObservation[],
  isRejected: boolean,
): readonly AttemptFacts[] {
  if (attempt.harness === "command" && attempt.model === undefined) return [];
  const { cost } = attempt;
  const round = attempt.round ?? 1;
  const tokens = tokensOf(cost);
  const costUsd = cost?.usd;
  const isKnownCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  const basis = cost?.basis;
  const judged = gates.filter((gate) => gate.round === round);
  return [
    {
      piece,
      round,
      setting: attemptSetting(attempt, document.run.configuration),
      ...(isKnownCost && basis !== "asserted" && { costUsd }),
      costWeight: basis === undefined || basis === "measured" ? 1 : 0.7,
      ...(tokens !== undefined && { tokens }),
      isFailed: judged.length > 0 ? judged.some(({ isPassed }) => !isPassed) : isRejected,
    },
  ];
}

function withPrice(facts: AttemptFacts, prices: RunEvidence["prices"], endedMs: number): AttemptFacts {
  const { model } = facts.setting;
  if (prices === undefined || model === undefined || !Number.isFinite(endedMs)) return facts;
  const lnPrice = lnPriceChange(prices.steps, model, endedMs, prices.atMs);
  return lnPrice === 0 ? facts : { ...facts, lnPrice };
}

function tokensOf(cost: OcpAttempt["cost"]): number | undefined {
  if (cost === undefined) return undefined;
  const counts = [
    cost.input_tokens,
    cost.cached_input_tokens,
    cost.cache_creation_tokens,
    cost.output_tokens,
  ].filter((count) => count !== undefined && Number.isFinite(count) && count >= 0);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => (sum ?? 0) + (count ?? 0), 0);
}

/** From the attempts on the gate itself; where it left none, from whether its loop went on. */
function gateObservations(
  attempts: readonly OcpAttempt[],
  workflow: WorkflowFacts,
): readonly GateObservation[] {
  const found: GateObservation[] = [];
  const last = Math.max(1, ...attempts.map(({ round }) => round ?? 1));
  for (const gate of workflow.gates) {
    for (let round = 1; round <= last; round += 1) {
      const status = attempts.findLast(
        ({ node, vertex, round: at }) => (vertex ?? node) === gate.piece && (at ?? 1) === round,
      )?.status;
      if (status === undefined) continue;
      const wentOn = round < last && workflow.gates.length === 1;
      if (wentOn || status === "failed" || status === "rejected") {
        found.push({ gate: gate.id, round, isPassed: false });
      } else if (status === "done") found.push({ gate: gate.id, round, isPassed: true });
    }
  }
  return found.sort((a, b) => a.round - b.round);
}

function scoresOf(signals: readonly OcpSignal[]): readonly ScoreFacts[] {
  const last = new Map<string, ScoreFacts>();
  for (const { kind, name, value, scale } of signals) {
    if (kind !== "score" || typeof value !== "number" || !Number.isFinite(value)) continue;
    last.set(name, { name, value, scale: scale ?? "linear" });
  }
  return [...last.values()];
}
