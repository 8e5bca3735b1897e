import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import { blobId } from "./blob-id.ts";
import { repositoryAt, textOf } from "./discover.ts";
import { trackedButIgnored } from "./freeze.ts";
import { generatedFolder } from "./generated.ts";
import type { ObjectStore } from "./object-store.ts";
import { isOurs, joinNul, splitNul, unnameable } from "./paths.ts";
import type { RuleFiles } from "./rule-files.ts";
import { statAt } from "./walk.ts";

export interface Skipped {
  readonly path: string;
  readonly why: string;
}

/** How a folder differs from an index of ours. */
export interface Listing {
  /** Not in the index, not ignored. */
  readonly others: readonly string[];
  /** In the index, and their stat data says that they may have changed. */
  readonly changed: readonly string[];
  /** In the index, and gone, or behind a link. */
  readonly gone: readonly string[];
  readonly skipped: readonly Skipped[];
}

export interface IndexAt {
  readonly dir: string;
  readonly index: string;
}

/** Asks git what is new, changed and gone. Two or three processes side by side; more only for what is rare. */
export async function listDifferences(
  store: ObjectStore,
  at: IndexAt,
  rules: RuleFiles,
): Promise<Result<Listing>> {
  const skipped: Skipped[] = [];
  const entered = new Set<string>();
  for (;;) {
    const [frozen, live, files] = await Promise.all([
      store.run(["ls-files", "-o", "-z", `--exclude-from=${rules.all}`], at),
      haveRulesChanged(rules, at.dir)
        ? store.run(["ls-files", "-o", "-z", ...liveRules(rules), ...rules.leftOut], at)
        : undefined,
      store.run(["diff-files", "-z", "--raw", "--no-renames"], at),
    ]);
    if (!frozen.ok) return frozen;
    if (!files.ok) return files;
    const unignored = live?.ok ? splitNul(live.value.stdout).filter((path) => !generatedFolder(path)) : [];
    const listed = [...new Set([...splitNul(frozen.value.stdout), ...unignored])];
    const nested = listed.filter((path) => path.endsWith("/"));
    const fresh = nested.filter((path) => !skipped.some((one) => one.path === path));
    if (fresh.length > 0) {
      const done = await enter(store, at, fresh, entered, skipped);
      if (!done.ok) return done;
      continue;
    }
    const others = listed.filter((path) => !path.endsWith("/") && isNameable(path, skipped));
    const kept = await withoutNewJunk(store, at, rules, others);
    if (!kept.ok) return kept;
    const differing = split(splitNul(files.value.stdout));
    if (files.value.warnings === "") return ok({ others: kept.value, ...differing, skipped });
    const unseen = await outOfSight(store, at);
    if (!unseen.ok) return unseen;
    skipped.push(...unseen.value.map((path) => ({ path, why: "its folder cannot be read" })));
    const { changed, gone } = differing;
    return ok({ others: kept.value, changed, gone: [...gone, ...unseen.value], skipped });
  }
}

/**
 * Git stops at a folder that is a repository, unless the index knows a path below it. A placeholder makes it go on;
 * being absent on disk, it leaves the index with the next update.
 */
async function enter(
  store: ObjectStore,
  at: IndexAt,
  nested: readonly string[],
  entered: Set<string>,
  skipped: Skipped[],
): Promise<Result<void>> {
  const whyStuck = (path: string): string | undefined =>
    entered.has(path) ? "git does not list what is in it" : undefined;
  const lines: string[] = [];
  for (const path of nested) {
    const why = unnameable(path) ?? whyUnreadable(join(at.dir, path)) ?? whyStuck(path);
    if (why !== undefined) skipped.push({ path, why });
    else lines.push(`100644 ${blobId(new Uint8Array())} 0\t${path}.loopwright-placeholder`);
  }
  for (const path of nested) entered.add(path);
  if (lines.length === 0) return ok(undefined);
  const done = await store.run(["update-index", "-z", "--index-info"], { ...at, input: joinNul(lines) });
  return done.ok ? ok(undefined) : done;
}

