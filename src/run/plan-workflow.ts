import { fail, ok, type Result } from "../core/result.ts";
import {
  dependenciesOf,
  foldRole,
  type Role,
  type Workflow,
  type WorkflowPiece,
} from "../formats/workflow/index.ts";
import { instructionOf } from "./instructions.ts";
import type { AgentPiece, GatePiece, PieceInput, PlanPiece, VerdictPiece } from "./spec.ts";

/** What a plan needs to know besides the workflow. */
export interface WorkflowPlanInput {
  readonly workflow: Workflow;
  /** What shall be reached, in the person's words. */
  readonly goal: string;
  /** Provider id by piece of the workflow; none for a piece that is the goal gate. */
  readonly providers: ReadonlyMap<string, string>;
  readonly permission: "edit" | "full";
}

const MOST_COPIES = 26;
const ALWAYS = Number.MAX_SAFE_INTEGER;

/**
 * The pieces that the engine runs for a workflow. Copies of one piece stand side by side; the goal gate judges as soon
 * as the work is there, before anybody is paid to review it; reviewers and selectors have a verdict piece each.
 * Problems: `not-supported-yet` for what cannot be run, with the reason.
 */
export function planWorkflow(input: WorkflowPlanInput): Result<readonly PlanPiece[]> {
  const refused = refusal(input);
  if (refused !== undefined) return fail("not-supported-yet", refused);
  return ok(new Planner(input).plan());
}

/** A piece without an agent is where the deterministic checks run. */
export function isGoalGate(piece: WorkflowPiece, providers: ReadonlyMap<string, unknown>): boolean {
  return foldRole(piece.role) === "tester" && !providers.has(piece.id);
}

function refusal({ workflow, providers }: WorkflowPlanInput): string | undefined {
  const { id, pieces, control } = workflow;
  if (pieces.filter((piece) => isGoalGate(piece, providers)).length > 1) {
    return `workflow "${id}" has several pieces that run checks; one goal gate runs them all`;
  }
  const nested = pieces.find((piece) => piece.nested !== undefined);
  if (nested !== undefined)
    return `workflow "${id}" nests another one in "${nested.id}", which cannot be run yet`;
  const wide = pieces.find(({ width }) => width > MOST_COPIES);
  if (wide !== undefined) return `"${wide.id}" has ${wide.width} copies; at most ${MOST_COPIES} can be run`;
  const rules = ["review_approve", "referee_pick", "tests_pass"];
  const odd = control.gates.find(({ rule }) => !rules.includes(rule));
  if (odd !== undefined)
    return `gate "${odd.id}" has the rule ${odd.rule}, which cannot be run yet; use --check`;
  if (!pieces.some((piece) => writes(roleOf(piece))))
    return `workflow "${id}" has no piece that does the work`;
  return undefined;
}

function roleOf(piece: WorkflowPiece): Role {
  return foldRole(piece.role) ?? "worker";
}

function writes(role: Role): boolean {
  return role === "implementer" || role === "worker";
}

class Planner {
  readonly #input: WorkflowPlanInput;
  readonly #workflow: Workflow;
  readonly #gateId: string;

  constructor(input: WorkflowPlanInput) {
    this.#input = input;
    this.#workflow = input.workflow;
    const own = input.workflow.pieces.find((piece) => isGoalGate(piece, input.providers));
    const ids = input.workflow.pieces.map(({ id }) => id);
    this.#gateId = own?.id ?? (ids.includes("check") ? "goal gate" : "check");
  }

