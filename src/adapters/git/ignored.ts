import { ok, type Result } from "../../core/result.ts";
import { generatedFolder } from "./generated.ts";
import type { IndexAt } from "./listing.ts";
import type { ObjectStore } from "./object-store.ts";
import { isOurs, splitNul } from "./paths.ts";
import type { RuleFiles } from "./rule-files.ts";

/** What is on disk and not in the index, because the rules of the start or of today ignore it. */
export async function listIgnored(
  store: ObjectStore,
  at: IndexAt,
  rules: RuleFiles,
): Promise<Result<readonly string[]>> {
  const either = [`--exclude-from=${rules.all}`, "--exclude-per-directory=.gitignore"];
  const listed = await store.run(["ls-files", "-o", "-i", "--directory", "-z", ...either], at);
  if (!listed.ok) return listed;
  const isNeverPart = (path: string): boolean =>
    isOurs(path.replace(/\/$/, "")) || rules.leftOut.includes(`--exclude=/${path}`);
  return ok(collapse(splitNul(listed.value.stdout).filter((path) => !isNeverPart(path))));
}

/**
 * Git names a folder that holds ignored things only, and then those things as well. Kept are folders of a generated
 * kind as a whole, and of any other folder what is in it.
 */
export function collapse(paths: readonly string[]): string[] {
  const sorted = [...new Set(paths)].sort();
  const kept: string[] = [];
  sorted.forEach((path, at) => {
    const last = kept.at(-1);
    if (last?.endsWith("/") && path.startsWith(last)) return;
    const isExpanded = path.endsWith("/") && sorted[at + 1]?.startsWith(path);
    if (!isExpanded || generatedFolder(`${path}x`) !== undefined) kept.push(path);
  });
  return kept;
}
