import { canonicalJson } from "../../core/canonical-json.ts";
import { catalogueShapes } from "./catalogue.ts";
import type { Role } from "./roles.ts";
import { buildShape, DEFAULT_ROUNDS, nearestInCatalogue, type Shape, shapeName } from "./shapes.ts";
import type { Setting, Workflow } from "./types.ts";

/** A session of a run that nobody planned, as far as its record tells. */
export interface SeenSession {
  readonly node: string;
  /** What it did; undefined when no piece of a workflow does that. */
  readonly role: Role | undefined;
  /** The role follows from other facts rather than from a label. */
  readonly isGuessed: boolean;
  /** Came after the work was done, or was started from elsewhere. */
  readonly isOutside: boolean;
  /** Started other sessions. */
  readonly hasLaunched: boolean;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly harness?: string;
  readonly model?: string;
  /** The model's version is not known, only what it is called for short. */
  readonly isShortName?: boolean;
  readonly effort?: string;
  readonly usd?: number;
}

/** How sure an inference starts, by what it rests on. */
export const FIRST_CONFIDENCE = { declared: 0.95, experiment: 0.98, graph: 0.9, ocp: 0.85 } as const;

export interface InferredWorkflow {
  readonly workflow: Workflow;
  /** By piece, in the workflow's order. */
  readonly settings: Readonly<Record<string, Setting>>;
  readonly pieceOf: ReadonlyMap<string, string>;
  readonly shape: string;
  readonly nearest: string;
  readonly confidence: number;
  readonly reasons: readonly string[];
}

const MOST_WIDE = 6;
const MOST_ROUNDS = 6;

/**
 * Which workflow a run most likely followed, told from its sessions: who planned, whether workers were at it side by
 * side, who reviewed. Undefined when no session names a model. `nodes` are placed in their order.
 */
export function inferWorkflow(
  sessions: readonly SeenSession[],
  nodes: readonly { readonly id: string; readonly isCheck: boolean }[],
  first: number,
): InferredWorkflow | undefined {
  if (!sessions.some(({ model }) => model !== undefined)) return undefined;
  const parts = partsOf(sessions);
  const seen = shapeOf(parts);
  const workflow = titled(buildShape(seen.shape));
  const pieceOf = placed(sessions, nodes, parts, workflow);
  const found = settingsOf(sessions, pieceOf, workflow);
  const outside = sessions.length - parts.inside.length;
  return {
    workflow,
    settings: found.settings,
    pieceOf,
    shape: shapeName(seen.shape),
    nearest: shapeName(nearestInCatalogue(seen.shape, catalogueShapes()) ?? seen.shape),
    confidence: confidenceOf(sessions, parts, seen.isCapped, found, first),
    reasons: [
      ...(outside > 0 ? [`${outside} session(s) did none of the workflow's work`] : []),
      ...(seen.isCapped ? [`more than ${MOST_WIDE} workers at a time are taken as ${MOST_WIDE}`] : []),
      ...found.reasons,
    ],
  };
}

interface Parts {
  readonly inside: readonly SeenSession[];
  readonly planners: readonly SeenSession[];
  readonly workers: readonly SeenSession[];
  readonly reviewers: readonly SeenSession[];
  readonly referees: readonly SeenSession[];
}

/** Who planned, worked, reviewed. A lead that gave its work away planned; with nobody else to do it, planners worked. */
function partsOf(sessions: readonly SeenSession[]): Parts {
  const inside = sessions.filter(({ role, isOutside }) => role !== undefined && !isOutside);
  const withRole = (...roles: readonly Role[]): SeenSession[] =>
    inside.filter(({ role }) => role !== undefined && roles.includes(role));
  const able = withRole("implementer", "worker");
  const leads = able.filter(({ hasLaunched }) => hasLaunched);
  const hands = able.filter(({ hasLaunched }) => !hasLaunched);
  const planners = [...withRole("planner"), ...(hands.length > 0 ? leads : [])];
  const workers = hands.length > 0 ? hands : leads;
  const isPlanOnly = workers.length === 0;
  return {
    inside,
    planners: isPlanOnly ? [] : planners,
    workers: isPlanOnly ? planners : workers,
    reviewers: withRole("reviewer", "tester"),
    referees: withRole("referee"),
  };
}

function shapeOf({ planners, workers, reviewers, referees }: Parts): {
  readonly shape: Shape;
  readonly isCapped: boolean;
} {
  const together = mostTogether(workers);
  const middle = together < 2 ? "implement" : referees.length > 0 ? "best_of_n" : "team";
  const review = reviewers.length > 0;
  const ownRounds = middle === "implement" ? Math.min(MOST_ROUNDS, reviewers.length) : DEFAULT_ROUNDS;
  const width = middle === "implement" ? 1 : Math.min(MOST_WIDE, together);
  const shape = { plan: planners.length > 0, middle, review, width, rounds: review ? ownRounds : 1 } as const;
  return { shape, isCapped: together > MOST_WIDE };
}

