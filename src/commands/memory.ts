import { fail, ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import type { Fact } from "../record/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG, LOOP_FILE_FLAG } from "./loop-file.ts";
import { loopFacts } from "./loop-memory.ts";
import { changeRecords, keptRecords } from "./loop-records.ts";
import { personHere } from "./person.ts";
import { answer, flag, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const NAMESPACES = ["semantic", "procedural", "failure"] as const;
const FACT = object({
  namespace: text,
  key: text,
  content: text,
  provenance: orNull(text),
  confidence: number,
  runs: list(text),
  otherwise: whole,
  last_at: text,
  by: orNull(text),
  promoted: flag,
});

export const memoryList: Command = {
  path: ["memory", "list"],
  group: "Loops",
  brief: "What earlier runs of a loop left for later ones",
  details:
    "Claims of agents, failures of attempts and ways that passed. Only what is promoted is told to a run, and nothing of it reaches a check or the gate.",
  args: [LOOP_FILE_ARG],
  flags: { namespace: { kind: "choice", brief: "Only of this kind", choices: NAMESPACES } },
  output: answer("memory-list", { loop: text, facts: list(FACT), lines: list(text) }),
  run: listFacts,
};

const PLACE = [
  { name: "namespace", brief: "semantic, procedural or failure", required: true },
  { name: "key", brief: "Its name, as `memory list` shows it", required: true },
];

export const memoryPromote: Command = {
  path: ["memory", "promote"],
  group: "Loops",
  brief: "Let a fact stand, whatever later runs say of it",
  details: "Its present words are what stands: later runs can neither change nor revoke them.",
  args: PLACE,
  flags: { file: LOOP_FILE_FLAG },
  output: answer("memory-promote", { fact: FACT, lines: list(text) }),
  personOnly: true,
  run: promote,
};

export const memoryForget: Command = {
  path: ["memory", "forget"],
  group: "Loops",
  brief: "Drop what is kept under a name, whoever said it",
  args: PLACE,
  flags: { file: LOOP_FILE_FLAG },
  output: answer("memory-forget", { dropped: whole, lines: list(text) }),
  personOnly: true,
  run: forget,
};

async function listFacts(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const loop = await loopOf(context, input.args[0]);
  if (!loop.ok) return loop;
  const facts = await loopFacts(context, loop.value);
  if (!facts.ok) return facts;
  const only = readFlags(input).text("namespace");
  const shown = facts.value.filter(({ namespace }) => only === undefined || namespace === only);
  const lines = shown.length === 0 ? ["nothing is kept of earlier runs"] : shown.flatMap(factLines);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.memory-list/1",
      ok: true,
      loop: loop.value.name,
      facts: shown.map(factRow),
      lines,
    },
  });
}

async function promote(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const found = await findFact(context, input);
  if (!found.ok) return found;
  const { loop, fact } = found.value;
  if (loop.memory.namespaces[fact.namespace].promotion.rule === "never")
    return fail("bad-input", `${fact.namespace} of this loop is never promoted`, {
      hint: `change execution.memory.namespaces.${fact.namespace}.promotion in its file`,
    });
  const { standingRecord } = await import("../record/loop-memory.ts");
  const by = personHere(context);
  const at = new Date(context.now()).toISOString();
  const done = await changeRecords(context, (topLevel) => ({
    put: [standingRecord({ topLevel, loop: loop.name }, fact, by, at)],
  }));
  if (!done.ok) return done;
  const standing = { ...fact, by, confidence: 1, isPromoted: true };
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.memory-promote/1",
      ok: true,
      fact: factRow(standing),
      lines: [`stands from now on: ${fact.content}`],
    },
  });
}

async function forget(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const found = await findFact(context, input);
  if (!found.ok) return found;
  const { loop, fact } = found.value;
  const all = await keptRecords(context, loop.name);
  if (!all.ok) return all;
  const drop = all.value.filter(
    ({ kind, key }) => (kind === "memory" || kind === "standing") && key === `${fact.namespace}/${fact.key}`,
  );
  const done = await changeRecords(context, () => ({ drop }));
  if (!done.ok) return done;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.memory-forget/1",
      ok: true,
      dropped: drop.length,
      lines: [`forgotten: ${fact.key}`],
    },
  });
}

interface Found {
  readonly loop: Loop;
  readonly fact: Fact;
}

async function findFact(context: CommandContext, input: CommandInput): Promise<Result<Found>> {
  const loop = await loopOf(context, readFlags(input).text("file"));
  if (!loop.ok) return loop;
  const facts = await loopFacts(context, loop.value);
  if (!facts.ok) return facts;
  const [namespace, key] = input.args;
  const fact = facts.value.find((one) => one.namespace === namespace && one.key === key);
  if (fact === undefined)
    return fail("no-such-fact", `nothing is kept of ${namespace} ${key}`, {
      hint: "see `loopwright memory list`",
    });
  return ok({ loop: loop.value, fact });
}

async function loopOf(context: CommandContext, file: string | undefined): Promise<Result<Loop>> {
  const { readDraftLoop } = await import("./read-loop.ts");
  return readDraftLoop(context, { flags: {}, args: file === undefined ? [] : [file] });
}

function factLines(fact: Fact): readonly string[] {
  const { namespace, key, content, provenance, runs, otherwise, by, isPromoted } = fact;
  const said = `said by ${runs.length} ${runs.length === 1 ? "run" : "runs"}`;
  const against = otherwise === 0 ? [] : [`${otherwise} said otherwise`];
  const standing = by === undefined ? (isPromoted ? ["told"] : ["not told"]) : [`stands by ${by}`];
  const from = provenance === undefined ? [] : [`from ${provenance}`];
  return [`[${namespace}] ${key}: ${content}`, `    ${[...standing, said, ...against, ...from].join("; ")}`];
}

function factRow(fact: Fact) {
  return {
    namespace: fact.namespace,
    key: fact.key,
    content: fact.content,
    provenance: fact.provenance ?? null,
    confidence: fact.confidence,
    runs: [...fact.runs],
    otherwise: fact.otherwise,
    last_at: fact.lastAt,
    by: fact.by ?? null,
    promoted: fact.isPromoted,
  };
}
