import { addCost, type CostSum, NO_COST } from "../core/money.ts";
import { addUsage, type TokenUsage, totalTokens } from "../core/tokens.ts";
import type { OcpCost } from "../formats/ocp/index.ts";
import { oneLine } from "./labels.ts";
import type { RecordedAttempt, RecordedSpend } from "./session-record.ts";

type Known = Extract<RecordedSpend, { readonly kind: "known" }>;

/** The model with the most tokens, when usage is known by model. */
export function mainModel(attempt: RecordedAttempt): string | undefined {
  if (attempt.spend.kind === "unknown") return undefined;
  let main: { readonly model: string; readonly tokens: number } | undefined;
  for (const { model, usage } of attempt.spend.models) {
    const tokens = totalTokens(usage) ?? 0;
    if (main === undefined || tokens > main.tokens) main = { model, tokens };
  }
  return main?.model;
}

/**
 * The cost of an attempt, or nothing when it is unknown. Dollars stand in the document's own field only when
 * all of them were measured; an estimate, or a sum with an unknown part, stays in our extension where nobody
 * adds it up.
 */
export function costOf(attempt: Pick<RecordedAttempt, "spend">): OcpCost | undefined {
  const { spend } = attempt;
  if (spend.kind === "unknown" || spend.models.length === 0) return undefined;
  const sum = spend.models.reduce<CostSum>((at, { cost }) => addCost(at, cost), NO_COST);
  const isEstimate = spend.provenance === "estimated" || sum.basis === "estimated";
  const usage = spend.models.reduce<TokenUsage>((at, one) => addUsage(at, one.usage), {});
  const ext = extensionOf(spend, sum);
  if (isEstimate) return { ext: { ...ext, "dev.loopwright.estimated_tokens": tokenFields(usage) } };
  const isPriced = sum.basis !== undefined && sum.unknownParts === 0;
  return {
    ...tokenFields(usage),
    ...(isPriced && { usd: sum.microUsd / 1e6 }),
    basis: spend.isSplit ? "allocated" : "measured",
    ...(isPriced && spend.tariff !== undefined && { tariff: tariffOf(spend.tariff) }),
    ext,
  };
}

function tariffOf(table: Known["tariff"] & object): OcpCost["tariff"] & object {
  return { id: oneLine(table.id, 200), date: oneLine(table.date, 40), source: oneLine(table.source, 500) };
}

function extensionOf(spend: Known, sum: CostSum): OcpCost["ext"] & object {
  return {
    "dev.loopwright.cost": {
      provenance: spend.provenance,
      ...(sum.basis !== undefined && { known_usd: sum.microUsd / 1e6, basis: sum.basis }),
      unknown_parts: sum.unknownParts,
    },
    ...(spend.models.length > 1 && {
      "dev.loopwright.model_tokens": spend.models.map(({ model, usage, cost }) => ({
        model: oneLine(model, 200),
        ...tokenFields(usage),
        ...(cost.kind === "known" && { usd: cost.microUsd / 1e6, basis: cost.basis }),
      })),
    }),
  };
}

/** The total of cache writes is known only when both of its classes are. */
export function tokenFields(usage: TokenUsage): Readonly<Record<string, number>> {
  const short = usage.cacheWrite5mTokens;
  const long = usage.cacheWrite1hTokens;
  const fields: Readonly<Record<string, number | undefined>> = {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cacheReadTokens,
    cache_creation_tokens: short === undefined || long === undefined ? undefined : short + long,
    cache_creation_5m_tokens: short,
    cache_creation_1h_tokens: long,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    requests: usage.requests,
  };
  const known: Record<string, number> = {};
  for (const [name, count] of Object.entries(fields)) {
    if (count !== undefined) known[name] = count;
  }
  return known;
}