  plan(): readonly PlanPiece[] {
    const { pieces } = this.#workflow;
    const agents = pieces.filter((piece) => !isGoalGate(piece, this.#input.providers));
    const made: PlanPiece[] = [
      ...agents.flatMap((piece) => this.#agents(piece)),
      ...agents.flatMap((piece) => this.#verdict(piece) ?? []),
      this.#gate(agents),
    ];
    return made.map((piece) => (piece.kind === "agent" ? piece : this.#withWayBack(piece, made)));
  }

  /** The plan's pieces that must have ended before whatever reads this one: its verdict where it has one. */
  #ends(id: string): readonly string[] {
    const piece = this.#workflow.pieces.find((one) => one.id === id);
    if (piece === undefined) return [];
    if (isGoalGate(piece, this.#input.providers)) return [this.#gateId];
    return this.#verdict(piece) === undefined ? copiesOf(piece) : [verdictId(id)];
  }

  #dependencies(id: string): readonly string[] {
    const ids = this.#workflow.pieces.map((piece) => piece.id);
    return dependenciesOf(id, ids, this.#workflow.edges);
  }

  #agents(piece: WorkflowPiece): readonly AgentPiece[] {
    const role = roleOf(piece);
    const before = this.#dependencies(piece.id);
    const dependsOn = [...before.flatMap((id) => this.#ends(id)), ...this.#checksBefore(piece)];
    const candidates = this.#candidatesFor(piece);
    const isCandidate = this.#isCandidate(piece);
    const answers = this.#answerOf(piece);
    return copiesOf(piece).map((id, index) => ({
      kind: "agent",
      id,
      role: piece.role ?? "worker",
      dependsOn: [...new Set(dependsOn)],
      instruction: instructionOf(role, this.#input.goal, {
        copy: piece.width > 1 && !isCandidate ? { index: index + 1, count: piece.width } : undefined,
        shares: role === "planner" ? this.#sharesAfter(piece.id) : 1,
        answers,
      }),
      goals: [],
      provider: this.#input.providers.get(piece.id) ?? "",
      tier: "standard",
      isolation: piece.width > 1 ? "worktree" : "none",
      permission: writes(role) ? this.#input.permission : "read",
      join: { strategy: candidates.length > 0 ? "any_of_all" : "wait_for_all" },
      ...(piece.width > 1 && { copy: { of: piece.id, index: index + 1, count: piece.width } }),
      ...(isCandidate && { isCandidate }),
      reads: this.#reads(piece, before, candidates),
      ...(answers !== undefined && { answers }),
    }));
  }

  #reads(
    piece: WorkflowPiece,
    before: readonly string[],
    candidates: readonly string[],
  ): readonly PieceInput[] {
    const readers = before.flatMap((id): readonly PieceInput[] => {
      const source = this.#workflow.pieces.find((one) => one.id === id);
      if (source === undefined || source.width > 1) return [];
      if (roleOf(source) === "planner") return [{ kind: "words", piece: id, title: "The plan:" }];
      const said = !writes(roleOf(source)) && this.#answerOf(source) === undefined;
      return said ? [{ kind: "words", piece: id, title: `What ${id} found:` }] : [];
    });
    if (candidates.length > 0) return [...readers, { kind: "candidates", pieces: candidates }];
    const looks = !writes(roleOf(piece)) && roleOf(piece) !== "planner";
    return looks ? [...readers, { kind: "changes" }] : readers;
  }

  #gateAfter(id: string): Workflow["control"]["gates"][number] | undefined {
    return this.#workflow.control.gates.find(({ after }) => after === id);
  }

  #answerOf(piece: WorkflowPiece): AgentPiece["answers"] {
    const gate = this.#gateAfter(piece.id);
    if (gate === undefined || isGoalGate(piece, this.#input.providers)) return undefined;
    return gate.rule === "referee_pick" && this.#candidatesFor(piece).length > 0 ? "pick" : "verdict";
  }

  /** The copies that a selector chooses from. */
  #candidatesFor(piece: WorkflowPiece): readonly string[] {
    if (this.#gateAfter(piece.id)?.rule !== "referee_pick") return [];
    return this.#dependencies(piece.id).flatMap((id) => {
      const source = this.#workflow.pieces.find((one) => one.id === id);
      return source !== undefined && source.width > 1 && writes(roleOf(source)) ? copiesOf(source) : [];
    });
  }

  #isCandidate(piece: WorkflowPiece): boolean {
    return this.#workflow.pieces.some((other) =>
      this.#candidatesFor(other).some((id) => copiesOf(piece).includes(id) && piece.width > 1),
    );
  }

  /** The goal gate, for those who look at work that is complete. */
  #checksBefore(piece: WorkflowPiece): readonly string[] {
    return !writes(roleOf(piece)) && this.#reviewsFinishedWork(piece.id) ? [this.#gateId] : [];
  }

  /** True when nobody works on after this piece, so that the checks may come first. */
  #reviewsFinishedWork(id: string): boolean {
    if (this.#candidatesFor(this.#workflow.pieces.find((piece) => piece.id === id) ?? NOBODY).length > 0)
      return false;
    const writers = this.#workflow.pieces.filter((piece) => writes(roleOf(piece))).map((piece) => piece.id);
    const upstream = (piece: string, seen: readonly string[]): boolean =>
      this.#dependencies(piece).some(
        (one) => one === id || (!seen.includes(one) && upstream(one, [...seen, one])),
      );
    return !writers.some((writer) => upstream(writer, [writer])) && this.#dependencies(id).length > 0;
  }

