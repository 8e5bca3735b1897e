import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { sha256 } from "../../core/hash.ts";
import { textOf } from "./discover.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Our index of one checkout. The file that git works on is private to this process, so two processes never wait for
 * each other's lock; what comes of it is published for the next process by rename.
 */
export interface CheckoutIndex {
  readonly file: string;
  /** What the last snapshot found, as long as the file is byte for byte what it left behind. */
  recall(): Remembered | undefined;
  /** Throws away everything: the next snapshot hashes all files. */
  forget(): void;
  remember(rules: string, tree: string, fresh: readonly string[]): void;
}

export interface Remembered {
  readonly rules: string;
  readonly tree: string;
  /** Files that changed in the very second of their hashing: their stat data cannot prove anything yet. */
  readonly fresh: readonly string[];
}

const NOTE = v.object({
  index: v.string(),
  rules: v.string(),
  tree: v.string(),
  fresh: v.array(v.string()),
});

type Note = Remembered & { readonly index: string };

export function openCheckoutIndex(store: ObjectStore, dir: string): CheckoutIndex {
  const folder = join(store.folder, "index");
  mkdirSync(folder, { recursive: true });
  const name = sha256(dir).slice(0, 32);
  const shared = join(folder, name);
  const file = store.scratch(`index-${name}`);
  let known: Note | undefined = adopt(shared, file);
  return {
    file,
    recall: () => (known !== undefined && hashOf(file) === known.index ? known : undefined),
    forget: () => {
      known = undefined;
      rmSync(file, { force: true });
    },
    remember: (rules, tree, fresh) => {
      known = { index: hashOf(file), rules, tree, fresh };
      publish(file, shared, JSON.stringify(known));
    },
  };
}

function adopt(shared: string, file: string): Note | undefined {
  try {
    const note = v.parse(NOTE, JSON.parse(textOf(`${shared}.json`) ?? ""));
    copyKeepingTime(shared, file);
    return note;
  } catch {
    return undefined; // No note, or none that can be read: everything is hashed once.
  }
}

/** The note names the hash of its index, so that a crash between the two renames shows. */
function publish(file: string, shared: string, note: string): void {
  if (!existsSync(file)) return; // Git writes no index for an empty folder.
  copyKeepingTime(file, `${file}.copy`);
  writeFileSync(`${file}.note`, note);
  renameSync(`${file}.note`, `${shared}.json`);
  renameSync(`${file}.copy`, shared);
}

/** Git compares the time of the index with those of files; a copy must not look younger than it is. */
function copyKeepingTime(from: string, to: string): void {
  const seconds = Math.floor(statSync(from).mtimeMs / 1000);
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}

function hashOf(file: string): string {
  try {
    return sha256(readFileSync(file));
  } catch {
    return "";
  }
}

/** Removes scratch files of processes that are no more. */
export function sweepScratch(store: ObjectStore): void {
  const folder = join(store.folder, "scratch");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const pid = Number(/-(\d+)-\d+-\d+(?:\.[a-z]+)*$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