/** Git takes a file whose folder it may not enter for unchanged, with a warning; nothing is known about it. */
async function outOfSight(store: ObjectStore, at: IndexAt): Promise<Result<readonly string[]>> {
  const listed = await store.run(["ls-files", "-c", "-z"], at);
  if (!listed.ok) return listed;
  return ok(splitNul(listed.value.stdout).filter((path) => statAt(join(at.dir, path)) === undefined));
}

function whyUnreadable(folder: string): string | undefined {
  try {
    readdirSync(folder);
    return undefined;
  } catch {
    return "the folder cannot be read";
  }
}

/** `:100644 000000 <id> <id> D`, path, ... */
function split(parts: readonly string[]): { changed: string[]; gone: string[] } {
  const changed: string[] = [];
  const gone: string[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    (parts[at]?.endsWith("D") ? gone : changed).push(parts[at + 1] ?? "");
  }
  return { changed, gone };
}

function isNameable(path: string, skipped: Skipped[]): boolean {
  const why = unnameable(path);
  if (why !== undefined) skipped.push({ path, why });
  return why === undefined && !isOurs(path);
}

function liveRules(rules: RuleFiles): string[] {
  return ["--exclude-per-directory=.gitignore", `--exclude-from=${rules.extra("")}`];
}

function haveRulesChanged(rules: RuleFiles, dir: string): boolean {
  return rules.rules.files.some((file) => (textOf(join(dir, file.path)) ?? "") !== file.text);
}

/** Leaves out new folders of a generated kind that the present rules ignore, such as a first `node_modules`. */
async function withoutNewJunk(
  store: ObjectStore,
  at: IndexAt,
  rules: RuleFiles,
  others: readonly string[],
): Promise<Result<readonly string[]>> {
  const folders = new Set(others.map(generatedFolder).filter((folder) => folder !== undefined));
  if (folders.size === 0) return ok(others);
  const listed = await store.run(
    ["ls-files", "-o", "-i", "--directory", "-z", ...liveRules(rules), "--", ...folders],
    at,
  );
  if (!listed.ok) return listed;
  const junk = new Set(splitNul(listed.value.stdout));
  return ok(others.filter((path) => !junk.has(generatedFolder(path) ?? "")));
}

/** Answers of `forcedPaths` that hold while an index file stays the same. */
export type ForcedCache = Map<string, { readonly stamp: string; readonly paths: readonly string[] }>;

/** What the checkout's own indexes track although it was ignored: at session start, or now. */
export async function forcedPaths(
  store: ObjectStore,
  dir: string,
  rules: RuleFiles,
  cache: ForcedCache,
): Promise<readonly string[]> {
  const forced = new Set<string>();
  for (const { prefix, forced: then } of rules.rules.repositories) {
    for (const path of [...then, ...(await forcedNow(store, dir, prefix, rules, cache))]) {
      if (unnameable(path) === undefined && !isOurs(path)) forced.add(path);
    }
  }
  return [...forced];
}

async function forcedNow(
  store: ObjectStore,
  dir: string,
  prefix: string,
  rules: RuleFiles,
  cache: ForcedCache,
): Promise<readonly string[]> {
  const repository = repositoryAt(join(dir, prefix));
  if (repository === undefined) return [];
  const stat = statSync(join(repository.gitDir, "index"), { bigint: true, throwIfNoEntry: false });
  const stamp = `${stat?.mtimeNs}:${stat?.ctimeNs}:${stat?.size}:${stat?.ino}`;
  const known = cache.get(prefix);
  if (known?.stamp === stamp) return known.paths;
  const excludes =
    prefix === ""
      ? [`--exclude-from=${rules.all}`]
      : ["--exclude-per-directory=.gitignore", `--exclude-from=${rules.extra(prefix)}`];
  const listed = await trackedButIgnored(store, repository, join(dir, prefix), excludes);
  const paths = listed.ok ? listed.value.map((path) => prefix + path) : [];
  cache.set(prefix, { stamp, paths });
  return paths;
}
