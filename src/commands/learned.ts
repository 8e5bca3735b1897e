import { fail, ok, type Result } from "../core/result.ts";
import type { Config } from "../formats/config/index.ts";
import type { OcpDocument, OcpTask } from "../formats/ocp/index.ts";
import type { Feature } from "../formats/workflow/task-types.ts";
import {
  type Belief,
  fitBelief,
  fitBeliefBeside,
  type HeadBelief,
  horizonOf,
  isFitOf,
  keepFit,
  knownFeatures,
  lnPriceChange,
  monthOf,
  type RunEvidence,
  type RunFacts,
  readRun,
  type ShippedPrior,
  type TaskFacts,
} from "../learn/index.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import type { RunRow } from "../ports/store.ts";
import { readConfig } from "./home-config.ts";
import { priceChanges, withOwnPrices } from "./price-changes.ts";
import { readPrior } from "./prior-file.ts";
import { runTexts } from "./run-documents.ts";
import type { CommandContext } from "./types.ts";

/** What was learned from the recorded runs, and the runs themselves. */
export interface Learned {
  readonly belief: Belief;
  readonly documents: readonly OcpDocument[];
  readonly rows: readonly RunRow[];
  /** The present month, see `monthOf`. */
  readonly month: number;
  readonly prior: ShippedPrior | undefined;
  /** Features that the user declares. */
  readonly features: readonly Feature[];
}

export interface FitOptions {
  readonly isWithoutPrior?: boolean;
  /** A file in place of the shipped prior. */
  readonly priorFile?: string;
  /** Sources whose runs are left out, e.g. `shared:acme`. */
  readonly without?: readonly string[];
  /** The fit that a kept recommendation names, in place of that of all runs. */
  readonly fit?: string;
}

const MAX_RUNS = 1_000_000;

/** Fits all finished runs. Equal runs give equal digits. */
export async function learn(context: CommandContext, options: FitOptions = {}): Promise<Result<Learned>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const { readStoredOcp } = await import("../formats/ocp/index.ts");
  const { judge } = await import("../record/judge.ts");
  const { recordedParts } = await import("../record/harness.ts");
  const rows =
    store.value === undefined ? ok([]) : await store.value.runs({ state: "finished", limit: MAX_RUNS });
  if (!rows.ok) return rows;
  const nowMs = context.now();
  const config = await readConfig(context);
  if (!config.ok) return config;
  const declared = await featuresIn(config.value);
  if (!declared.ok) return declared;
  const prices = await pricesOf(context);
  if (!prices.ok) return prices;
  const settings = { ...learningSettings(config.value), features: declared.value, prices: prices.value };
  const found: { readonly row: RunRow; readonly evidence: RunEvidence }[] = [];
  for await (const stored of store.value === undefined ? [] : runTexts(store.value, rows.value)) {
    if (!stored.ok) return stored;
    const { row, text } = stored.value;
    if (text === undefined) continue;
    const read = readStoredOcp(text);
    if (!read.ok) return read;
    const { document } = read.value;
    const { z, tier } = judge(document, undefined, nowMs);
    const parts = recordedParts(document);
    found.push({ row, evidence: { document, z, tier, source: sourceOf(document), parts, ...settings } });
  }
  const left = withoutSources(found, options.without ?? []);
  if (!left.ok) return left;
  const prior = await priorOf(context, options);
  if (!prior.ok) return prior;
  const facts = left.value.map(({ evidence }) => readRun(evidence, nowMs));
  const belief =
    options.fit === undefined
      ? ok(await fitted(context, facts, prior.value, isUsual(options)))
      : await (await import("./earlier-fit.ts")).earlierFit(store.value, options.fit, facts, prior.value);
  if (!belief.ok) return belief;
  const behind = new Set(belief.value.runs.map(({ id }) => id));
  const used = left.value.filter(({ evidence }) => behind.has(evidence.document.run.id));
  return ok({
    belief: withPricesOf(belief.value, prices.value, nowMs),
    documents: used.map(({ evidence }) => evidence.document),
    rows: used.map(({ row }) => row),
    month: monthOf(nowMs),
    prior: prior.value,
    features: declared.value,
  });
}

/** Costs are learned at the list prices of the day on which the shipped prior was made. */
const PRICED_MS = Date.parse(SHIPPED_PRIOR.version);

async function pricesOf(context: CommandContext): Promise<Result<NonNullable<RunEvidence["prices"]>>> {
  const steps = await priceChanges(context);
  return steps.ok ? ok({ steps: steps.value, atMs: PRICED_MS }) : steps;
}

