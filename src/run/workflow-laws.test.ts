import fc from "fast-check";
import { expect, test } from "vitest";
import type { AttemptId } from "../core/ids.ts";
import { namedWorkflow } from "../formats/workflow/index.ts";
import type { TreeId } from "../ports/workspace.ts";
import type { GateResult } from "../verify/types.ts";
import { candidatesOf } from "./candidates.ts";
import { isLastYes } from "./consent.ts";
import { decide } from "./decide.ts";
import { DEFAULT_LIMITS } from "./defaults.ts";
import type { AttemptEnded, SessionEvent } from "./events.ts";
import { fold, step } from "./fold.ts";
import { planWorkflow } from "./plan-workflow.ts";
import type { Ruling } from "./ruling.ts";
import type { SessionSpec } from "./spec.ts";
import type { SessionState } from "./state.ts";

const AT = "2026-03-01T10:00:00.000Z";
const NAMES = ["solo", "best_of_n", "plan_implement", "implement_review", "plan_implement_review", "swarm"];

function specOf(name: string, rounds: number): SessionSpec {
  const workflow = namedWorkflow(name)?.workflow;
  if (workflow === undefined) throw new Error(name);
  const providers = new Map(workflow.pieces.map(({ id }) => [id, "p"]));
  const pieces = planWorkflow({ workflow, goal: "x", providers, permission: "edit" });
  if (!pieces.ok) throw new Error(pieces.problem.message);
  const limits = { ...DEFAULT_LIMITS, maxIterations: rounds, concurrency: 3, noProgressIterations: 0 };
  const gate = { base: "base" as TreeId, checks: [] };
  return { pieces: pieces.value, limits, gate, topLevel: "/w", approvals: [] } as unknown as SessionSpec;
}

/** One session on chance alone: each number decides what the next agent, check or reviewer does. */
class Game {
  state: SessionState;
  readonly events: SessionEvent[] = [];
  readonly #luck: number[];
  #tree = "base" as TreeId;
  #count = 0;

  constructor(spec: SessionSpec, luck: readonly number[]) {
    this.#luck = [...luck];
    const created: SessionEvent = { type: "session:created", data: { spec, facts: null } };
    this.events.push(created);
    this.state = step(undefined, { ...created, at: AT, seq: 1 });
  }

  play(): string {
    for (let moves = 0; moves < 500; moves += 1) {
      const decision = decide(this.state, Date.parse(AT));
      if (decision.action === "stop") return decision.reason.why;
      if (decision.action === "skip") {
        for (const { id, because } of decision.pieces)
          this.#tell({ type: "piece:skipped", data: { piece: id, because } });
      } else if (decision.action === "dispatch") for (const id of decision.pieces) this.#run(id);
      else return decision.action;
    }
    return "endless";
  }

  #chance(of: number): number {
    return (this.#luck.shift() ?? 0) % of;
  }

