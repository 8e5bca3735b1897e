import { canonicalJson, type Json } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import { formatOcp, type OcpDocument, readStoredOcp, runKeys } from "../formats/ocp/index.ts";
import type { RunRow, StoredRun } from "../ports/store.ts";
import type { Intake } from "./intake.ts";
import { inOrder, keepLate, lateSignals } from "./keep-late.ts";
import { latestTime } from "./latest-time.ts";
import { runRow } from "./run-row.ts";
import { type RunStore, TRIES } from "./store-run.ts";

export interface ImportOptions {
  /** Close runs that are still open. */
  readonly finish: boolean;
  /** Take a document whose id is stored with other content. */
  readonly replace: boolean;
  readonly nowMs: number;
}

export interface Imported {
  readonly row: RunRow;
  readonly did: "new" | "unchanged" | "replaced" | "finished";
  readonly migratedFrom?: string;
}

/**
 * Stores one foreign document. The same document again changes nothing and keeps outcomes that were added since. Another
 * one under a known id is `run-differs`, naming the members that differ, unless `replace`; then outcomes added since are
 * kept, and a copy that would overwrite one of them is refused.
 */
export async function importRun(
  store: RunStore,
  intake: Intake,
  options: ImportOptions,
): Promise<Result<Imported>> {
  for (let tried = 1; ; tried += 1) {
    const done = await importOnce(store, intake, options);
    if (done.ok || tried === TRIES || done.problem.code !== "run-moved") return done;
  }
}

async function importOnce(
  store: RunStore,
  intake: Intake,
  options: ImportOptions,
): Promise<Result<Imported>> {
  const stored = await store.run(intake.document.run.id);
  if (!stored.ok) return stored;
  const ready = prepared(intake.document, options);
  if (stored.value === undefined) {
    const text = ready === intake.document ? intake.text : formatOcp(ready, intake.numbers);
    return putImported(store, ready, text, intake, {
      did: "new",
      expected: 0,
      seenAt: instant(options.nowMs),
    });
  }
  // A run that was closed when it was imported is still the same run in its open document.
  const isClosed = stored.value.row.state === "finished";
  const comparable = isClosed ? prepared(intake.document, { ...options, finish: true }) : ready;
  return again(store, stored.value, comparable, intake, options);
}

async function again(
  store: RunStore,
  stored: StoredRun,
  incoming: OcpDocument,
  intake: Intake,
  options: ImportOptions,
): Promise<Result<Imported>> {
  const read = readStoredOcp(stored.document);
  if (!read.ok) return read;
  const { document: known } = read.value;
  const kept = { expected: stored.revision, seenAt: stored.row.startedAt };
  const fields = differences(known, incoming);
  const did = fields.length === 0 || isFinishing(known, incoming, fields) ? "same" : "other";
  if (did === "same" && known.run.ended_at === undefined && incoming.run.ended_at !== undefined) {
    const closed = keepLate(known, incoming);
    return putImported(store, closed, formatOcp(closed, intake.numbers), intake, {
      did: "finished",
      ...kept,
    });
  }
  if (did === "same") return ok(answer(stored.row, "unchanged", intake));
  if (!options.replace) {
    return fail("run-differs", `run ${known.run.id} is stored with other content: ${fields.join(", ")}`, {
      hint: "import it with --replace to take the new one; outcomes that were added since are kept",
    });
  }
  const lost = overwritten(known, incoming);
  if (lost !== undefined) {
    return fail("run-differs", `the new copy of run ${known.run.id} would overwrite the outcome ${lost}`, {
      hint: "take that signal out of the file, or give it an id of its own",
    });
  }
  const merged = keepLate(known, incoming);
  return putImported(store, merged, formatOcp(merged, intake.numbers), intake, { did: "replaced", ...kept });
}

async function putImported(
  store: RunStore,
  document: OcpDocument,
  text: string,
  intake: Intake,
  put: { readonly did: Imported["did"]; readonly expected: number; readonly seenAt: string },
): Promise<Result<Imported>> {
  const row = runRow(document, { origin: "imported", seenAt: put.seenAt });
  const done = await store.putRun(row, text, { keys: runKeys(document), expected: put.expected });
  return done.ok ? ok(answer(row, put.did, intake)) : done;
}

