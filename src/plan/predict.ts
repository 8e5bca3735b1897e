import {
  type Belief,
  type GateFacts,
  HeadDraws,
  modelPath,
  type TaskFacts,
  type WorkflowFacts,
} from "../learn/index.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { stepsTo } from "../learn/rows/drift.ts";
import {
  agentPieces,
  attemptTerms,
  EXHAUSTED,
  FAILED,
  gateTerms,
  ROUNDS,
  type RowContext,
  runTerms,
  type Term,
} from "../learn/rows/terms.ts";
import { type Amounts, byRound, DISTINCT_ROUNDS, sharesOf, spend } from "./amounts.ts";
import { type Flow, flowOf, loopRoom } from "./flow.ts";
import { reachProb, type ScoreTarget } from "./reach.ts";
import { Simulator } from "./simulator.ts";
import { expectedRounds, passesOf, successThroughGates, walkAll } from "./through-gates.ts";

/** What is believed of one configuration on one task, draw by draw. Equal draws of two configurations belong together. */
export interface Prediction {
  readonly success: Float64Array;
  /** Expected dollars of a run. */
  readonly costUsd: Float64Array;
  readonly rounds: Float64Array;
  readonly support: Support;
}

/** How many runs at hand share something with a configuration. */
export interface Support {
  readonly shape: number;
  readonly models: number;
  readonly type: number;
  /** Runs of exactly this configuration. */
  readonly same: number;
}

export const DRAWS = 500;

/** Answers questions about configurations from one belief; keeps its draws for the next question. */
export class Predictor {
  readonly belief: Belief;
  readonly #now: number;
  readonly #parts: readonly Term[];
  readonly #success: HeadDraws;
  readonly #gate: HeadDraws;
  readonly #cost: HeadDraws;
  readonly #tokens: HeadDraws;
  readonly #simulator: Simulator;
  readonly #scores = new Map<string, HeadDraws>();

  /** `month` is the present one; `parts` are those of the harness that the agents have. */
  constructor(belief: Belief, month: number, draws = DRAWS, parts: readonly Term[] = []) {
    this.belief = belief;
    this.#now = month;
    this.#parts = parts;
    this.#success = new HeadDraws(belief.success, "success", belief.seed, draws);
    this.#gate = new HeadDraws(belief.gate, "gate", belief.seed, draws);
    this.#cost = new HeadDraws(belief.cost, "cost", belief.seed, draws);
    this.#tokens = new HeadDraws(belief.tokens, "tokens", belief.seed, draws);
    this.#simulator = new Simulator(belief.seed, this.#success.count);
  }

