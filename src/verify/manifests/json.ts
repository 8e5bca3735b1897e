import type { Split } from "./index.ts";
import { isTable, type KeyPath, sameValue, type Table, withKeysOf } from "./keys.ts";

const RUNNER_KEYS: readonly string[] = [
  "jest",
  "vitest",
  "mocha",
  "ava",
  "tap",
  "c8",
  "nyc",
  "playwright",
  "cypress",
  "babel",
  "wireit",
  "tsd",
  "xo",
  "standard",
  "eslintConfig",
  "eslintIgnore",
  "prettier",
  "stylelint",
  "knip",
  "size-limit",
  "stryker",
  "config",
  "packageManager",
  "devEngines",
  "engines",
  "volta",
];

/** `type`, `exports`, dependencies and workspaces stay the agent's; what they resolve to is the concern of `setup`. */
export const PACKAGE_KEYS: readonly KeyPath[] = ["scripts", ...RUNNER_KEYS].map((key) => [key]);
export const NESTED_PACKAGE_KEYS: readonly KeyPath[] = RUNNER_KEYS.map((key) => [key]);
export const COMPOSER_KEYS: readonly KeyPath[] = [
  ["scripts"],
  ["scripts-aliases"],
  ["config"],
  ["autoload-dev"],
];
export const DENO_KEYS: readonly KeyPath[] = [["tasks"], ["test"], ["lint"], ["bench"], ["lock"]];

export function splitJson(
  path: string,
  base: string | undefined,
  found: string | undefined,
  keys: readonly KeyPath[],
): Split {
  const old = parse(base);
  if (typeof old === "string") return { ok: false, why: `${path} of the base tree cannot be parsed: ${old}` };
  const now = parse(found);
  if (typeof now === "string") return { ok: false, why: `${path} cannot be parsed: ${now}` };
  const merged = withKeysOf(old, now, keys);
  if (found !== undefined && sameValue(merged, now)) return { ok: true, text: found, changed: false };
  return { ok: true, text: `${JSON.stringify(merged, null, 2)}\n`, changed: true };
}

function parse(text: string | undefined): Table | string {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isTable(value) ? value : "expected an object at the top";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
