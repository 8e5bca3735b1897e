import {
  type Belief,
  type GateFacts,
  HeadDraws,
  modelPath,
  type PieceFacts,
  type TaskFacts,
  type WorkflowFacts,
} from "../learn/index.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
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
import { type Flow, flowOf, type LoopReach, loopRoom, walkLoop } from "./flow.ts";

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
/** From the third round on every round looks alike. */
const DISTINCT_ROUNDS = 3;

/** Answers questions about configurations from one belief; keeps its draws for the next question. */
export class Predictor {
  readonly belief: Belief;
  readonly #now: number;
  readonly #success: HeadDraws;
  readonly #gate: HeadDraws;
  readonly #cost: HeadDraws;
  readonly #tokens: HeadDraws;
  readonly #simulated = new Map<string, Float64Array>();

  /** `month` is the present one. */
  constructor(belief: Belief, month: number, draws = DRAWS) {
    this.belief = belief;
    this.#now = month;
    this.#success = new HeadDraws(belief.success, "success", belief.seed, draws);
    this.#gate = new HeadDraws(belief.gate, "gate", belief.seed, draws);
    this.#cost = new HeadDraws(belief.cost, "cost", belief.seed, draws);
    this.#tokens = new HeadDraws(belief.tokens, "tokens", belief.seed, draws);
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

  /** Dollars of one simulated run in each draw, given the chances that were predicted for it. */
  simulate(task: TaskFacts, workflow: WorkflowFacts, success: Float64Array): Float64Array {
    const context = this.#context();
    const flow = flowOf(workflow);
    const gates = this.#gateChances(task, workflow, flow, context);
    const costs = this.#amounts(this.#cost, task, workflow, context);
    return success.map((chance, d) => this.#simulateRun(workflow, flow, costs, gates, chance, d));
  }

  #context(): RowContext {
    const { months, repeatedTasks } = this.belief;
    return {
      source: "user",
      hasTask: (task) => repeatedTasks.has(task),
      drift: (model, weight) => stepsTo(months, modelPath(model).model, this.#now, weight),
      parts: [],
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

  #normals(key: string): Float64Array {
    const known = this.#simulated.get(key);
    if (known !== undefined) return known;
    const stream = keyedStream(this.belief.seed, `simulate/${key}`);
    const made = Float64Array.from({ length: this.#success.count }, (_, d) => stream.normal(d));
    this.#simulated.set(key, made);
    return made;
  }

  #uniforms(key: string): Float64Array {
    const known = this.#simulated.get(key);
    if (known !== undefined) return known;
    const stream = keyedStream(this.belief.seed, `simulate/${key}`);
    const made = Float64Array.from({ length: this.#success.count }, (_, d) => stream.uniform(d));
    this.#simulated.set(key, made);
    return made;
  }

  /** One run: its attempts share the run's noise, its gates are drawn. */
  #simulateRun(
    workflow: WorkflowFacts,
    flow: Flow,
    costs: Amounts,
    gates: ReadonlyMap<GateFacts, readonly Float64Array[]>,
    success: number,
    d: number,
  ): number {
    const shared = at(costs.omega, d) * at(this.#normals("run"), d);
    const attempt = (piece: PieceFacts, k: number, isFailed: boolean): number => {
      const round = Math.min(k, DISTINCT_ROUNDS - 1);
      let sum = 0;
      for (let copy = 0; copy < piece.width; copy += 1) {
        const noise = at(costs.sigma, d) * at(this.#normals(`${piece.id}/${k}/${copy}`), d);
        sum += Math.exp(amountAt(costs, piece.id, round, d) + shared + noise);
      }
      return isFailed ? sum * Math.exp(at(costs.failed, d)) : sum;
    };
    const pieces = new Map(agentPieces(workflow).map((piece) => [piece.id, piece] as const));
    let total = 0;
    const isMiss = at(this.#uniforms("accepted"), d) > success;
    for (const id of flow.single) {
      const piece = pieces.get(id);
      if (piece !== undefined) total += attempt(piece, 0, flow.loops.length === 0 && isMiss);
    }
    for (const loop of flow.loops) {
      for (let k = 0; k < workflow.rounds; k += 1) {
        const saysNo = loop.gates.find(
          (gate) =>
            at(this.#uniforms(`${gate.id}/${k}`), d) >
            at(gates.get(gate)?.[Math.min(k, DISTINCT_ROUNDS - 1)] ?? [], d),
        );
        for (const id of loop.pieces) {
          const piece = pieces.get(id);
          if (piece !== undefined)
            total += attempt(piece, k, saysNo !== undefined && isJudged(loop.gates, id));
          if (saysNo?.piece === id) break;
        }
        if (saysNo === undefined) break;
      }
    }
    return total;
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

/** The sums of a first round, a second and a later one: the round is one more term. */
function byRound(head: HeadDraws, first: readonly Term[], rounds: number): readonly Float64Array[] {
  const base = head.sum(first);
  const later = ["round:2", "round:3+"].slice(0, rounds - 1).map((node) => {
    const step = head.sum([[node, 1]]);
    return base.map((value, d) => value + at(step, d));
  });
  return [base, ...later];
}

interface Amounts {
  readonly byPiece: ReadonlyMap<string, readonly Float64Array[]>;
  readonly failed: Float64Array;
  readonly sigma: Float64Array;
  readonly omega: Float64Array;
}

function emptyPrediction(count: number, support: Support): Prediction {
  const empty = () => new Float64Array(count);
  return { success: empty(), costUsd: empty(), rounds: empty(), support };
}

function amountAt(amounts: Amounts, piece: string, round: number, d: number): number {
  const byRound = amounts.byPiece.get(piece) ?? [];
  return at(byRound[Math.min(round, byRound.length - 1)] ?? [], d);
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

function isJudged(gates: readonly GateFacts[], piece: string): boolean {
  return gates.some((gate) => (gate.sendsBackTo ?? gate.piece) === piece);
}

type Passes = readonly (readonly (readonly Float64Array[])[])[];

/** Chances to pass by loop, gate and distinct round. */
function passesOf(flow: Flow, gates: ReadonlyMap<GateFacts, readonly Float64Array[]>): Passes {
  return flow.loops.map((loop) => loop.gates.map((gate) => gates.get(gate) ?? []));
}

function walkAll(rooms: readonly LoopReach[], passes: Passes, d: number): void {
  for (const [l, room] of rooms.entries()) {
    walkLoop(room, (gate, round) => at(passes[l]?.[gate]?.[Math.min(round, DISTINCT_ROUNDS) - 1] ?? [], d));
  }
}

function expectedRounds(loops: readonly LoopReach[]): number {
  let most = 1;
  for (const { rounds } of loops) {
    let sum = 0;
    for (const chance of rounds) sum += chance;
    most = Math.max(most, sum);
  }
  return most;
}

/** Acceptance by how the run ends: with its gates passed in some round, or with its rounds used up. */
function successThroughGates(
  loops: readonly LoopReach[],
  eta: number,
  later: number,
  exhausted: number,
  rounds: number,
): number {
  const [loop, ...others] = loops;
  if (loop === undefined) return logistic(eta);
  const rest = others.reduce((product, other) => product * (1 - other.exhausted), 1);
  let sum = 0;
  loop.ends.forEach((chance, k) => {
    sum += chance * rest * logistic(eta + later * Math.log2(k + 1));
  });
  const lost = 1 - (1 - loop.exhausted) * rest;
  return sum + lost * logistic(eta + later * Math.log2(rounds) + exhausted);
}

/** A piece as the expected amount of a run needs it. */
interface Share {
  readonly width: number;
  readonly byRound: readonly Float64Array[];
  readonly reach: Float64Array | undefined;
  readonly passes: Float64Array | undefined;
  /** Whether a no of a gate makes its attempt dearer. */
  readonly isJudged: boolean;
}

function sharesOf(workflow: WorkflowFacts, amounts: Amounts, loops: readonly LoopReach[]): readonly Share[] {
  return agentPieces(workflow).map(({ id, width }) => {
    const room = loops.find(({ pieces }) => pieces.has(id));
    return {
      width,
      byRound: amounts.byPiece.get(id) ?? [],
      reach: room?.pieces.get(id),
      passes: room?.passes,
      isJudged: loops.length === 0 || loops.some(({ loop }) => isJudged(loop.gates, id)),
    };
  });
}

/** Expected amount of a run. An attempt whose gate says no costs more; without gates, one that is not accepted. */
function spend(shares: readonly Share[], amounts: Amounts, success: number, d: number): number {
  const noise = (at(amounts.sigma, d) ** 2 + at(amounts.omega, d) ** 2) / 2;
  const failed = Math.exp(at(amounts.failed, d));
  let total = 0;
  for (const { width, byRound, reach, passes, isJudged: judged } of shares) {
    const rounds = reach?.length ?? 1;
    let one = 0;
    for (let k = 0; k < rounds; k += 1) {
      const here = reach === undefined ? 1 : at(reach, k);
      if (here < 1e-9) break;
      if (k < byRound.length) one = width * Math.exp(at(byRound[k] ?? [], d) + noise);
      const pass = passes === undefined ? success : at(passes, k);
      total += here * one * (judged ? pass + (1 - pass) * failed : 1);
    }
  }
  return total;
}
