import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

/** Suites that start the real program test what is in `dist/`, so it is built from the present source first. */
export function setup(): void {
  const root = resolve(import.meta.dirname, "..");
  execFileSync(process.execPath, [resolve(root, "node_modules/tsdown/dist/run.mjs"), "--logLevel", "error"], {
    cwd: root,
    stdio: "inherit",
  });
}
