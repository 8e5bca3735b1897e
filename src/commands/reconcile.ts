import { isJsonObject, type Json, type JsonObject } from "../core/canonical-json.ts";
import { addCost, type CostSum, NO_COST } from "../core/money.ts";
import { addUsage, type TokenUsage, totalTokens } from "../core/tokens.ts";
import type { UsageReport } from "../ports/provider.ts";
import { type JsonSchema, list, number, object, orNull, text, whole } from "./schema.ts";
import type { UsagePorts } from "./types.ts";

/** Each agent session of a run: what the provider's output said beside what the agent's own log says. */
export const RECONCILED: JsonSchema = list(
  object({
    session: text,
    attempts: whole,
    stated_usd: orNull(number),
    logged_usd: orNull(number),
    difference_usd: orNull(number),
    stated_tokens: orNull(whole),
    logged_tokens: orNull(whole),
    why: orNull(text),
  }),
);

interface Attempt {
  readonly session: string;
  readonly harness: string;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly usd: number | undefined;
  readonly tokens: number | undefined;
}

const TOKEN_FIELDS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_creation_tokens",
  "output_tokens",
] as const;

/**
 * Sets a run's recorded costs against the agents' logs, matched by the session id that the agent itself reported. Only the
 * time of the run's own attempts counts; what cannot be compared says why.
 *
 * @param home where the agent keeps its files, when it is not the usual place
 */
export async function reconcile(
  { reader, prices }: UsagePorts,
  document: Json,
  home?: string,
): Promise<readonly JsonObject[]> {
  const bySession = new Map<string, Attempt[]>();
  for (const attempt of attemptsOf(document)) {
    bySession.set(attempt.session, [...(bySession.get(attempt.session) ?? []), attempt]);
  }
  const answers: JsonObject[] = [];
  for (const [session, attempts] of bySession) {
    const [first] = attempts;
    const times = attempts
      .flatMap(({ startedAt, endedAt }) => [startedAt ?? [], endedAt ?? []].flat())
      .sort();
    const [from, to] = [times[0], times.at(-1)];
    const report = await reader.ofSession({
      agent: first?.harness === "codex" ? "codex" : "claude-code",
      session,
      cwd: "",
      ...(from === undefined ? {} : { from: shifted(from, -SLACK_MS) }),
      ...(to === undefined ? {} : { to: shifted(to, SLACK_MS) }),
      ...(home === undefined ? {} : { home }),
    });
    answers.push(
      compared(session, attempts, report, (model, usage) => prices.price(model, usage, from ?? "", "logged")),
    );
  }
  return answers;
}

/** Clocks of a record and of a log are read at slightly different moments. */
const SLACK_MS = 2000;

function shifted(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

function compared(
  session: string,
  attempts: readonly Attempt[],
  report: UsageReport,
  priceOf: (model: string, usage: TokenUsage) => Parameters<typeof addCost>[1],
): JsonObject {
  const stated = total(attempts.map(({ usd }) => usd));
  const base = {
    session,
    attempts: attempts.length,
    stated_usd: stated === undefined ? null : toMicros(stated) / 1e6,
    stated_tokens: total(attempts.map(({ tokens }) => tokens)) ?? null,
  };
  if (report.kind === "unknown") {
    return { ...base, logged_usd: null, difference_usd: null, logged_tokens: null, why: report.why };
  }
  const sum = report.models.reduce<CostSum>(
    (at, part) => addCost(at, part.cost ?? priceOf(part.model, part.usage)),
    NO_COST,
  );
  const usage = report.models.reduce<TokenUsage>((at, part) => addUsage(at, part.usage), {});
  const logged = sum.unknownParts > 0 ? undefined : sum.microUsd;
  const isComparable = logged !== undefined && stated !== undefined;
  return {
    ...base,
    logged_usd: logged === undefined ? null : logged / 1e6,
    difference_usd: isComparable ? (toMicros(stated) - logged) / 1e6 : null,
    logged_tokens: totalTokens(usage) ?? null,
    why: isComparable
      ? null
      : logged === undefined
        ? "a model has no price"
        : "the run's own cost is unknown",
  };
}

function toMicros(usd: number): number {
  return Math.round(usd * 1e6);
}

/** One unknown part makes a sum unknown. */
function total(parts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum += part;
  }
  return sum;
}

function attemptsOf(document: Json): Attempt[] {
  const attempts = isJsonObject(document) ? document["attempts"] : undefined;
  return (Array.isArray(attempts) ? attempts : []).filter(isJsonObject).flatMap((attempt) => {
    const session = attempt["session"];
    if (typeof session !== "string") return [];
    const cost = attempt["cost"];
    return [
      {
        session,
        harness: String(attempt["harness"] ?? ""),
        startedAt: stringOf(attempt["started_at"]),
        endedAt: stringOf(attempt["ended_at"]),
        usd: isJsonObject(cost) ? numberOf(cost["usd"]) : undefined,
        tokens: isJsonObject(cost) ? total(TOKEN_FIELDS.map((field) => numberOf(cost[field]))) : undefined,
      },
    ];
  });
}

function stringOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
