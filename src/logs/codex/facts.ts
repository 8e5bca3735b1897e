import type { AddKey } from "../group-keys.ts";
import { type DamageList, noDamage } from "../lines.ts";
import { textHash } from "../text-hash.ts";
import type { Step } from "./counters.ts";
import type { Counter, ThreadMeta } from "./schema.ts";

/** Where a rollout stands in the tree, told from its path alone. */
export interface CodexFile {
  readonly path: string;
  /** From the file's name; the first `session_meta` wins over it. */
  readonly thread: string;
  readonly isArchived: boolean;
  readonly isCompressed: boolean;
}

export interface UsageFact {
  readonly line: number;
  readonly thread: string | undefined;
  /** The hash of its id. */
  readonly response: number | undefined;
  readonly usage: Counter;
  readonly total: Counter | undefined;
  readonly atMs: number;
  readonly model: string | undefined;
  readonly tier: string | undefined;
}

/** What one rollout says, compact and as plain JSON. */
export interface CodexFacts {
  readonly file: CodexFile;
  lines: number;
  bytes: number;
  meta: ThreadMeta | undefined;
  /** The second `session_meta` of a file that replays another thread. */
  replayed: ThreadMeta | undefined;
  firstAtMs: number | undefined;
  lastAtMs: number | undefined;
  readonly models: { readonly line: number; readonly ordinal?: number | undefined; readonly model: string }[];
  readonly steps: Step[];
  readonly usages: UsageFact[];
  readonly damaged: DamageList;
  readonly warnings: string[];
}

/** Lists inside the object would make it several times as slow to make, and there is one for every file. */
export function noFacts(file: CodexFile): CodexFacts {
  const models: CodexFacts["models"] = [];
  const steps: Step[] = [];
  const usages: UsageFact[] = [];
  const damaged = noDamage();
  const warnings: string[] = [];
  return {
    file,
    lines: 0,
    bytes: 0,
    meta: undefined,
    replayed: undefined,
    firstAtMs: undefined,
    lastAtMs: undefined,
    models,
    steps,
    usages,
    damaged,
    warnings,
  };
}

export function threadOf(facts: CodexFacts): string {
  return facts.meta?.id ?? facts.file.thread;
}

/** Whether a record that names this thread, or none, belongs to the one with this id: all others are replay. */
export function isOwn(thread: string | undefined, id: string): boolean {
  return thread === undefined || thread === id;
}

/** The threads that the files' calls may depend on. */
export function codexKeys(files: readonly CodexFacts[], add: AddKey): void {
  for (const facts of files) {
    const { meta, replayed, file } = facts;
    addThread(file.thread, add);
    if (meta?.id !== undefined && meta.id !== file.thread) addThread(meta.id, add);
    for (const id of [meta?.parentThread, meta?.forkedFrom, meta?.historyBase?.thread, replayed?.id])
      addThread(id, add);
  }
}

function addThread(id: string | undefined, add: AddKey): void {
  if (id !== undefined) add(textHash(id, "t"));
}
