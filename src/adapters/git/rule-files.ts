import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as v from "valibot";
import type { Digest } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { textOf } from "./discover.ts";
import { excludeFolder, flatten, type IgnoreRules, rulesDigest } from "./ignore-rules.ts";
import type { ObjectStore } from "./object-store.ts";
import { OUR_SESSIONS } from "./paths.ts";

/** Frozen ignore rules with the exclude files that make git apply them. */
export interface RuleFiles {
  readonly digest: Digest;
  readonly rules: IgnoreRules;
  /** Arguments that keep out what is never part of a tree. */
  readonly leftOut: readonly string[];
  /** Everything that was ignored, for the root. */
  readonly all: string;
  /** Global excludes and `info/exclude` of one repository. */
  extra(prefix: string): string;
}

const RULES = v.object({
  repositories: v.array(v.object({ prefix: v.string(), extra: v.string(), forced: v.array(v.string()) })),
  files: v.array(v.object({ path: v.string(), text: v.string() })),
});

export function saveRules(store: ObjectStore, root: string, rules: IgnoreRules): RuleFiles {
  const files = layRules(store, root, rules);
  writeFileSync(join(folderOf(store, files.digest), "rules.json"), JSON.stringify(rules));
  return files;
}

/** Finds rules that were frozen earlier. Problem: `tree-unreadable` when they are gone or not what their name says. */
export function loadRules(store: ObjectStore, root: string, digest: string): Result<RuleFiles> {
  const text = textOf(join(folderOf(store, digest), "rules.json"));
  const parsed = text === undefined ? undefined : parse(text);
  if (parsed === undefined || rulesDigest(parsed) !== digest) {
    return fail(
      "tree-unreadable",
      `the ignore rules ${digest.slice(0, 12)} of this session are gone or altered`,
    );
  }
  return ok(layRules(store, root, parsed));
}

function parse(text: string): IgnoreRules | undefined {
  try {
    return v.parse(RULES, JSON.parse(text));
  } catch {
    return undefined;
  }
}

function folderOf(store: ObjectStore, digest: string): string {
  return join(store.folder, "rules", digest);
}

function layRules(store: ObjectStore, root: string, rules: IgnoreRules): RuleFiles {
  const digest = rulesDigest(rules);
  const folder = folderOf(store, digest);
  mkdirSync(folder, { recursive: true });
  const inside = relative(root, store.folder);
  const leftOut = [OUR_SESSIONS, ...(inside === "" || inside.startsWith("..") ? [] : [inside])];
  const lay = (name: string, text: string): string => {
    const path = join(folder, name);
    if (textOf(path) !== text) writeFileSync(path, text);
    return path;
  };
  return {
    digest,
    rules,
    leftOut: leftOut.map((path) => `--exclude=${excludeFolder(path)}`),
    all: lay("all.exclude", flatten(rules, leftOut)),
    extra: (prefix) => {
      const at = rules.repositories.findIndex((one) => one.prefix === prefix);
      return lay(`extra-${at}.exclude`, rules.repositories[at]?.extra ?? "");
    },
  };
}
