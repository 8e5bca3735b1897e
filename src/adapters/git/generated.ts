import { ancestors } from "./paths.ts";

/** Names of folders that tools make anew; nobody writes in them by hand. */
const CACHES = names(
  "node_modules bower_components jspm_packages .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox",
  ".eggs .nyc_output .parcel-cache .turbo .next .nuxt .svelte-kit .angular .gradle .dart_tool .terraform .stack-work",
  "zig-cache .zig-cache",
);
/** Large folders of intermediate files, by names that a plain folder may use for something else. */
const BUILDS = names("target obj Pods DerivedData .build _build .cache");
/** Where results go: made by tools, but sometimes the very thing that was asked for. */
const OUTPUTS = names("dist build out coverage");

function names(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}

const IS_CACHE = new Set(CACHES);
const IS_REMADE = new Set([...CACHES, ...BUILDS]);
const IS_GENERATED = new Set([...IS_REMADE, ...OUTPUTS]);

/** The outermost folder of a generated kind above the path, with a final slash. */
export function generatedFolder(path: string): string | undefined {
  const folder = ancestors(path).find((above) => IS_GENERATED.has(lastName(above)));
  return folder === undefined ? undefined : `${folder}/`;
}

/** True for a folder whose loss costs only the time to make it again. */
export function isRemade(folder: string): boolean {
  return IS_REMADE.has(lastName(folder));
}

export function isCache(folder: string): boolean {
  return IS_CACHE.has(lastName(folder));
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
