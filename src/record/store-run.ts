import { fail, ok, type Result } from "../core/result.ts";
import {
  formatOcp,
  type NumberTexts,
  type OcpDocument,
  readStoredOcp,
  runKeys,
  validateOcp,
} from "../formats/ocp/index.ts";
import type { RunRow, Store, StoredRun } from "../ports/store.ts";
import { keepLate } from "./keep-late.ts";
import { type RowFacts, runRow } from "./run-row.ts";

/** The part of the store that holds runs. */
export type RunStore = Pick<Store, "putRun" | "runs" | "runTotals" | "runsOfCommit" | "run">;

export interface KnownRun {
  readonly document: OcpDocument;
  readonly row: RunRow;
}
export interface WrittenRun extends KnownRun {
  readonly text: string;
}

/** How often a change is decided again because another process changed the same run meanwhile. */
export const TRIES = 4;

/** One run with its document. Problems: `no-such-run`, `store-damaged`. */
export async function readRun(store: RunStore, run: string): Promise<Result<KnownRun>> {
  const stored = await store.run(run);
  if (!stored.ok) return stored;
  if (stored.value === undefined) return noSuchRun(run);
  const read = readStoredOcp(stored.value.document);
  return read.ok ? ok({ document: read.value.document, row: stored.value.row }) : read;
}

export function noSuchRun(run: string): Result<never> {
  return fail("no-such-run", `there is no run ${run}`, { hint: "list them with `loopwright runs`" });
}

/**
 * Changes the document of one run, from a state that nobody else changed meanwhile: `change` may be called again with
 * a newer one, up to four times in all, then it is `run-moved`. What it makes of the document must be a valid one
 * (`ocp-invalid`); a refusal of its own writes nothing.
 */
export async function changeRun(
  store: RunStore,
  run: string,
  change: (document: OcpDocument, row: RunRow) => Result<OcpDocument>,
): Promise<Result<WrittenRun>> {
  for (let tried = 1; ; tried += 1) {
    const stored = await store.run(run);
    if (!stored.ok) return stored;
    if (stored.value === undefined) return noSuchRun(run);
    const written = await rewrite(store, stored.value, change);
    if (written.ok || written.problem.code !== "run-moved" || tried === TRIES) return written;
  }
}

async function rewrite(
  store: RunStore,
  { row, document, revision }: StoredRun,
  change: (document: OcpDocument, row: RunRow) => Result<OcpDocument>,
): Promise<Result<WrittenRun>> {
  const read = readStoredOcp(document);
  if (!read.ok) return read;
  const changed = change(read.value.document, row);
  if (!changed.ok) return changed;
  return putDocument(store, changed.value, {
    origin: row.origin,
    seenAt: row.startedAt,
    expected: revision,
    numbers: read.value.numbers,
    madeFrom: read.value.document,
  });
}

export interface PutOptions extends RowFacts {
  /** The revision that the document was made from; 0 for a new run. */
  readonly expected: number;
  readonly numbers?: NumberTexts;
  /** The stored document that this one was made from. */
  readonly madeFrom?: OcpDocument;
}

/** Checks and stores one document. Problems: `ocp-invalid`, `run-moved`. */
export async function putDocument(
  store: RunStore,
  document: OcpDocument,
  options: PutOptions,
): Promise<Result<WrittenRun>> {
  const { numbers = new WeakMap(), madeFrom } = options;
  const { findings } = validateOcp(document, {
    lints: false,
    numbers,
    ...(madeFrom !== undefined && { madeFrom }),
  });
  const error = findings.find(({ level }) => level === "error");
  if (error !== undefined) {
    return fail("ocp-invalid", `the run's document would break a rule: ${error.code} ${error.message}`, {
      at: error.path,
    });
  }
  return write(store, document, formatOcp(document, numbers), options);
}

async function write(
  store: RunStore,
  document: OcpDocument,
  text: string,
  { expected, ...facts }: PutOptions,
): Promise<Result<WrittenRun>> {
  const row = runRow(document, facts);
  const put = await store.putRun(row, text, { keys: runKeys(document), expected });
  return put.ok ? ok({ document, row, text }) : put;
}

/**
 * Stores the document of a session, new or in place of the one of before; outcomes that were recorded since are kept.
 */
export async function storeSessionRun(store: RunStore, document: OcpDocument): Promise<Result<WrittenRun>> {
  for (let tried = 1; ; tried += 1) {
    const stored = await store.run(document.run.id);
    if (!stored.ok) return stored;
    const before = stored.value === undefined ? undefined : readStoredOcp(stored.value.document);
    const kept = before?.ok === true ? keepLate(before.value.document, document) : document;
    const expected = stored.value?.revision ?? 0;
    const seenAt = document.run.started_at ?? "";
    const written = await write(store, kept, formatOcp(kept), { origin: "recorded", seenAt, expected });
    if (written.ok || tried === TRIES || written.problem.code !== "run-moved") return written;
  }
}