  predict(task: TaskFacts, workflow: WorkflowFacts): Prediction {
    const context = this.#context();
    const flow = flowOf(workflow);
    const terms = runTerms(task, workflow, context);
    const eta = this.#success.sum(terms);
    const exhausted = this.#success.sum([[EXHAUSTED, 1]]);
    const later = this.#success.sum([[ROUNDS, 1]]);
    const gates = this.#gateChances(task, workflow, flow, context);
    const costs = this.#amounts(this.#cost, task, workflow, context);
    const count = this.#success.count;
    const chances = flow.loops.map((loop) => loopRoom(loop, workflow.rounds));
    const passes = passesOf(flow, gates);
    const costShares = sharesOf(workflow, costs, chances);
    const result = emptyPrediction(count, this.#support(task, workflow));
    for (let d = 0; d < count; d += 1) {
      walkAll(chances, passes, d);
      const success = successThroughGates(
        chances,
        at(eta, d),
        at(later, d),
        at(exhausted, d),
        workflow.rounds,
      );
      result.success[d] = success;
      result.costUsd[d] = spend(costShares, costs, success, d);
      result.rounds[d] = expectedRounds(chances);
    }
    return result;
  }

  /** The chance in each draw that a run's score reaches its target; undefined while too few runs have that score. */
  reach(task: TaskFacts, workflow: WorkflowFacts, target: ScoreTarget): Float64Array | undefined {
    const score = this.belief.scores.get(target.name);
    if (score === undefined) return undefined;
    const known = this.#scores.get(target.name);
    const draws =
      known ?? new HeadDraws(score.head, `score:${target.name}`, this.belief.seed, this.#success.count);
    this.#scores.set(target.name, draws);
    const expected = draws.sum(runTerms(task, workflow, this.#context()));
    return reachProb(expected, draws.noise(), score, target);
  }

  /** Expected tokens of a run in each draw, given the chances that were predicted for it. */
  tokens(task: TaskFacts, workflow: WorkflowFacts, success: Float64Array): Float64Array {
    const context = this.#context();
    const flow = flowOf(workflow);
    const gates = this.#gateChances(task, workflow, flow, context);
    const amounts = this.#amounts(this.#tokens, task, workflow, context);
    const chances = flow.loops.map((loop) => loopRoom(loop, workflow.rounds));
    const passes = passesOf(flow, gates);
    const shares = sharesOf(workflow, amounts, chances);
    return success.map((chance, d) => {
      walkAll(chances, passes, d);
      return spend(shares, amounts, chance, d);
    });
  }

  /** Dollars or tokens of one simulated run in each draw, given the chances that were predicted for it. */
  simulate(
    what: "cost" | "tokens",
    task: TaskFacts,
    workflow: WorkflowFacts,
    success: Float64Array,
  ): Float64Array {
    const context = this.#context();
    const flow = flowOf(workflow);
    const gates = this.#gateChances(task, workflow, flow, context);
    const head = what === "cost" ? this.#cost : this.#tokens;
    const amounts = this.#amounts(head, task, workflow, context);
    return success.map((chance, d) => this.#simulator.run(workflow, flow, amounts, gates, chance, d));
  }

  #context(): RowContext {
    const { months, repeatedTasks } = this.belief;
    return {
      source: "user",
      hasTask: (task) => repeatedTasks.has(task),
      drift: (model, weight) => stepsTo(months, modelPath(model).model, this.#now, weight),
      parts: this.#parts,
    };
  }

  #gateChances(
    task: TaskFacts,
    workflow: WorkflowFacts,
    flow: Flow,
    context: RowContext,
  ): ReadonlyMap<GateFacts, readonly Float64Array[]> {
    const gates = flow.loops.flatMap((loop) => loop.gates);
    return new Map(
      gates.map((gate) => [
        gate,
        byRound(this.#gate, gateTerms(task, workflow, gate, 1, context), DISTINCT_ROUNDS).map((etas) =>
          etas.map(logistic),
        ),
      ]),
    );
  }

  #amounts(head: HeadDraws, task: TaskFacts, workflow: WorkflowFacts, context: RowContext): Amounts {
    const rounds = workflow.rounds > 1 ? DISTINCT_ROUNDS : 1;
    const byPiece = new Map(
      agentPieces(workflow).map((piece) => [
        piece.id,
        byRound(head, attemptTerms(task, workflow, piece, 1, context), rounds),
      ]),
    );
    return { byPiece, failed: head.sum([[FAILED, 1]]), ...head.noise() };
  }

  #support(task: TaskFacts, workflow: WorkflowFacts): Support {
    const models = modelsOf(workflow);
    const key = supportKey(workflow);
    const { runs } = this.belief;
    const count = (matches: (run: Belief["runs"][number]) => boolean) => runs.filter(matches).length;
    return {
      shape: count((run) => run.workflow.shape === workflow.shape),
      models: count((run) => modelsOf(run.workflow) === models),
      type: count((run) => run.task.type === task.type),
      same: count((run) => supportKey(run.workflow) === key),
    };
  }
}

function emptyPrediction(count: number, support: Support): Prediction {
  const empty = () => new Float64Array(count);
  return { success: empty(), costUsd: empty(), rounds: empty(), support };
}

function modelsOf(workflow: WorkflowFacts): string {
  return agentPieces(workflow)
    .map(({ setting }) => setting.model ?? "")
    .sort()
    .join(",");
}

function supportKey(workflow: WorkflowFacts): string {
  const settings = agentPieces(workflow).map(
    ({ id, width, setting }) => `${id}*${width}:${setting.harness}/${setting.model}/${setting.effort}`,
  );
  return `${workflow.shape}@${workflow.rounds}|${settings.join("|")}`;
}
