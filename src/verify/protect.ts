import type { TreeEntry } from "../ports/workspace.ts";
import {
  CHECKING_NAME,
  CI_GLOBS,
  CONFIG_NAME,
  DEPENDENCY_FOLDER,
  FIXTURE_FOLDERS,
  isTestPath,
  OUR_GLOBS,
  RUNNER_GLOBS,
  SCRIPT_EXTENSION,
  SCRIPT_FOLDER,
  TEST_GLOBS,
  TOOL_CONFIG,
} from "./conventions.ts";
import { baseName, folderOf, foldersAbove, matcher } from "./globs.ts";
import { manifestKind } from "./manifests/index.ts";
import type { Protection } from "./types.ts";

export interface ProtectionRequest {
  /** The base tree. */
  readonly entries: readonly TreeEntry[];
  /** What the checks run: command lines with package scripts resolved, and texts of scripts they name. */
  readonly commands: readonly string[];
  readonly protect: readonly string[];
  /** Wins over everything that would protect a path. */
  readonly unprotect: readonly string[];
  readonly allowTests: boolean;
}

/** Which paths of the base tree judge the work and so are not the work's to change. Pure; sorted by path. */
export function protectionOf(request: ProtectionRequest): Protection {
  const paths = request.entries.map((entry) => entry.path);
  const free = matcher(request.unprotect);
  const globs = [
    ...TEST_GLOBS,
    ...fixtureGlobs(paths),
    ...dependencyGlobs(paths),
    ...RUNNER_GLOBS,
    ...viteGlobs(paths, request.commands),
    ...CI_GLOBS,
    ...OUR_GLOBS,
    ...TOOL_CONFIG.filter(({ tool }) => request.commands.some((line) => tool.test(line))).flatMap(
      (row) => row.globs,
    ),
    ...request.protect,
  ];
  const guarded = matcher(globs);
  const named = new Set(request.commands.flatMap((line) => namedPaths(line, request.entries)));
  return {
    paths: paths
      .filter((path) => (guarded(path) || named.has(path)) && !free(path) && manifestKind(path) === undefined)
      .sort(),
    globs,
    unprotected: request.unprotect,
    manifests: paths.filter((path) => manifestKind(path) !== undefined && !free(path)).sort(),
    allowTests: request.allowTests,
  };
}

/** Test data folders count only where tests are beside them: `app/fixtures` of a product stays the product's. */
function fixtureGlobs(paths: readonly string[]): readonly string[] {
  const withTests = new Set(paths.filter(isTestPath).map(folderOf));
  const found = new Set<string>();
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      if (FIXTURE_FOLDERS.includes(baseName(folder)) && withTests.has(folderOf(folder)))
        found.add(`${folder}/**`);
    }
  }
  return [...found].sort();
}

/** Only of folders that the base tree holds: what a first installation brings is no change of anything. */
function dependencyGlobs(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => {
    const found = DEPENDENCY_FOLDER.exec(path);
    return found === null ? [] : [path.slice(0, found.index + found[0].length)];
  });
  return [...new Set(folders)].sort().map((folder) => `${folder}**`);
}

/** `vite.config` is the product's, unless it is where Vitest reads its settings. */
function viteGlobs(paths: readonly string[], commands: readonly string[]): readonly string[] {
  const runsVitest = commands.some((line) => /\bvitest\b/.test(line));
  const ownConfig = paths.some((path) => /(^|\/)vitest\.(config|workspace)\./.test(path));
  return runsVitest && !ownConfig ? ["**/vite.config.*"] : [];
}

/**
 * Files of the tree that a command line (or the text of a script) names, if they are scripts, tests or
 * configuration by convention. A product file that a check runs is not among them.
 */
export function namedPaths(text: string, entries: readonly TreeEntry[]): readonly string[] {
  const words = new Set(
    text
      .split(/[\s"'`;|&()<>=,]+/)
      .map((word) => word.replace(/^(\.\/)+/, "").replace(/[:.]+$/, ""))
      .filter((word) => word !== ""),
  );
  return entries.filter((entry) => words.has(entry.path) && isJudging(entry)).map((entry) => entry.path);
}

function isJudging(entry: TreeEntry): boolean {
  const name = baseName(entry.path);
  if (isTestPath(entry.path) || SCRIPT_EXTENSION.test(name) || CONFIG_NAME.test(name)) return true;
  if (SCRIPT_FOLDER.test(entry.path) || CHECKING_NAME.test(name)) return true;
  return entry.mode === "executable" && !name.includes(".") && folderOf(entry.path) === "";
}

/** Whether a path that the base tree does not hold would be left out of the blocking run when it is added. */
export function guardsAdded(protection: Protection): (path: string) => boolean {
  const guarded = matcher(protection.globs);
  const free = matcher(protection.unprotected);
  return (path) =>
    guarded(path) &&
    !free(path) &&
    manifestKind(path) === undefined &&
    !(protection.allowTests && isTestPath(path));
}

const SHOWN_PATHS = 12;

/** What is protected, for people: a label and a text each, nothing for what is not there, paths cut after a dozen. */
export function describeProtection(protection: Protection): readonly (readonly [string, string])[] {
  const { manifests, unprotected, allowTests } = protection;
  const tests = protection.paths.filter(isTestPath);
  const others = protection.paths.filter((path) => !isTestPath(path));
  const kept: (readonly [string, string])[] = [
    ["tests", listed(tests)],
    ["check files", listed(others)],
    ["scripts in", listed(manifests)],
  ];
  const lines = kept.filter(([, paths]) => paths !== "");
  if (lines.length > 0) lines.push(["", "judged as they are now, whatever the agent makes of them"]);
  if (allowTests) lines.push(["new tests", "count; changed old ones need approval"]);
  else if (tests.length > 0) lines.push(["new tests", "run apart, for information"]);
  if (unprotected.length > 0) lines.push(["unprotected", unprotected.join(", ")]);
  return lines;
}

function listed(paths: readonly string[]): string {
  const rest = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : "";
  return `${paths.slice(0, SHOWN_PATHS).join(", ")}${rest}`;
}
