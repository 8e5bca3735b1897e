import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { Store } from "../ports/store.ts";
import type { SaidSignal } from "../record/index.ts";
import { JUDGES, SCALES, SIGNAL_KINDS, SIGNAL_SOURCES, TIERS } from "../record/words.ts";
import { type RunsMeant, runsOfCommit } from "./commit-runs.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { preferOutcome } from "./outcome-prefer.ts";
import { ruleOutcome } from "./outcome-rule.ts";
import { rescoreReceipt } from "./rescore.ts";
import { answer, flag, list, object, oneOf, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const RUN = object({
  run: text,
  signal: orNull(text),
  state: text,
  outcome: text,
  reasons: list(text),
  rescored: flag,
});

export const outcome: Command = {
  path: ["outcome"],
  group: "Record",
  brief: "Say what a run came to: a verdict, a score, an event, a preference or another rule",
  details:
    "By --run, by --slate or by --commit. With --rule or --undo-rule the runs are named as words. The last verdict of a name decides.",
  args: [{ name: "run", brief: "Runs for --rule and --undo-rule", required: false, variadic: true }],
  flags: {
    run: { kind: "text", brief: "The run it is about", placeholder: "RUN" },
    slate: { kind: "text", brief: "Every run of a slate", placeholder: "SLATE" },
    commit: { kind: "text", brief: "The runs that made this commit", placeholder: "SHA" },
    signal: {
      kind: "text",
      brief: "What is said; an empty VALUE declares a score not measured",
      placeholder: "NAME=VALUE",
    },
    kind: {
      kind: "choice",
      brief: "What it is, where the value does not say",
      choices: SIGNAL_KINDS,
    },
    unit: { kind: "text", brief: "Unit of a score", placeholder: "UNIT" },
    better: { kind: "choice", brief: "Which scores are better", choices: ["higher", "lower"] },
    target: { kind: "text", brief: "Score to reach", placeholder: "NUMBER" },
    scale: { kind: "choice", brief: "Scale of a score", choices: SCALES },
    atAttempt: { kind: "text", brief: "The attempt after which it holds", placeholder: "ATT" },
    source: {
      kind: "choice",
      brief: "Who says so (orchestrator)",
      choices: SIGNAL_SOURCES,
    },
    tier: {
      kind: "choice",
      brief: "How it is known (reported)",
      choices: TIERS,
    },
    observedAt: { kind: "text", brief: "When it was seen (now)", placeholder: "TIME" },
    prefer: { kind: "text", brief: "With --slate: the better run", placeholder: "RUN|tie" },
    judge: { kind: "choice", brief: "Who compared (referee)", choices: JUDGES },
    blinded: { kind: "boolean", brief: "The judge did not know which run was which" },
    rule: { kind: "text", brief: "Judge these runs by another rule from now on", placeholder: "RULE" },
    undoRule: { kind: "boolean", brief: "Judge these runs by their own rules again" },
  },
  output: answer("outcome", {
    "kind?": oneOf(...SIGNAL_KINDS),
    "name?": text,
    "via?": orNull(text),
    "slate?": text,
    "preference?": text,
    "winner?": text,
    "rule?": orNull(text),
    "run?": text,
    "outcome?": text,
    runs: list(RUN),
    notes: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const refused = refusal(context, input);
  if (refused !== undefined) return refused;
  const store = await context.writeStore();
  if (!store.ok) return store;
  if (flags.is("undoRule") || flags.text("rule") !== undefined)
    return ruleOutcome(context, store.value, input);
  if (flags.text("prefer") !== undefined) return preferOutcome(context, store.value, input);
  return signalOutcome(context, store.value, input);
}

/** What the words cannot mean together. */
function refusal(context: CommandContext, input: CommandInput): Result<never> | undefined {
  const flags = readFlags(input);
  if (context.insideAttempt && flags.text("tier") === "verified")
    return fail("person-only", "an attempt cannot record an outcome of the tier verified");
  const changesRule = flags.is("undoRule") || flags.text("rule") !== undefined;
  const places = ["run", "slate", "commit"].filter((name) => flags.text(name) !== undefined);
  if (flags.is("undoRule") && flags.text("rule") !== undefined)
    return fail("bad-flag", "--rule and --undo-rule exclude each other");
  if (changesRule) {
    if (places.length > 0 || flags.text("signal") !== undefined)
      return fail("bad-flag", "with --rule and --undo-rule the runs are named as words");
    return input.args.length > 0 ? undefined : fail("bad-flag", "name the runs that the rule is for");
  }
  if (input.args.length > 0) return fail("bad-flag", `name the run with --run ${input.args[0] ?? ""}`);
  if (places.length !== 1) return fail("bad-flag", "name exactly one of --run, --slate and --commit");
  const prefers = flags.text("prefer") !== undefined;
  if (prefers && flags.text("slate") === undefined) return fail("bad-flag", "--prefer needs --slate");
  if (prefers === (flags.text("signal") !== undefined))
    return fail("bad-flag", "say what it came to with --signal NAME=VALUE, or with --prefer");
  return undefined;
}

async function signalOutcome(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const { changeRun, eventNote, judge, makeSignal, outcomeOf, withSignal } = await import(
    "../record/judging.ts"
  );
  const said = saidSignal(context, input);
  if (!said.ok) return said;
  const found = await runsMeant(context, store, input);
  if (!found.ok) return found;
  const { runs, via } = found.value;
  const tier = via === "base_commit" ? "heuristic" : said.value.tier;
  const views: JsonObject[] = [];
  const notes: string[] = [];
  let kind: string | undefined;
  for (const id of runs) {
    const signal = makeSignal(makeId("signal", context.now(), context.entropy(10)), { ...said.value, tier });
    if (!signal.ok) return signal;
    const done = await changeRun(store, id, (document) => withSignal(document, signal.value));
    if (!done.ok) return done;
    const { document, row } = done.value;
    const rescored = await rescoreReceipt(context, store, document);
    if (!rescored.ok) return rescored;
    notes.push(...[eventNote(document, signal.value)].filter((note) => note !== undefined));
    kind = signal.value.kind;
    const { reasons } = judge(document);
    views.push({
      run: id,
      signal: signal.value.id,
      state: row.state,
      outcome: outcomeOf(document),
      reasons: [...reasons],
      rescored: rescored.value,
    });
  }
  for (const note of notes) context.talk(`note: ${note}`);
  const [only] = views;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.outcome/1",
      ok: true,
      kind,
      name: said.value.name,
      via: via ?? null,
      ...(views.length === 1 && only !== undefined && { run: only["run"], outcome: only["outcome"] }),
      runs: views,
      notes,
    },
  });
}

