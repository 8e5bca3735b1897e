import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * A folder of reference data beside the repository (or under `LOOPWRIGHT_SHARED`). Undefined when it is not
 * there; that is said on stderr, so that a suite which skipped is never taken for one that passed.
 */
export function sharedData(path: string): string | undefined {
  const root = process.env["LOOPWRIGHT_SHARED"] ?? resolve(import.meta.dirname, "../../../shared");
  const found = join(root, path);
  if (existsSync(found)) return found;
  process.stderr.write(`SKIPPED: no reference data at ${found}\n`);
  return undefined;
}
