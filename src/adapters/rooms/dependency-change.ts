import * as v from "valibot";
import { canonicalJson, type Json } from "../../core/canonical-json.ts";
import type { DependencyChange } from "../../ports/check-rooms.ts";
import {
  baseName,
  type DependencyFiles,
  detectManagers,
  folderOf,
  inFolder,
  parsePackageJson,
} from "./detect.ts";
import { type LockChange, type LockPair, NO_LOCK_CHANGE, needsLook } from "./lock-change.ts";
import { compareNpmLocks, npmProjects, parseNpmLock } from "./npm-lock.ts";
import { compareGoModules, compareGoSums, compareRequirements } from "./text-locks.ts";
import { compareTomlLocks } from "./toml-locks.ts";

export interface DependencyComparison {
  readonly base: DependencyFiles;
  readonly judged: DependencyFiles;
  /** Every path that differs between the two trees. */
  readonly changedPaths: readonly string[];
  readonly isTool: (name: string) => boolean;
}

/** Scripts that npm runs for a project when its packages are installed. */
export const LIFECYCLE = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
] as const;

/**
 * Says whether the judged tree installs what the base tree does, plain additions to it, or something that a person
 * has to look at first. What cannot be read, and locks whose rules are not known here, count as the last.
 */
export function compareDependencies(comparison: DependencyComparison): DependencyChange {
  const { base, judged, changedPaths } = comparison;
  const changes: LockChange[] = [needsLook(...bentByFiles(changedPaths))];
  for (const path of lockPaths(base, judged)) {
    const pair: LockPair = {
      path,
      base: base.text.get(path),
      judged: judged.text.get(path),
      isTool: comparison.isTool,
    };
    changes.push(compareLock(pair, base.paths.includes(path), judged.paths.includes(path)));
  }
  changes.push(needsLook(...manifestReasons(base, judged)));
  const reasons = [...new Set(changes.flatMap((change) => change.reasons))];
  const added = [...new Set(changes.flatMap((change) => change.added))];
  if (reasons.length > 0) return { kind: "needs-approval", reasons };
  return added.length > 0 ? { kind: "additions", added } : { kind: "none" };
}

/** Patches, and settings that send an install somewhere else and that a gate does not restore by itself. */
function bentByFiles(changedPaths: readonly string[]): readonly string[] {
  const bends = changedPaths.filter(
    (path) =>
      /(^|\/)patches\/[^/]+\.(patch|diff)$/.test(path) ||
      /(^|\/)\.yarn\/(patches|plugins|releases)\//.test(path) ||
      /(^|\/)\.cargo\/config(\.toml)?$/.test(path) ||
      /(^|\/)(pip\.conf|uv\.toml|poetry\.toml|\.pnpmfile\.c?js)$/.test(path),
  );
  return bends.map((path) => `${path} bends what is installed`);
}

function lockPaths(base: DependencyFiles, judged: DependencyFiles): readonly string[] {
  const paths = new Set<string>();
  for (const files of [base, judged]) {
    for (const { manager, cwd, lock } of detectManagers(files)) {
      paths.add(lock);
      for (const name of manager.manifests) {
        const path = inFolder(cwd, name);
        if (name !== "package.json" && files.paths.includes(path)) paths.add(path);
      }
    }
  }
  return [...paths].sort();
}

function compareLock(pair: LockPair, inBase: boolean, inJudged: boolean): LockChange {
  const name = baseName(pair.path);
  if (name === "package-lock.json" || name === "npm-shrinkwrap.json") return compareNpmLocks(pair);
  if (name === "Cargo.lock") return compareTomlLocks("cargo", pair);
  if (name === "uv.lock") return compareTomlLocks("uv", pair);
  if (name === "poetry.lock") return compareTomlLocks("poetry", pair);
  if (/requirements[^/]*\.txt$/.test(name)) return compareRequirements(pair);
  if (name === "go.mod") return compareGoModules(pair);
  if (name === "go.sum" || name === "go.work.sum") return compareGoSums(pair);
  if (name === "pyproject.toml" || name === "Cargo.toml") return NO_LOCK_CHANGE;
  if (inBase === inJudged && pair.base === pair.judged) return NO_LOCK_CHANGE;
  return needsLook(`${pair.path} changed, and its rules are not known here`);
}

