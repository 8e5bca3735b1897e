import type { Problem } from "../core/result.ts";
import type { Loop, LoopApproval, LoopRead } from "../formats/loop/index.ts";
import { unansweredFailures } from "./loop-recovery.ts";
import { firstProblem } from "./read-loop.ts";

/**
 * What the engine does about a field. `runs`: acts on it. `told`: passes it to the agents and enforces nothing. `unused`:
 * does not act on it yet, which no one is harmed by. `degraded`: does something weaker, which `prod` refuses. `refused`: does not act on it yet, and a run without it would not
 * be what the author asked for, so none starts.
 */
export type Support =
  | { readonly is: "runs" }
  | { readonly is: UsedField["is"]; readonly why: string; readonly where: Where };

/** The paths at which a loop uses the field; none when what it says there is what happens anyway. */
type Where = (read: LoopRead, loop: Loop) => readonly string[];

const RUNS: Support = { is: "runs" };
const told = (why: string, where: Where): Support => ({ is: "told", why, where });
const unused = (why: string, where: Where): Support => ({ is: "unused", why, where });
const refused = (why: string, where: Where): Support => ({ is: "refused", why, where });
/** Something weaker takes its place. */
const degraded = (why: string, where: Where): Support => ({ is: "degraded", why, where });

function written(...paths: readonly string[]): Where {
  return (read) => paths.filter((path) => read.isWritten(path));
}

function whenever(path: string, isUsed: (loop: Loop) => boolean): Where {
  return (_read, loop) => (isUsed(loop) ? [path] : []);
}

/** Paths of the members of a list for which it holds. */
function each<T>(
  path: string,
  list: (loop: Loop) => readonly T[],
  key: string,
  isUsed: (one: T) => boolean,
): Where {
  return (_read, loop) =>
    list(loop).flatMap((one, index) => (isUsed(one) ? [`${path}[${index}].${key}`] : []));
}

function eachPiece(key: string, isUsed: (piece: Loop["pieces"][number]) => boolean): Where {
  return (read, loop) =>
    loop.pieces.flatMap((piece, index) =>
      isUsed(piece) ? [`${read.paths.piecesPath}[${index}].${key}`] : [],
    );
}

function eachPieceLimit(key: string, isUsed: (limits: Loop["limits"]) => boolean): Where {
  return (read, loop) =>
    [...loop.pieceLimits].flatMap(([id, limits]) =>
      isUsed(limits) ? [`${read.paths.pieceLimitsPath}.${id}.${key}`] : [],
    );
}

const NODES = "execution.graph.nodes[]";
const CHECKS = "safety.checks[]";
const STOP = "safety.gates.stop";
const TOLD = "agents are told; nothing stops one that does it all the same";
const GUARDED =
  "agents are told, and refused it where they call the program by its name; one that takes a way round is not stopped, nor most in a container";

