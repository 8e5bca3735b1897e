import { type ModelMonths, stepsUntil } from "./drift.ts";
import type { RunFacts } from "./facts.ts";
import type { HorizonPlan } from "./horizon.ts";
import { Known } from "./names.ts";
import { type PartPlan, partTerms } from "./parts.ts";
import type { RowContext, Term } from "./terms.ts";

/** What the rows of a run depend on beside the run. */
export interface RowPlan {
  readonly months: ModelMonths;
  readonly repeatedTasks: ReadonlySet<string>;
  readonly parts: PartPlan;
  readonly horizon: HorizonPlan | undefined;
}

/** What the rows of runs meet. Steps in time are worked out once for each model, month and weight. */
export class Contexts {
  readonly plan: RowPlan;
  readonly #steps = new Known<readonly Term[]>();

  constructor(plan: RowPlan) {
    this.plan = plan;
  }

  of(run: RunFacts): RowContext {
    return new RunContext(run, this);
  }

  steps(model: string, month: number, weight: number): readonly Term[] {
    const found = this.#steps.below(model).below(month).below(weight);
    found.made ??= stepsUntil(this.plan.months, model, month, weight);
    return found.made;
  }
}

class RunContext implements RowContext {
  readonly source: string;
  readonly horizon?: HorizonPlan;
  readonly #run: RunFacts;
  readonly #contexts: Contexts;
  #parts: readonly Term[] | undefined;

  constructor(run: RunFacts, contexts: Contexts) {
    this.source = run.source;
    if (contexts.plan.horizon !== undefined) this.horizon = contexts.plan.horizon;
    this.#run = run;
    this.#contexts = contexts;
  }

  /** Rows of gates do not ask. */
  get parts(): readonly Term[] {
    this.#parts ??= partTerms(this.#run, this.#contexts.plan.parts);
    return this.#parts;
  }

  hasTask(task: string): boolean {
    return this.#contexts.plan.repeatedTasks.has(task);
  }

  drift(model: string, weight: number): readonly Term[] {
    const { month } = this.#run;
    return month === undefined ? [] : this.#contexts.steps(model, month, weight);
  }
}
