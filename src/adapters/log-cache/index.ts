import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { LogCache } from "../../ports/log-source.ts";

/**
 * One folder: the index, the totals, and one file for each long log. Everything is written under another name and moved into
 * place, so that scans at the same time see whole files only; the last one to finish wins.
 */
export function logCache(folder: string, longFileBytes = 1024 * 1024): LogCache {
  const checkpoints = join(folder, "long");
  return {
    longFileBytes,
    index: () => quietly(() => readFileSync(join(folder, "index"))),
    saveIndex: (lines, kept) => {
      quietly(() => {
        mkdirSync(folder, { recursive: true });
        put(join(folder, "index"), pieces(lines));
        const names = new Set(kept);
        for (const name of quietly(() => readdirSync(checkpoints)) ?? []) {
          if (/^[0-9a-f]+$/.test(name) && !names.has(name)) rmSync(join(checkpoints, name), { force: true });
        }
      });
    },
    totals: () => quietly(() => readFileSync(join(folder, "totals"), "utf8")),
    saveTotals: (text) => {
      quietly(() => {
        mkdirSync(folder, { recursive: true });
        put(join(folder, "totals"), [text]);
      });
    },
    checkpoint: (key) => quietly(() => readFileSync(join(checkpoints, key), "utf8")),
    saveCheckpoint: (key, text) => {
      quietly(() => {
        mkdirSync(checkpoints, { recursive: true });
        put(join(checkpoints, key), [text]);
      });
    },
  };
}

let serial = 0;

function put(path: string, content: Iterable<string>): void {
  serial += 1;
  const temporary = `${path}.${process.pid}-${serial}-${Math.random().toString(36).slice(2)}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    for (const piece of content) writeFileSync(file, piece);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

const PIECE_CHARS = 256 * 1024;

/** Lines in pieces that are worth a call, without ever holding all of them. */
function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** A cache that cannot be read or written is an empty one. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
