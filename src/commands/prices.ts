import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import {
  type PriceRow,
  type PriceTable,
  parsePrices,
  priceWarnings,
  type Rates,
} from "../formats/prices/index.ts";
import { BUILTIN_PRICES } from "../logs/prices/builtin.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, flag, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const PRICES_FLAG = {
  kind: "text",
  brief: "Price table (TOML); without it prices.toml in the home folder",
  placeholder: "FILE",
} as const;

const RATES = {
  input: number,
  cache_write_5m: orNull(number),
  cache_write_1h: orNull(number),
  cache_read: orNull(number),
  output: number,
};

export const pricesShow: Command = {
  path: ["prices", "show"],
  group: "Logs",
  brief: "What each model costs, from when on, and who says so",
  details: "Dollars per million tokens. Your own table comes first, then ours, then the catalogue's.",
  args: [{ name: "model", brief: "Only the price that this model is charged today", required: false }],
  flags: { prices: PRICES_FLAG },
  output: answer("prices-show", {
    date: text,
    web_search_usd: number,
    models: list(
      object({
        model: text,
        from: orNull(text),
        ...RATES,
        long_context: list(object({ above_tokens: whole, ...RATES })),
        tiers: { type: "object", additionalProperties: number },
        source: text,
        guess: flag,
      }),
    ),
  }),
  run: show,
};

export const pricesValidate: Command = {
  path: ["prices", "validate"],
  group: "Logs",
  brief: "Check a price table: every mistake at once, and what looks wrong",
  args: [],
  flags: { prices: PRICES_FLAG },
  output: answer("prices-validate", {
    file: text,
    valid: flag,
    models: whole,
    errors: list(object({ code: text, message: text, at: orNull(text) })),
    warnings: list(text),
  }),
  run: validate,
};

async function show(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const file = readFlags(input).text("prices");
  const [model] = input.args;
  if (model !== undefined) return showOne(context, model, file);
  const own = await ownTable(context, file);
  if (!own.ok) return own;
  const first = own.value ?? BUILTIN_PRICES;
  const tables = own.value === undefined ? [BUILTIN_PRICES] : [own.value, BUILTIN_PRICES];
  const models = new Map<string, readonly PriceRow[]>();
  for (const table of tables) {
    for (const [name, rows] of Object.entries(table.models)) if (!models.has(name)) models.set(name, rows);
  }
  return shown(
    first,
    [...models]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, rows]) => rows.map((row) => rowView(name, row))),
  );
}

async function showOne(
  context: CommandContext,
  model: string,
  file: string | undefined,
): Promise<Result<CommandOutput>> {
  const prices = await (await context.logs()).prices(new Set([model]), file);
  if (!prices.ok) return prices;
  const row = prices.value.row(model, context.now());
  if (row === undefined) {
    return fail("bad-input", `no table has a price for ${model}`, {
      hint: `add it to ${context.home}/prices.toml; until then its cost is unknown`,
    });
  }
  return shown(BUILTIN_PRICES, [rowView(model, row)]);
}

function shown(table: PriceTable, models: readonly JsonObject[]): Result<CommandOutput> {
  const { date, webSearchUsd } = table;
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.prices-show/1", ok: true, date, web_search_usd: webSearchUsd, models },
  });
}

async function ownTable(
  context: CommandContext,
  file: string | undefined,
): Promise<Result<PriceTable | undefined>> {
  const path = file ?? `${context.home}/prices.toml`;
  const read = await context.readText(path);
  if (!read.ok) return file === undefined ? ok(undefined) : read;
  const parsed = parsePrices(read.value, path);
  if (parsed.ok) return parsed;
  const [problem] = parsed.problems;
  return fail("bad-input", problem?.message ?? "no price table", {
    at: problem?.at ?? path,
    hint: `loopwright prices validate --prices ${path}`,
  });
}

function rowView(model: string, row: PriceRow): JsonObject {
  return {
    model,
    from: row.from ?? null,
    ...ratesView(row.rates),
    long_context: row.longContext.map(({ aboveTokens, rates }) => ({
      above_tokens: aboveTokens,
      ...ratesView(rates),
    })),
    tiers: { ...row.tiers },
    source: row.source,
    guess: row.isGuess,
  };
}

function ratesView(rates: Rates): JsonObject {
  return {
    input: rates.input,
    cache_write_5m: rates.write5m ?? null,
    cache_write_1h: rates.write1h ?? null,
    cache_read: rates.read ?? null,
    output: rates.output,
  };
}

async function validate(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const file = readFlags(input).text("prices") ?? `${context.home}/prices.toml`;
  const read = await context.readText(file);
  if (!read.ok) return read;
  const parsed = parsePrices(read.value, file);
  const errors = parsed.ok ? [] : parsed.problems;
  return ok({
    exit: parsed.ok ? ExitCode.ok : ExitCode.userError,
    json: {
      schema: "loopwright.prices-validate/1",
      ok: true,
      file,
      valid: parsed.ok,
      models: parsed.ok ? Object.keys(parsed.value.models).length : 0,
      errors: errors.map(({ code, message, at }) => ({ code, message, at: at ?? null })),
      warnings: parsed.ok ? priceWarnings(parsed.value, context.now()) : [],
    },
  });
}
