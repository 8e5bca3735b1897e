import { parse } from "smol-toml";
import * as v from "valibot";
import { canonicalJson, type Json } from "../../core/canonical-json.ts";
import { type LockChange, type LockPair, NO_LOCK_CHANGE, needsLook } from "./lock-change.ts";

/** The three TOML locks share one shape: a list of packages with a name, a version and a source. */
export type TomlLockKind = "cargo" | "uv" | "poetry";

const lockSchema = v.object({
  package: v.optional(v.array(v.looseObject({ name: v.string(), version: v.optional(v.string(), "") })), []),
});
type LockedPackage = v.InferOutput<typeof lockSchema>["package"][number];

/** Compares Cargo.lock, uv.lock or poetry.lock: base packages must stand there unchanged, new ones come from a registry. */
export function compareTomlLocks(kind: TomlLockKind, pair: LockPair): LockChange {
  if (pair.base === pair.judged) return NO_LOCK_CHANGE;
  if (pair.judged === undefined) return needsLook(`${pair.path} was removed`);
  const base = pair.base === undefined ? [] : packagesOf(pair.base);
  const judged = packagesOf(pair.judged);
  if (base === undefined || judged === undefined) return needsLook(`${pair.path} cannot be read`);
  const before = new Map(base.map((entry) => [identity(entry), entry]));
  const after = new Set(judged.map(identity));
  const baseNames = new Set(base.map((entry) => entry.name));
  const reasons: string[] = [];
  for (const [id, entry] of before) {
    const stays = judged.some((other) => other.name === entry.name);
    if (!after.has(id) && stays) reasons.push(`${entry.name} ${entry.version} changes in ${pair.path}`);
  }
  const added: string[] = [];
  for (const entry of judged) {
    const old = before.get(identity(entry));
    if (old !== undefined) {
      if (!sameFacts(old, entry))
        reasons.push(`${entry.name} ${entry.version} resolves its dependencies anew`);
      continue;
    }
    if (baseNames.has(entry.name))
      reasons.push(`${entry.name} gets another version or source: ${entry.version}`);
    const odd = oddity(kind, entry);
    if (odd !== undefined) reasons.push(odd);
    added.push(`${entry.name}@${entry.version}`);
  }
  return { added: added.toSorted(), reasons: [...new Set(reasons)] };
}

function packagesOf(text: string): readonly LockedPackage[] | undefined {
  try {
    const parsed = v.safeParse(lockSchema, parse(text));
    return parsed.success ? parsed.output.package : undefined;
  } catch {
    return undefined;
  }
}

function identity(entry: LockedPackage): string {
  return `${entry.name} ${entry.version} ${plain(entry["source"])}`;
}

/** The project's own packages (no source, or a path) may gain dependencies; others must be as they were. */
function sameFacts(a: LockedPackage, b: LockedPackage): boolean {
  return isOwn(a) ? isOwn(b) : plain(a) === plain(b);
}

function isOwn(entry: LockedPackage): boolean {
  const source = entry["source"];
  if (source === undefined) return entry["checksum"] === undefined && entry["files"] === undefined;
  return /"(editable|virtual|directory)":/.test(plain(source));
}

function oddity(kind: TomlLockKind, entry: LockedPackage): string | undefined {
  const source = plain(entry["source"]);
  if (kind === "cargo") {
    const isRegistry = /^"(registry|sparse)\+https:/.test(source) && typeof entry["checksum"] === "string";
    return isRegistry ? undefined : `${entry.name} comes from a path or a repository, not from a registry`;
  }
  if (hooksPytest(entry.name)) return `${entry.name} hooks into pytest`;
  if (kind === "uv") {
    if (!/^\{"registry":"https:/.test(source)) return `${entry.name} does not come from a registry`;
    return hasWheel(entry["wheels"])
      ? undefined
      : `${entry.name} has no wheel and runs code when it is built`;
  }
  if (source !== "null") return `${entry.name} does not come from the default registry`;
  return hasWheel(entry["files"]) ? undefined : `${entry.name} has no wheel and runs code when it is built`;
}

/** Plugins of pytest are loaded by being installed, and are named after it by convention. */
export function hooksPytest(name: string): boolean {
  return /^pytest([-_.]|$)|[-_.]pytest$/.test(name.toLowerCase());
}

function hasWheel(files: unknown): boolean {
  return plain(files).includes(".whl");
}

const json: v.GenericSchema<unknown, Json> = v.lazy(() =>
  v.union([v.null(), v.boolean(), v.number(), v.string(), v.array(json), v.record(v.string(), json)]),
);

/** Canonical text of a TOML value; dates and big integers by their own text. */
function plain(value: unknown): string {
  const parsed = v.safeParse(json, value ?? null);
  return parsed.success ? canonicalJson(parsed.output) : String(value);
}