/** One row a field, or a group of fields with the same answer: the longest that fits counts. */
export const FIELD_SUPPORT: Readonly<Record<string, Support>> = {
  name: RUNS,
  version: RUNS,
  description: RUNS,
  environment: RUNS,
  "features.parallel_execution": RUNS,
  "features.human_approval": RUNS,
  "features.marketplace_skills": unused(
    "no skill is fetched",
    whenever("features.marketplace_skills", (loop) => loop.features.marketplaceSkills),
  ),
  "features.external_side_effects": unused(
    "agents get the same permissions either way",
    whenever("features.external_side_effects", (loop) => loop.features.externalSideEffects),
  ),
  "features.self_evolution": RUNS,
  "intent.background[]": RUNS,
  "intent.prerequisites[]": RUNS,
  "intent.goals[].name": RUNS,
  "intent.goals[].description": RUNS,
  "intent.goals[].depends_on": RUNS,
  "intent.goals[].priority": RUNS,
  "intent.success[]": unused(
    "success needs every goal and every blocking check, whatever share is asked for",
    each(
      "intent.success",
      (loop) => loop.success,
      "threshold",
      ({ threshold }) => (threshold ?? 1) < 1,
    ),
  ),
  [NODES]: RUNS,
  [`${NODES}.stage`]: RUNS,
  [`${NODES}.isolation`]: degraded(
    "no image is named for its container: the piece works in a worktree of its own, in a sandbox where bubblewrap works and with your rights elsewhere",
    (read, loop) =>
      loop.containerImage !== undefined
        ? []
        : eachPiece(
            "isolation",
            ({ isolation }) => isolation.mode === "container" && isolation.image === undefined,
          )(read, loop),
  ),
  "execution.graph.concurrency": RUNS,
  "execution.graph.join": RUNS,
  "execution.graph.container_image": RUNS,
  "execution.providers.providers[]": RUNS,
  "execution.providers.cascade": RUNS,
  "execution.providers.enforce_judge_independence": RUNS,
  "execution.phases": RUNS,
  "execution.memory": RUNS,
  "execution.memory.namespaces.episodic": unused(
    "attempts stay in the ledger, and none is told to a later run",
    written("execution.memory.namespaces.episodic"),
  ),
  "execution.memory.carry_summaries": RUNS,
  "execution.memory.max_summary_chars": RUNS,
  "execution.memory.summary_provider": unused(
    "rounds are summed up by what the ledger holds, without an agent's words",
    written("execution.memory.summary_provider"),
  ),
  "execution.skills": RUNS,
  "execution.skills.acquisition_order": unused(
    "a run fetches and writes no skill: a person adds them before",
    written("execution.skills.acquisition_order"),
  ),
  "execution.skills.min_marketplace_stars": unused(
    "no skill is fetched",
    written("execution.skills.min_marketplace_stars"),
  ),
  "execution.skills.allow_external_side_effects": unused(
    "agents get the same permissions either way",
    written("execution.skills.allow_external_side_effects"),
  ),
  "execution.default_skills[]": unused(
    "checksums are held to, and nothing is fetched",
    written("execution.default_skills"),
  ),
  "execution.triggers": RUNS,
  [CHECKS]: RUNS,
  [`${CHECKS}.detector.judge`]: RUNS,
  [STOP]: RUNS,
  [`${STOP}.stop_on_overall_success`]: unused(
    "a loop stops when its goals are reached",
    whenever(`${STOP}.stop_on_overall_success`, (loop) => !loop.stop.stopOnOverallSuccess),
  ),
  "safety.gates.entry[]": refused(
    "a judge cannot decide a rule; use a script that exits 0 or 1",
    (_read, { entries }) => judged(entries, "safety.gates.entry"),
  ),
  "safety.gates.approval[]": RUNS,
  "safety.gates.approval[].detector": unused(
    "a judge cannot decide a rule: a person is asked every time",
    (_read, { approvals }) => judged(approvals, "safety.gates.approval"),
  ),
  "safety.gates.rollback[]": refused(
    "a judge cannot decide a rule; use a script that exits 0 or 1",
    (_read, { rollbacks }) => judged(rollbacks, "safety.gates.rollback"),
  ),
  "safety.limits.global": RUNS,
  "safety.limits.global.forbidden_commands": told(
    GUARDED,
    whenever("safety.limits.global.forbidden_commands", ({ limits }) => limits.forbiddenCommands.length > 0),
  ),
  "safety.limits.global.human_checkpoint": told(
    TOLD,
    whenever("safety.limits.global.human_checkpoint", ({ limits }) => limits.humanCheckpoint.length > 0),
  ),
  "safety.limits.per_node": RUNS,
  "safety.limits.per_node.*.forbidden_commands": told(
    GUARDED,
    eachPieceLimit("forbidden_commands", (limits) => limits.forbiddenCommands.length > 0),
  ),
  "safety.limits.per_node.*.human_checkpoint": told(
    TOLD,
    eachPieceLimit("human_checkpoint", (limits) => limits.humanCheckpoint.length > 0),
  ),
  "safety.recovery": unused("this failure is answered the usual way", (_read, loop) =>
    unansweredFailures(loop).map((failure) => `safety.recovery.${failure}`),
  ),
  "safety.protected": RUNS,
  "safety.alerts[]": RUNS,
  evolution: RUNS,
  "evolution.require_sandbox": unused(
    "a trial is a run of the loop, apart from others as its pieces are",
    written("evolution.require_sandbox"),
  ),
  "evolution.require_approval": unused(
    "a person decides about every change",
    whenever("evolution.require_approval", ({ evolution }) => !evolution.requireApproval),
  ),
  "evolution.keep_rollback": unused(
    "the text before a change is always kept",
    whenever("evolution.keep_rollback", ({ evolution }) => !evolution.keepRollback),
  ),
};

function judged(rules: readonly Pick<LoopApproval, "detector">[], path: string): readonly string[] {
  return rules.flatMap(({ detector }, index) =>
    detector?.type === "judge" ? [`${path}[${index}].detector`] : [],
  );
}

/** A field that a loop uses and that is not simply acted on. */
export interface UsedField {
  readonly is: "told" | "unused" | "degraded" | "refused";
  readonly path: string;
  readonly why: string;
  readonly at?: string;
}

export function fieldsInUse(read: LoopRead, loop: Loop): readonly UsedField[] {
  return Object.values(FIELD_SUPPORT).flatMap((support) =>
    support.is === "runs"
      ? []
      : support.where(read, loop).map((path) => {
          const at = read.placeOf(path);
          return { is: support.is, path, why: support.why, ...(at !== undefined && { at }) };
        }),
  );
}

/** Why a loop that breaks no rule may not start; undefined when it may. */
export function checkSupport(read: LoopRead, loop: Loop): Problem | undefined {
  const fatal = read.findings.filter(({ risk }) => risk?.isFatal === true);
  const refusing = loop.environment === "prod" ? ["refused", "degraded"] : ["refused"];
  const refusedFields = fieldsInUse(read, loop).filter(({ is }) => refusing.includes(is));
  const problems = [
    ...fatal,
    ...refusedFields.map(
      ({ path, why, at }): Problem => ({
        code: "not-supported-yet",
        message: `${path}: ${why}`,
        ...(at !== undefined && { at }),
      }),
    ),
  ];
  return problems.length === 0 ? undefined : firstProblem(problems);
}

/** Lines about what is probably not meant, and about what will not be acted on. */
export function saidBeforeStart(read: LoopRead, loop: Loop): readonly string[] {
  const findings = read.findings.map(
    ({ severity, at, message }) => `${severity}: ${at === undefined ? "" : `${at} `}${message}`,
  );
  const fields = fieldsInUse(read, loop).map(
    ({ is, at, path, why }) => `${is}: ${at === undefined ? "" : `${at} `}${path}: ${why}`,
  );
  return [...findings, ...fields];
}