function saidSignal(context: CommandContext, input: CommandInput): Result<SaidSignal> {
  const flags = readFlags(input);
  const words = flags.text("signal") ?? "";
  const at = words.indexOf("=");
  if (at <= 0) return fail("bad-flag", `"${words}" is no signal, expected NAME=VALUE`);
  const target = flags.text("target");
  if (target !== undefined && !Number.isFinite(Number(target)))
    return fail("bad-flag", `--target is "${target}", expected a number`);
  const observed = flags.text("observedAt");
  const observedMs = observed === undefined ? context.now() : Date.parse(observed);
  if (Number.isNaN(observedMs))
    return fail("bad-flag", `--observed-at is "${observed}", expected a moment such as 2026-11-30T10:00:00Z`);
  const optional = {
    kind: one(flags.text("kind"), SIGNAL_KINDS),
    unit: flags.text("unit"),
    better: one(flags.text("better"), ["higher", "lower"]),
    target: target === undefined ? undefined : Number(target),
    scale: one(flags.text("scale"), SCALES),
    atAttempt: flags.text("atAttempt"),
  };
  const given: Partial<SaidSignal> = Object.fromEntries(
    Object.entries(optional).filter(([, value]) => value !== undefined),
  );
  return ok({
    ...given,
    name: words.slice(0, at).trim(),
    value: words.slice(at + 1).trim(),
    source: one(flags.text("source"), SIGNAL_SOURCES) ?? "orchestrator",
    tier: one(flags.text("tier"), TIERS) ?? "reported",
    observedAt: instant(observedMs),
  });
}

function one<T extends string>(value: string | undefined, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === value);
}

async function runsMeant(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<RunsMeant>> {
  const flags = readFlags(input);
  const named = flags.text("run");
  if (named !== undefined) return ok({ runs: [named] });
  const slate = flags.text("slate");
  if (slate !== undefined) {
    const members = await store.runs({ slate });
    if (!members.ok) return members;
    if (members.value.length === 0) return fail("no-such-run", `no run belongs to the slate ${slate}`);
    return ok({ runs: members.value.map(({ run: id }) => id) });
  }
  return runsOfCommit(context, store, flags.text("commit") ?? "");
}
