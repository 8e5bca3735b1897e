import { createHash } from "node:crypto";
import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Programs up to this size are told apart by their content: version managers write their small ones anew at will. */
const SMALL_BYTES = 64 * 1024;

/** Remembers what the names on a PATH lead to, for as long as this process lives. */
export class ToolWatch {
  readonly #first = new Map<string, ReadonlyMap<string, string>>();
  /** Content by everything that a change of it changes too: the same is not read again. */
  readonly #contents = new Map<string, string>();

  /** Names that led to a program when this PATH was first asked about, and lead to another one now. Sorted. */
  changed(path: string): readonly string[] {
    const now = this.#programsOn(path);
    const first = this.#first.get(path) ?? now;
    this.#first.set(path, first);
    const differs = ([name, print]: readonly [string, string]): boolean =>
      now.has(name) && now.get(name) !== print;
    return [...first]
      .filter(differs)
      .map(([name]) => name)
      .sort();
  }

  #programsOn(path: string): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const folder of path.split(delimiter)) {
      if (!isAbsolute(folder)) continue;
      const writable = isWritable(folder);
      for (const name of namesIn(folder)) {
        if (found.has(name)) continue;
        const file = join(folder, name);
        const print = writable ? this.#printOf(file) : "";
        if (print !== undefined) found.set(name, `${file} ${print}`);
      }
    }
    return found;
  }

  /** Undefined for what is no program. */
  #printOf(file: string): string | undefined {
    try {
      const stat = statSync(file);
      const { size, mtimeMs, ctimeMs, dev, ino, mode } = stat;
      if (!stat.isFile() || (mode & 0o111) === 0) return undefined;
      if (size > SMALL_BYTES) return `${size} ${mtimeMs} ${ino}`;
      const key = `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
      const known = this.#contents.get(key);
      if (known !== undefined) return known;
      const content = createHash("sha256").update(readFileSync(file)).digest("hex");
      this.#contents.set(key, content);
      return content;
    } catch {
      return undefined;
    }
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
