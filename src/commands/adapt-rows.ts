import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { TokenUsage } from "../core/tokens.ts";
import type { HarnessRows } from "../formats/harness-rows/index.ts";
import type { OcpCost, OcpDocument } from "../formats/ocp/index.ts";
import type { ConvertedRows } from "../record/harness-rows.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags, wholePath } from "./flag-values.ts";
import type { JsonSchema } from "./schema.ts";
import { list, object, text, whole } from "./schema.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const HARNESS_RUNS = "harness-runs";

/** What the answer says of rows; see `adapt`. */
export const ROW_ANSWER: Readonly<Record<string, JsonSchema>> = {
  "runs?": whole,
  "refused?": list(object({ line: whole, error: text })),
  /** Rows whose dollars nobody knows. */
  "no_cost?": list(text),
  /** Pairs whose rows do not do one task from one commit. */
  "unpaired?": list(text),
  /** Members of another tool's rows that were left out. */
  "unknown?": list(text),
};

const LARGEST_BYTES = 256 * 1024 * 1024;
const FILTERS = ["store", "session", "project", "since", "until", "limit"];

/** Rollouts of an evaluation, one JSON line each, as run documents: a file for each with `--out`, else lines. */
export async function adaptRows(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const [, file] = input.args;
  if (file === undefined)
    return fail("bad-flag", `name the file of rows: \`loopwright adapt ${HARNESS_RUNS} FILE\``);
  const odd = FILTERS.find((name) => input.flags[name] !== undefined);
  if (odd !== undefined) return fail("bad-flag", `rows are not filtered: leave --${odd} out`);
  const bytes = await context.files.read(wholePath(context.cwd, file), LARGEST_BYTES);
  if (!bytes.ok) return bytes;
  const { readHarnessRows } = await import("../formats/harness-rows/index.ts");
  const read = readHarnessRows(new TextDecoder().decode(bytes.value));
  const converted = await convert(context, read, flags.text("prices"));
  if (!converted.ok) return converted;
  const texts = await checked(converted.value.documents);
  if (!texts.ok) return texts;
  const out = flags.text("out");
  const written = out === undefined ? ok(undefined) : await writeAll(context, out, texts.value);
  if (!written.ok) return written;
  for (const note of notesOf(read, converted.value)) context.talk(note);
  return ok(answerOf(read, converted.value, texts.value, out));
}

function notesOf(
  { unknown }: HarnessRows,
  { documents, refused, noCost, unpaired }: ConvertedRows,
): readonly string[] {
  const named = (names: readonly string[], words: string): readonly string[] =>
    names.length === 0 ? [] : [`${words}: ${names.join(", ")}`];
  return [
    ...refused.map(({ line, error }) => `line ${line} is refused: ${error}`),
    `${documents.length} of ${documents.length + refused.length} rows converted`,
    ...named(noCost, "of unknown cost"),
    ...named(unpaired, "pairs that make no slate, because their rows differ in task or commit"),
    ...named(unknown, "left out, because no member of these names is known"),
  ];
}

function answerOf(
  { unknown }: HarnessRows,
  { documents, refused, noCost, unpaired }: ConvertedRows,
  texts: readonly DocumentText[],
  out: string | undefined,
): CommandOutput {
  const json: JsonObject = {
    schema: "loopwright.adapt/1",
    ok: true,
    name: HARNESS_RUNS,
    runs: documents.length,
    refused: refused.map((one) => ({ ...one })),
    no_cost: [...noCost],
    unpaired: [...unpaired],
    unknown: [...unknown],
    out: out ?? null,
    ...(out === undefined ? { text: texts.map(({ line }) => `${line}\n`).join("") } : {}),
  };
  return { exit: refused.length === 0 ? ExitCode.ok : ExitCode.userError, json };
}

async function convert(
  context: CommandContext,
  read: HarnessRows,
  priceFile: string | undefined,
): Promise<Result<ConvertedRows>> {
  const models = read.rows.flatMap(({ model }) => (model === undefined ? [] : [model]));
  const prices = await (await context.logs()).prices(new Set(models), priceFile);
  if (!prices.ok) return prices;
  const { harnessRuns } = await import("../record/harness-rows.ts");
  const usd = (model: string, cost: OcpCost, atMs: number): number | undefined => {
    const usage = usageOf(cost);
    if (usage === undefined) return undefined;
    const priced = prices.value.priceCalls([{ model, usage, atMs, webSearches: 0 }], "logged");
    return priced.kind === "known" && priced.basis === "logged" ? priced.microUsd / 1e6 : undefined;
  };
  return ok(harnessRuns(read, { version: context.version, nowMs: context.now(), usd }));
}

/** Cache writes that are only known in all have no price: five minutes and an hour cost differently. */
function usageOf(cost: OcpCost): TokenUsage | undefined {
  const short = cost.cache_creation_5m_tokens ?? 0;
  const long = cost.cache_creation_1h_tokens ?? 0;
  if ((cost.cache_creation_tokens ?? 0) > short + long) return undefined;
  return {
    ...(cost.input_tokens !== undefined && { inputTokens: cost.input_tokens }),
    ...(cost.output_tokens !== undefined && { outputTokens: cost.output_tokens }),
    cacheReadTokens: cost.cached_input_tokens ?? 0,
    cacheWrite5mTokens: short,
    cacheWrite1hTokens: long,
  };
}

interface DocumentText {
  readonly run: string;
  readonly line: string;
  readonly whole: string;
}

async function checked(documents: readonly OcpDocument[]): Promise<Result<readonly DocumentText[]>> {
  const { formatOcp, validateOcp } = await import("../formats/ocp/index.ts");
  const texts: DocumentText[] = [];
  for (const document of documents) {
    const error = validateOcp(document, { lints: false }).findings.find(({ level }) => level === "error");
    if (error !== undefined)
      return fail(
        "ocp-invalid",
        `the run ${document.run.id} would break a rule: ${error.code} ${error.message}`,
      );
    texts.push({ run: document.run.id, line: JSON.stringify(document), whole: formatOcp(document) });
  }
  return ok(texts);
}

async function writeAll(
  context: CommandContext,
  folder: string,
  texts: readonly DocumentText[],
): Promise<Result<void>> {
  const place = wholePath(context.cwd, folder);
  if ((await context.files.kind(place)) === "file")
    return fail("bad-flag", `--out is the file ${folder}, expected a folder for one document a run`);
  for (const { run, whole: content } of texts) {
    const written = await context.files.write(`${place}/${run}.ocp.json`, content);
    if (!written.ok) return written;
  }
  return ok(undefined);
}
