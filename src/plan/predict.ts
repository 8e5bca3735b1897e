import { type Belief, HeadDraws, modelPath, type TaskFacts, type WorkflowFacts } from "../learn/index.ts";
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
import { type Amounts, byRound, DISTINCT_ROUNDS, spend } from "./amounts.ts";
import { type Flow, flowOf, type LoopReach } from "./flow.ts";
import { reachProb, type ScoreTarget } from "./reach.ts";
import { Simulator } from "./simulator.ts";
import { expectedRounds, type GateChances, successThroughGates, walkAll } from "./through-gates.ts";

/** The chance and the price of one configuration on one task, draw by draw. Equal draws of two belong together. */
export interface Outline {
  readonly success: Float64Array;
  /** Expected dollars of a run. */
  readonly costUsd: Float64Array;
}

/** What is believed of one configuration on one task. */
export interface Prediction extends Outline {
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

/** How a configuration runs, and what its gates let pass. */
interface Way {
  readonly task: TaskFacts;
  readonly workflow: WorkflowFacts;
  readonly context: RowContext;
  readonly flow: Flow;
  readonly gates: GateChances;
  readonly loops: readonly LoopReach[];
  readonly cost: () => Amounts;
  readonly tokens: () => Amounts;
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
  #last: Way | undefined;
  #counts: SupportCounts | undefined;

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
    const { loops } = this.#wayOf(task, workflow);
    return {
      ...this.outline(task, workflow),
      rounds: expectedRounds(loops, this.#success.count),
      support: this.#support().of(task, workflow),
    };
  }

  /** What it takes to compare configurations. */
  outline(task: TaskFacts, workflow: WorkflowFacts): Outline {
    const { context, loops, cost } = this.#wayOf(task, workflow);
    const ends = {
      eta: this.#success.sum(runTerms(task, workflow, context)),
      later: this.#success.effect(ROUNDS),
      exhausted: this.#success.effect(EXHAUSTED),
    };
    const success = successThroughGates(loops, ends, workflow.rounds);
    return { success, costUsd: spend(workflow, cost(), loops, success) };
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
    const { loops, tokens } = this.#wayOf(task, workflow);
    return spend(workflow, tokens(), loops, success);
  }

  /** Dollars or tokens of one simulated run in each draw, given the chances that were predicted for it. */
  simulate(
    what: "cost" | "tokens",
    task: TaskFacts,
    workflow: WorkflowFacts,
    success: Float64Array,
  ): Float64Array {
    const way = this.#wayOf(task, workflow);
    return this.#simulator.run(workflow, way.flow, way[what](), way.gates, success);
  }

  /** What every question about a configuration starts from; the last one is asked about several times. */
  #wayOf(task: TaskFacts, workflow: WorkflowFacts): Way {
    if (this.#last?.task === task && this.#last.workflow === workflow) return this.#last;
    const context = this.#context();
    const flow = flowOf(workflow);
    const gates = this.#gateChances(task, workflow, flow, context);
    const loops = walkAll(flow, workflow.rounds, gates, this.#success.count);
    const amounts = (head: HeadDraws) => once(() => this.#amounts(head, task, workflow, context));
    const [cost, tokens] = [amounts(this.#cost), amounts(this.#tokens)];
    this.#last = { task, workflow, context, flow, gates, loops, cost, tokens };
    return this.#last;
  }

  #lnPriceNow(model: string | undefined): number {
    return model === undefined ? 0 : (this.belief.lnPriceNow?.(model) ?? 0);
  }

  #support(): SupportCounts {
    this.#counts ??= new SupportCounts(this.belief.runs);
    return this.#counts;
  }

  #context(): RowContext {
    const { months, repeatedTasks, horizon } = this.belief;
    return {
      source: "user",
      hasTask: (task) => repeatedTasks.has(task),
      drift: (model, weight) => stepsTo(months, modelPath(model).model, this.#now, weight),
      parts: this.#parts,
      ...(horizon !== undefined && { horizon }),
    };
  }

  #gateChances(task: TaskFacts, workflow: WorkflowFacts, flow: Flow, context: RowContext): GateChances {
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
      agentPieces(workflow).map((piece) => {
        const all = byRound(head, attemptTerms(task, workflow, piece, 1, context), rounds);
        const dearer = head === this.#cost ? this.#lnPriceNow(piece.setting.model) : 0;
        return [piece.id, dearer === 0 ? all : all.map((draws) => draws.map((ln) => ln + dearer))] as const;
      }),
    );
    const { sigma, omega } = head.noise();
    const failed = head.effect(FAILED);
    return {
      byPiece,
      failedFactor: failed.map(Math.exp),
      sigma,
      omega,
      lnNoise: sigma.map((one, d) => (one ** 2 + at(omega, d) ** 2) / 2),
    };
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Counts runs by what they share with a configuration, all of them once. */
class SupportCounts {
  readonly #shapes = new Map<string, number>();
  readonly #models = new Map<string, number>();
  readonly #types = new Map<string, number>();
  readonly #same = new Map<string, number>();

  constructor(runs: Belief["runs"]) {
    for (const { task, workflow } of runs) {
      addOne(this.#shapes, workflow.shape);
      addOne(this.#models, modelsOf(workflow));
      addOne(this.#types, task.type);
      addOne(this.#same, supportKey(workflow));
    }
  }

  of(task: TaskFacts, workflow: WorkflowFacts): Support {
    return {
      shape: this.#shapes.get(workflow.shape) ?? 0,
      models: this.#models.get(modelsOf(workflow)) ?? 0,
      type: this.#types.get(task.type) ?? 0,
      same: this.#same.get(supportKey(workflow)) ?? 0,
    };
  }
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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