/** How many worked at the same moment, where both ends of their time are known. */
function mostTogether(workers: readonly SeenSession[]): number {
  const moments = workers.flatMap(({ startMs, endMs }) =>
    startMs === undefined || endMs === undefined
      ? []
      : [
          { atMs: startMs, step: 1 },
          { atMs: endMs, step: -1 },
        ],
  );
  let now = 0;
  let most = 0;
  // Who ends when another starts was not at it together with that one.
  for (const { step } of moments.sort((a, b) => a.atMs - b.atMs || a.step - b.step)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

function titled(workflow: Workflow): Workflow {
  const words = workflow.pieces.map(({ id }) => id).join(", ");
  return { ...workflow, title: `${words.charAt(0).toUpperCase()}${words.slice(1)}` };
}

function placed(
  sessions: readonly SeenSession[],
  nodes: readonly { readonly id: string; readonly isCheck: boolean }[],
  parts: Parts,
  workflow: Workflow,
): Map<string, string> {
  const names = workflow.pieces.map(({ id }) => id);
  const working = workingPiece(workflow);
  const pieceFor = (node: string, isCheck: boolean): string => {
    const own = sessions.filter((session) => session.node === node);
    const is = (part: readonly SeenSession[]): boolean => own.some((session) => part.includes(session));
    if (is(parts.planners) && names.includes("plan")) return "plan";
    if (is(parts.referees) && names.includes("select")) return "select";
    const checks = is(parts.reviewers) || (own.length === 0 && isCheck);
    return checks && names.includes("review") ? "review" : working;
  };
  return new Map(nodes.map(({ id, isCheck }) => [id, pieceFor(id, isCheck)]));
}

function workingPiece({ pieces }: Workflow): string {
  return pieces.find(({ role }) => role === "implementer" || role === "worker")?.id ?? "implement";
}

interface FoundSettings {
  readonly settings: Readonly<Record<string, Setting>>;
  readonly borrowed: number;
  readonly smallestShare: number;
  readonly reasons: readonly string[];
}

/** Each piece's most common setting; a piece that had no session with a model does it as the working piece does. */
function settingsOf(
  sessions: readonly SeenSession[],
  pieceOf: ReadonlyMap<string, string>,
  workflow: Workflow,
): FoundSettings {
  const working = workingPiece(workflow);
  const settings: Record<string, Setting> = {};
  const reasons: string[] = [];
  let [borrowed, smallestShare] = [0, 1];
  const commonOf = (piece: string): Common | undefined =>
    mostCommon(
      sessions.filter(({ node, role, isOutside }) => {
        return pieceOf.get(node) === piece && role !== undefined && !isOutside;
      }),
    );
  const fallback = commonOf(working) ?? mostCommon(sessions);
  for (const { id, role } of workflow.pieces) {
    const own = commonOf(id);
    const common = own ?? fallback;
    if (own === undefined) borrowed += 1;
    else smallestShare = Math.min(smallestShare, own.share);
    if (own !== undefined && own.share < 1) {
      reasons.push(
        `${role ?? id} sessions had several settings; ${own.setting.model}/${own.setting.effort} is the most common`,
      );
    }
    if (common !== undefined) settings[id] = common.setting;
  }
  return { settings, borrowed, smallestShare, reasons };
}

interface Common {
  readonly setting: Setting;
  readonly share: number;
}

/** Ties go to the costlier one, then to the one that came first. */
function mostCommon(sessions: readonly SeenSession[]): Common | undefined {
  const counts = new Map<string, { readonly setting: Setting; count: number; usd: number }>();
  const withModel = sessions.filter(({ model }) => model !== undefined);
  for (const { harness = "unknown", model, effort = "default", usd = 0 } of withModel) {
    const key = canonicalJson([harness, model ?? "", effort]);
    const entry = counts.get(key) ?? { setting: settingFor(harness, model, effort), count: 0, usd: 0 };
    entry.count += 1;
    entry.usd += usd;
    counts.set(key, entry);
  }
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count || b.usd - a.usd);
  return most === undefined ? undefined : { setting: most.setting, share: most.count / withModel.length };
}

function settingFor(harness: string, model: string | undefined, effort: string): Setting {
  return {
    harness,
    ...(model !== undefined && { model }),
    effort,
    contextPolicy: "fresh",
    options: {},
  };
}

function confidenceOf(
  sessions: readonly SeenSession[],
  { workers }: Parts,
  isCapped: boolean,
  { borrowed, smallestShare }: FoundSettings,
  first: number,
): number {
  const share = (is: (session: SeenSession) => boolean): number =>
    sessions.filter(is).length / sessions.length;
  const isUntimed = workers.some(({ startMs, endMs }) => startMs === undefined || endMs === undefined);
  const confidence =
    first -
    (isUntimed ? 0.1 : 0) -
    (isCapped ? 0.05 : 0) -
    0.1 * borrowed -
    0.15 * (1 - smallestShare) -
    0.2 * share(({ role }) => role === undefined) -
    0.1 * share(({ isGuessed }) => isGuessed) -
    (sessions.some(({ isShortName }) => isShortName === true) ? 0.1 : 0);
  return Math.round(Math.min(0.99, Math.max(0.05, confidence)) * 1e4) / 1e4;
}
