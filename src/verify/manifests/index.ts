import { DEPENDENCY_FOLDER } from "../conventions.ts";
import { baseName, folderOf } from "../globs.ts";
import { splitIni } from "./ini.ts";
import { COMPOSER_KEYS, DENO_KEYS, NESTED_PACKAGE_KEYS, PACKAGE_KEYS, splitJson } from "./json.ts";
import { splitCargo, splitPyproject } from "./toml.ts";

/** A manifest that holds both what judges the work (scripts, runner settings) and the work itself. */
export type ManifestKind =
  | "package.json"
  | "pyproject.toml"
  | "setup.cfg"
  | "Cargo.toml"
  | "composer.json"
  | "deno.json";

/** The judged text of a manifest, or why there can be none. */
export type Split =
  | { readonly ok: true; readonly text: string; readonly changed: boolean }
  | { readonly ok: false; readonly why: string };

const KINDS: ReadonlySet<string> = new Set<ManifestKind>([
  "package.json",
  "pyproject.toml",
  "setup.cfg",
  "Cargo.toml",
  "composer.json",
  "deno.json",
]);

/** The manifest of an installed package is not the work's, and so not split but protected as a whole. */
export function manifestKind(path: string): ManifestKind | undefined {
  const name = baseName(path);
  return isKind(name) && !DEPENDENCY_FOLDER.test(path) ? name : undefined;
}

function isKind(name: string): name is ManifestKind {
  return KINDS.has(name);
}

/**
 * Runner and script keys from the base, everything else from the agent. A side without the file is undefined: an
 * added manifest brings no runner settings of its own, a deleted one leaves its runner settings in force. `changed`
 * tells whether the result differs from the agent's text. A text that cannot be parsed is a reason, never a fallback.
 */
export function splitManifest(path: string, base: string | undefined, found: string | undefined): Split {
  if (base === found) return { ok: true, text: found ?? "", changed: false };
  const kind = manifestKind(path);
  switch (kind) {
    case "package.json": {
      // A workspace member that the agent adds needs its own build scripts.
      const keys = base === undefined && folderOf(path) !== "" ? NESTED_PACKAGE_KEYS : PACKAGE_KEYS;
      return splitJson(path, base, found, keys);
    }
    case "composer.json":
      return splitJson(path, base, found, COMPOSER_KEYS);
    case "deno.json":
      return splitJson(path, base, found, DENO_KEYS);
    case "pyproject.toml":
      return splitPyproject(path, base, found);
    case "Cargo.toml":
      return splitCargo(path, base, found);
    case "setup.cfg":
      return splitIni(path, base, found);
    case undefined:
      return { ok: false, why: `${path} is not a manifest` };
  }
}