  #tell(...events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.state = step(this.state, { ...event, at: AT, seq: this.events.length });
    }
  }

  #iteration(): number {
    const { iteration, gates, verdicts } = this.state;
    const refused =
      gates.some((gate) => gate.iteration === iteration && !gate.result.satisfied) ||
      verdicts.some(
        ({ iteration: round, ruling }) => round === iteration && ["fail", "void"].includes(ruling.said),
      );
    return iteration === 0 || refused ? iteration + 1 : iteration;
  }

  #run(id: string): void {
    const piece = this.state.spec.pieces.find((one) => one.id === id);
    const iteration = piece?.kind === "verdict" ? this.state.iteration : this.#iteration();
    if (iteration > this.state.iteration) this.#tell({ type: "iteration:started", data: { iteration } });
    if (piece?.kind === "gate") this.#gate(id, iteration);
    else if (piece?.kind === "verdict") this.#verdict(id, iteration);
    else this.#agent(id, iteration);
  }

  #agent(id: string, iteration: number): void {
    this.#count += 1;
    const attempt = `att_${this.#count}` as AttemptId;
    const before = this.#tree;
    if (this.#chance(3) > 0) this.#tree = `tree${this.#count}` as TreeId;
    const ended = {
      attempt,
      end: this.#chance(6) === 5 ? { reason: "timed-out" } : { reason: "done" },
      after: this.#tree,
      facts: null,
      usage: { kind: "known", models: [] },
      priced: [],
      summary: "",
    } as unknown as AttemptEnded;
    const dispatched = {
      attempt,
      piece: id,
      iteration,
      n: 1,
      before,
      workDir: "/w",
      continues: null,
      isolated: false,
    };
    this.#tell({ type: "attempt:dispatched", data: dispatched } as unknown as SessionEvent, {
      type: "attempt:ended",
      data: ended,
    });
  }

  #gate(piece: string, iteration: number): void {
    const satisfied = this.#chance(2) === 1;
    const result = { satisfied, tree: this.#tree, checks: [], needsApproval: [] } as unknown as GateResult;
    this.#tell({
      type: "gate:evaluated",
      data: { piece, iteration, result, headKnown: true, threat: "same-user" },
    });
    if (satisfied) this.#satisfy(piece);
  }

  #verdict(piece: string, iteration: number): void {
    const spec = this.state.spec.pieces.find((one) => one.id === piece);
    if (spec?.kind !== "verdict") return;
    const read = this.state.pieces[spec.of];
    const ruling =
      read?.state === "succeeded" ? this.#ruling(spec) : ({ said: "void", why: "absent" } as const);
    const attempt = read?.state === "succeeded" ? read.attempt : null;
    this.#tell({ type: "verdict:read", data: { piece, iteration, attempt, tree: this.#tree, ruling } });
    if (ruling.said === "pass") this.#satisfy(piece);
  }

  #ruling(spec: Extract<SessionSpec["pieces"][number], { readonly kind: "verdict" }>): Ruling {
    const dice = this.#chance(3);
    if (dice === 0) return { said: "void", why: "chance" };
    if (spec.rule.kind !== "pick") {
      return dice === 1 ? { said: "fail", findings: [] } : { said: "pass", evidence: [] };
    }
    const [first] = candidatesOf(this.state, spec.rule.among);
    return first === undefined
      ? { said: "void", why: "none" }
      : { said: "pick", pick: first.attempt, evidence: [] };
  }

  #satisfy(piece: string): void {
    const { iteration } = this.state;
    if (!isLastYes(this.state, piece, this.#tree)) return;
    this.#tell({ type: "goal:satisfied", data: { tree: this.#tree, iteration } });
  }
}

const games = fc.record({
  name: fc.constantFrom(...NAMES),
  rounds: fc.integer({ min: 1, max: 4 }),
  luck: fc.array(fc.nat(1000), { minLength: 10, maxLength: 120 }),
});

test("a workflow always comes to an end, within its rounds", () => {
  fc.assert(
    fc.property(games, ({ name, rounds, luck }) => {
      const game = new Game(specOf(name, rounds), luck);
      expect(["goal-satisfied", "iterations"]).toContain(game.play());
      expect(game.state.iteration).toBeLessThanOrEqual(rounds);
    }),
    { numRuns: 400 },
  );
});

test("a goal is satisfied only by checks and reviewers that said yes of the same content", () => {
  fc.assert(
    fc.property(games, ({ name, rounds, luck }) => {
      const game = new Game(specOf(name, rounds), luck);
      if (game.play() !== "goal-satisfied") return;
      const { satisfiedTree, gates, verdicts, spec } = game.state;
      expect(gates.at(-1)?.result).toMatchObject({ satisfied: true, tree: satisfiedTree });
      for (const piece of spec.pieces) {
        if (piece.kind !== "verdict" || piece.rule.kind === "pick") continue;
        const last = verdicts.findLast((verdict) => verdict.piece === piece.id);
        expect(last).toMatchObject({ tree: satisfiedTree, ruling: { said: "pass" } });
      }
    }),
    { numRuns: 400 },
  );
});

test("replaying a workflow's events gives the state that the live session had", () => {
  fc.assert(
    fc.property(games, ({ name, rounds, luck }) => {
      const game = new Game(specOf(name, rounds), luck);
      game.play();
      expect(fold(game.events.map((event, index) => ({ ...event, at: AT, seq: index + 1 })))).toEqual(
        game.state,
      );
    }),
  );
});
