import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { FitStore } from "../../ports/fit-store.ts";

/** One file. What cannot be read or written is no fit: the next command works one out. */
export function fitStore(path: string): FitStore {
  return {
    read: () => {
      try {
        return readFileSync(path);
      } catch {
        return undefined;
      }
    },
    write: (fit) => {
      const temporary = `${path}.${process.pid}`;
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(temporary, fit, { mode: 0o600 });
        renameSync(temporary, path);
      } catch {
        rmSync(temporary, { force: true });
      }
    },
  };
}
