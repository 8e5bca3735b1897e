import { type AnswerRows, answerRows, packedAnswers } from "./fit/design.ts";
import { fitBinaryHead } from "./fit/fit-head.ts";
import type { HeadBelief } from "./fit/head-belief.ts";
import { priorsOf, type ShippedHead } from "./fit/prior-table.ts";
import { RowStore } from "./fit/row-store.ts";
import { readHead, writeHead } from "./keep.ts";
import { packBytes, unpackBytes, Writer } from "./keep-bytes.ts";
import type { BinaryRow } from "./rows/head-rows.ts";

/** A head of yes and no answers to be fitted on another thread: plain data. */
export interface HeadJob {
  readonly kind: "success" | "gate";
  readonly shipped: ShippedHead | undefined;
  readonly answers: AnswerRows;
}

export function headJob(
  kind: HeadJob["kind"],
  shipped: ShippedHead | undefined,
  rows: Iterable<BinaryRow>,
  expected: number,
): HeadJob {
  const store = new RowStore();
  store.empty(expected);
  return { kind, shipped, answers: answerRows(rows, store) };
}

/** What can change hands in place of being copied. */
export function arraysOf({ answers }: HeadJob): readonly ArrayBufferLike[] {
  const { rows, isYes, reliability, weight } = answers;
  return [rows.start, rows.columns, rows.values, isYes, reliability, weight].map(({ buffer }) => buffer);
}

/** What the other thread makes of it. */
export function doneHead({ kind, shipped, answers }: HeadJob): Uint8Array {
  const to = new Writer();
  writeHead(to, fitBinaryHead(packedAnswers(answers), priorsOf(kind, shipped)));
  return packBytes(to);
}

/** Undefined when the bytes are none of `doneHead`. */
export function headOf(bytes: Uint8Array, { kind, shipped }: HeadJob): HeadBelief | undefined {
  const from = unpackBytes(bytes);
  return from === undefined ? undefined : readHead(from, "binary", priorsOf(kind, shipped));
}