  #sharesAfter(id: string): number {
    const readers = this.#workflow.pieces.filter(
      (piece) => piece.width > 1 && !this.#isCandidate(piece) && this.#dependencies(piece.id).includes(id),
    );
    return Math.max(1, ...readers.map(({ width }) => width));
  }

  #verdict(piece: WorkflowPiece): VerdictPiece | undefined {
    const gate = this.#gateAfter(piece.id);
    const answers = this.#answerOf(piece);
    if (gate === undefined || answers === undefined) return undefined;
    const among = this.#candidatesFor(piece);
    return {
      kind: "verdict",
      id: verdictId(piece.id),
      // A review that is skipped because the work failed says nothing before the checks have.
      dependsOn: [...copiesOf(piece), ...this.#checksBefore(piece)],
      of: copiesOf(piece)[0] ?? piece.id,
      rule: answers === "pick" ? { kind: "pick", among } : { kind: "approve" },
      onFail:
        gate.onFail === undefined
          ? { sendBack: [piece.id], rounds: 1 }
          : { sendBack: this.#ownPieces(gate.onFail), rounds: ALWAYS },
    };
  }

  /** Judges once all work is in the folder. A no goes to those who did it. */
  #gate(agents: readonly WorkflowPiece[]): GatePiece {
    const writers = agents.filter((piece) => writes(roleOf(piece)));
    const picks = agents.filter((piece) => this.#answerOf(piece) === "pick").map(({ id }) => verdictId(id));
    const own = this.#workflow.pieces.find(({ id }) => id === this.#gateId);
    const back = own === undefined ? undefined : this.#gateAfter(own.id)?.onFail;
    const isFinal = own !== undefined && this.#gateAfter(own.id) !== undefined && back === undefined;
    const sendBack = back === undefined ? writers.flatMap(copiesOf) : this.#ownPieces(back);
    return {
      kind: "gate",
      id: this.#gateId,
      dependsOn: [...writers.flatMap((piece) => this.#ends(piece.id)), ...picks],
      onFail: { sendBack, rounds: isFinal ? 1 : ALWAYS },
    };
  }

  #ownPieces(id: string): readonly string[] {
    const piece = this.#workflow.pieces.find((one) => one.id === id);
    return piece === undefined ? [id] : copiesOf(piece);
  }

  /** Whatever stands on what is done again is done again too. */
  #withWayBack<T extends GatePiece | VerdictPiece>(gate: T, plan: readonly PlanPiece[]): T {
    const back = new Set(gate.onFail.sendBack);
    for (let before = -1; before !== back.size; ) {
      before = back.size;
      for (const piece of plan) if (piece.dependsOn.some((id) => back.has(id))) back.add(piece.id);
    }
    const sendBack = plan.map(({ id }) => id).filter((id) => back.has(id) && id !== gate.id);
    return { ...gate, onFail: { ...gate.onFail, sendBack } };
  }
}

const NOBODY: WorkflowPiece = { id: "", width: 1, extra: {} };

function verdictId(piece: string): string {
  return `g_${piece}`;
}

function copiesOf({ id, width }: WorkflowPiece): readonly string[] {
  return width === 1 ? [id] : Array.from({ length: width }, (_, index) => `${id}.${index + 1}`);
}