/** Keys of manifests that change how locked packages are found or what is run for them. */
function manifestReasons(base: DependencyFiles, judged: DependencyFiles): readonly string[] {
  const reasons: string[] = [];
  const paths = [...new Set([...base.text.keys(), ...judged.text.keys()])].sort();
  const projects = npmProjectFolders(base);
  for (const path of paths) {
    const before = base.text.get(path);
    const after = judged.text.get(path);
    if (before === after || after === undefined) continue;
    const name = baseName(path);
    if (name === "package.json") {
      for (const key of bentKeys(before, after)) reasons.push(`${path} changes ${key}`);
      if (projects.has(folderOf(path))) reasons.push(...lifecycleReasons(path, before, after));
    }
    const table =
      name === "Cargo.toml" ? CARGO_BENDS : name === "pyproject.toml" ? PYPROJECT_BENDS : undefined;
    if (table !== undefined && sections(before, table) !== sections(after, table)) {
      reasons.push(`${path} changes where packages come from`);
    }
  }
  return reasons;
}

function npmProjectFolders(files: DependencyFiles): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { manager, cwd, lock } of detectManagers(files)) {
    const packages = manager.name === "npm" ? parseNpmLock(files.text.get(lock) ?? "") : undefined;
    for (const project of packages === undefined ? [""] : npmProjects(packages)) {
      folders.add(project === "" ? cwd : inFolder(cwd, project));
    }
  }
  return folders;
}

const bendSchema = v.looseObject({ pnpm: v.optional(v.unknown()) });

function bentKeys(before: string | undefined, after: string): readonly string[] {
  const keys = [
    "overrides",
    "resolutions",
    "patchedDependencies",
    "trustedDependencies",
    "pnpm",
    "dependenciesMeta",
  ];
  const old = parseObject(before);
  const now = parseObject(after);
  return keys.filter((key) => textOf(old[key]) !== textOf(now[key]));
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), bendSchema), text);
  return parsed.success ? parsed.output : {};
}

const jsonSchema: v.GenericSchema<unknown, Json> = v.lazy(() =>
  v.union([
    v.null(),
    v.boolean(),
    v.number(),
    v.string(),
    v.array(jsonSchema),
    v.record(v.string(), jsonSchema),
  ]),
);

function textOf(value: unknown): string {
  const parsed = v.safeParse(jsonSchema, value);
  return parsed.success ? canonicalJson(parsed.output) : "";
}

function lifecycleReasons(path: string, before: string | undefined, after: string): readonly string[] {
  const old = parsePackageJson(before)?.scripts ?? {};
  const now = parsePackageJson(after)?.scripts ?? {};
  return LIFECYCLE.filter((script) => old[script] !== now[script]).map(
    (script) => `${path} changes script ${script}`,
  );
}

const CARGO_BENDS = /^(patch|replace|source|registries)\b/;
const PYPROJECT_BENDS =
  /^(build-system|tool\.(uv|poetry)\.(sources?|index|dependency-metadata)|tool\.uv|tool\.uv\.pip)\b/;

/** The text of those TOML tables whose header matches, without comments and blank lines. */
function sections(text: string | undefined, header: RegExp): string {
  const kept: string[] = [];
  let isKept = false;
  for (const raw of (text ?? "").split(/\r?\n/)) {
    const line = raw.replace(/(^|\s)#.*$/, "").trim();
    const title = /^\[\[?\s*([^\]]+?)\s*\]\]?$/.exec(line)?.[1];
    if (title !== undefined) isKept = header.test(title);
    if (isKept && line !== "") kept.push(line);
  }
  return kept.join("\n");
}
