import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Of all sources in a folder of `scripts/`, as what is built from them names it. */
export function sourceHash(folder: string): string {
  const path = resolve(import.meta.dirname, "../../scripts", folder);
  const hash = createHash("sha256");
  for (const name of readdirSync(path).sort()) hash.update(readFileSync(join(path, name)));
  return hash.digest("hex");
}