function answer(row: RunRow, did: Imported["did"], { migratedFrom }: Intake): Imported {
  return { row, did, ...(migratedFrom !== undefined && { migratedFrom }) };
}

const IMPORT_EXT = "dev.loopwright.import";

/** Closed when that is asked for; promises that would forbid what is recorded later are lifted and remembered. */
function prepared(document: OcpDocument, { finish, nowMs }: ImportOptions): OcpDocument {
  const lifted = liftCapabilities(document);
  if (!finish || lifted.run.ended_at !== undefined) return lifted;
  const endedAt = latestTime(lifted) ?? instant(nowMs);
  return {
    ...lifted,
    run: { ...lifted.run, ended_at: endedAt },
    events: inOrder([...(lifted.events ?? []), { at: endedAt, type: "run_finished" }]),
  };
}

function liftCapabilities(document: OcpDocument): OcpDocument {
  const { capabilities } = document.producer;
  const denied = ["events", "outcome_evidence", "signals"].filter((name) => capabilities?.[name] === false);
  if (denied.length === 0) return document;
  const raised = Object.fromEntries(denied.map((name) => [name, true]));
  return {
    ...document,
    producer: { ...document.producer, capabilities: { ...capabilities, ...raised } },
    run: { ...document.run, ext: { ...document.run.ext, [IMPORT_EXT]: { capabilities_false: denied } } },
  };
}

/** Members that say something else, as `run.title`; what was recorded since the import is no difference. */
function differences(known: OcpDocument, incoming: OcpDocument): readonly string[] {
  const before = withoutAdditions(known, incoming);
  return [
    ...differing(before.run, incoming.run, "run."),
    ...differing({ ...before, run: null }, { ...incoming, run: null }, ""),
  ];
}

function withoutAdditions(known: OcpDocument, incoming: OcpDocument): OcpDocument {
  const late = lateSignals(known, incoming);
  const added = new Set(late.map(({ kind, name, observed_at }) => `${observed_at} ${kind} ${name}`));
  const stated = new Set((incoming.run.preferences ?? []).map(({ id }) => id));
  const events = (known.events ?? []).filter(
    ({ type, at, detail }) => !(type === "signal_observed" && added.has(`${at} ${detail}`)),
  );
  const { signals: _, preferences: __, ...run } = known.run;
  const signals = (known.run.signals ?? []).filter((signal) => !late.includes(signal));
  const preferences = (known.run.preferences ?? []).filter(({ id }) => stated.has(id));
  const { events: ___, ...rest } = known;
  return {
    ...rest,
    run: {
      ...run,
      ...((signals.length > 0 || incoming.run.signals !== undefined) && { signals }),
      ...((preferences.length > 0 || incoming.run.preferences !== undefined) && { preferences }),
    },
    ...((events.length > 0 || incoming.events !== undefined) && { events }),
  };
}

function differing(known: object, incoming: object, prefix: string): readonly string[] {
  const left: Readonly<Record<string, unknown>> = { ...known };
  const right: Readonly<Record<string, unknown>> = { ...incoming };
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return keys.filter((key) => textOf(left[key]) !== textOf(right[key])).map((key) => `${prefix}${key}`);
}

function textOf(value: unknown): string {
  return value === undefined ? "" : canonicalJson(value as Json);
}

/** Only the end was missing when it was stored. */
function isFinishing(known: OcpDocument, incoming: OcpDocument, fields: readonly string[]): boolean {
  if (known.run.ended_at !== undefined || incoming.run.ended_at === undefined) return false;
  return fields.every((field) => field === "run.ended_at" || field === "events");
}

/** An outcome that is stored under an id which the incoming copy uses for another one. */
function overwritten(known: OcpDocument, incoming: OcpDocument): string | undefined {
  const theirs = new Map((incoming.run.signals ?? []).map((signal) => [signal.id, signal]));
  const clash = (known.run.signals ?? []).find((signal) => {
    const other = theirs.get(signal.id);
    return other !== undefined && textOf(other) !== textOf(signal);
  });
  return clash === undefined ? undefined : `${clash.name} (${clash.id})`;
}
