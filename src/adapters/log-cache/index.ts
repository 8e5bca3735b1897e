import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { LogCache } from "../../ports/log-source.ts";

/**
 * One folder: the index, the totals, and one file for each long log. Everything is written under another name and moved into
 * place, so that scans at the same time see whole files only; the last one to finish wins. Each ends with its sum: what a
 * bad disk or a power cut made of it is no cache, rather than wrong numbers.
 */
export function logCache(folder: string, longFileBytes = 1024 * 1024): LogCache {
  const checkpoints = join(folder, "long");
  const totals = keptText(join(folder, "totals"));
  return {
    longFileBytes,
    isEmpty: () => !existsSync(join(folder, "index")),
    index: () => readWhole(join(folder, "index")),
    newIndex: () => {
      const file = quietly(() => {
        mkdirSync(folder, { recursive: true });
        return new NewFile(join(folder, "index"));
      });
      return {
        add: (line) => quietly(() => file?.write(`${line}\n`)),
        drop: () => quietly(() => file?.drop()),
        finish: (kept) => {
          quietly(() => file?.finish());
          quietly(() => {
            const names = new Set(kept);
            for (const name of readdirSync(checkpoints)) {
              if (/^[0-9a-f]+$/.test(name) && !names.has(name)) {
                rmSync(join(checkpoints, name), { force: true });
              }
            }
          });
        },
      };
    },
    totals: totals.read,
    saveTotals: totals.save,
    checkpoint: (key) => keptText(join(checkpoints, key)).read(),
    saveCheckpoint: (key, text) => keptText(join(checkpoints, key)).save(text),
  };
}

/** One file, in a folder that need not be there. */
export function keptText(path: string): { read(): string | undefined; save(text: string): void } {
  return {
    read: () => readWhole(path)?.toString("utf8"),
    save: (text) => {
      quietly(() => {
        mkdirSync(dirname(path), { recursive: true });
        put(path, text);
      });
    },
  };
}

/** Hex digits of a CRC-32. */
const SUM_CHARS = 8;

function sumOf(bytes: string | Uint8Array, before = 0): number {
  return process.getBuiltinModule("node:zlib").crc32(bytes, before);
}

function sumText(sum: number): string {
  return sum.toString(16).padStart(SUM_CHARS, "0");
}

/** Undefined for a file that is not there, or that does not hold what was written. */
function readWhole(path: string): Buffer | undefined {
  const bytes = quietly(() => readFileSync(path));
  const content = bytes?.subarray(0, Math.max(0, bytes.length - SUM_CHARS));
  if (bytes === undefined || content === undefined) return undefined;
  return bytes.toString("latin1", content.length) === sumText(sumOf(content)) ? content : undefined;
}

let serial = 0;
const PIECE_CHARS = 256 * 1024;

/** A file that takes its name when it is whole, written in pieces that are worth a call. */
class NewFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: number;
  #piece = "";
  #sum = 0;

  constructor(path: string) {
    serial += 1;
    this.#path = path;
    this.#temporary = `${path}.${process.pid}-${serial}-${Math.random().toString(36).slice(2)}`;
    this.#file = openSync(this.#temporary, "wx", 0o600);
  }

  write(text: string): void {
    this.#piece += text;
    if (this.#piece.length >= PIECE_CHARS) this.#flush();
  }

  finish(): void {
    this.#flush();
    writeFileSync(this.#file, sumText(this.#sum));
    closeSync(this.#file);
    renameSync(this.#temporary, this.#path);
  }

  drop(): void {
    closeSync(this.#file);
    rmSync(this.#temporary, { force: true });
  }

  #flush(): void {
    const piece = this.#piece;
    this.#piece = "";
    this.#sum = sumOf(piece, this.#sum);
    writeFileSync(this.#file, piece);
  }
}

function put(path: string, text: string): void {
  const file = new NewFile(path);
  file.write(text);
  file.finish();
}

/** A cache that cannot be read or written is an empty one. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