function withPricesOf(
  belief: Belief,
  { steps, atMs }: NonNullable<RunEvidence["prices"]>,
  nowMs: number,
): Belief {
  return { ...belief, lnPriceNow: (model) => lnPriceChange(steps, model, nowMs, atMs) };
}

/** Loaded only where there are any. */
async function featuresIn(config: Config): Promise<Result<readonly Feature[]>> {
  if (![...config.values.keys()].some((key) => key.startsWith("features."))) return ok([]);
  const { declaredFeatures } = await import("../formats/config/index.ts");
  return declaredFeatures(config);
}

/** How far verdicts are trusted, and whose the runs are that say nothing of it. */
function learningSettings({ values }: Config): Pick<RunEvidence, "reliability" | "org"> {
  const org = values.get("org");
  const reliability = Object.fromEntries(
    TIERS.flatMap((tier) => {
      const q = values.get(`outcome.q.${tier}`);
      return typeof q === "number" ? [[tier, q] as const] : [];
    }),
  );
  return { reliability, ...(typeof org === "string" && { org }) };
}

const TIERS = ["verified", "reported", "heuristic", "asserted"] as const;

function isUsual({ isWithoutPrior, priorFile, without }: FitOptions): boolean {
  return isWithoutPrior !== true && priorFile === undefined && (without ?? []).length === 0;
}

/** Small fits are faster made than read; only the usual question's is kept. */
const MIN_KEPT_RUNS = 20;

async function fitted(
  context: CommandContext,
  facts: readonly RunFacts[],
  prior: ShippedPrior | undefined,
  isKept: boolean,
): Promise<Belief> {
  if (!isKept || facts.length < MIN_KEPT_RUNS) return await fittedFrom(context, facts, prior);
  const fits = await context.fits();
  const kept = fits.read();
  const belief = await fittedFrom(context, facts, prior, kept);
  if (kept === undefined || !isFitOf(kept, belief)) fits.write(keepFit(belief));
  return belief;
}

/** Fewer runs are fitted sooner than a thread has learned to. */
const MIN_THREAD_RUNS = 10_000;

async function fittedFrom(
  context: CommandContext,
  facts: readonly RunFacts[],
  prior: ShippedPrior | undefined,
  kept?: Uint8Array,
): Promise<Belief> {
  if (facts.length < MIN_THREAD_RUNS) return fitBelief(facts, prior, kept);
  return await fitBeliefBeside(await context.fitThread(), facts, prior, kept);
}

/** Runs that an organization shared are its own source; everything else is the user's. */
function sourceOf({ run }: OcpDocument): string {
  const shared = run.labels?.["shared_by"];
  return shared === undefined ? "user" : `shared:${shared}`;
}

function withoutSources<T extends { readonly evidence: RunEvidence }>(
  found: readonly T[],
  without: readonly string[],
): Result<readonly T[]> {
  const known = new Set(found.map(({ evidence }) => evidence.source ?? "user"));
  const unknown = without.find((source) => !known.has(source));
  if (unknown !== undefined) {
    return fail("bad-flag", `no run has the source "${unknown}"`, {
      hint: `known: ${[...known].sort().join(", ") || "none"}`,
    });
  }
  return ok(found.filter(({ evidence }) => !without.includes(evidence.source ?? "user")));
}

async function priorOf(
  context: CommandContext,
  { isWithoutPrior, priorFile }: FitOptions,
): Promise<Result<ShippedPrior | undefined>> {
  if (isWithoutPrior === true) return ok(undefined);
  if (priorFile === undefined) return withOwnPrices(context, SHIPPED_PRIOR, PRICED_MS);
  const text = await context.readText(priorFile);
  if (!text.ok) return text;
  const prior = readPrior(text.value, priorFile);
  return prior.ok ? withOwnPrices(context, prior.value, PRICED_MS) : prior;
}

/** A task in the learner's words. */
export function taskFactsOf(task: OcpTask, declared: readonly Feature[]): TaskFacts {
  return {
    id: task.id,
    type: task.type ?? "unknown",
    ...(task.repo !== undefined && { repo: task.repo }),
    ...(task.subtype !== undefined && { subtype: task.subtype }),
    ...(task.org !== undefined && { org: task.org }),
    ...horizonOf(task),
    features: knownFeatures(task.features ?? {}, declared),
  };
}

/** The heads that every fit has, by name. */
export function headsOf(belief: Belief): readonly (readonly [name: string, head: HeadBelief])[] {
  return [
    ["success", belief.success],
    ["gate", belief.gate],
    ["cost", belief.cost],
    ["tokens", belief.tokens],
  ];
}
