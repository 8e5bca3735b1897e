import { parse } from "smol-toml";
import * as v from "valibot";
import { ecosystemOf, MANAGERS, type Manager } from "./managers.ts";

/** The texts of a tree's dependency files by path, and all of its paths. */
export interface DependencyFiles {
  readonly paths: readonly string[];
  readonly text: ReadonlyMap<string, string>;
}

/** A folder of the tree (`""` is the root) that a package manager fills. */
export interface Detected {
  readonly manager: Manager;
  readonly cwd: string;
  readonly lock: string;
}

/** Projects under these names are data of tests or samples; nobody installs them to run the checks. */
const SAMPLES = /(^|\/)(fixtures?|__fixtures__|testdata|test-data|examples?|samples?|templates?)\//;
const NAMES: ReadonlySet<string> = new Set(
  MANAGERS.flatMap((manager) => [...manager.locks, ...manager.manifests]),
);

/** The files of a tree that say what is installed. */
export function dependencyPaths(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => NAMES.has(baseName(path)) && !/(^|\/)(node_modules|vendor)\//.test(path));
}

function projectPaths(paths: readonly string[]): readonly string[] {
  return dependencyPaths(paths).filter((path) => !SAMPLES.test(path));
}

/** Which managers fill which folders, by the lock files of the tree; outer folders first. */
export function detectManagers(files: DependencyFiles): readonly Detected[] {
  const candidates = projectPaths(files.paths);
  const detected: Detected[] = [];
  for (const manager of MANAGERS) {
    for (const lock of candidates.filter((path) => manager.locks.includes(baseName(path)))) {
      const cwd = folderOf(lock);
      const isTaken = detected.some((other) => isSameWork(other, manager, cwd));
      if (!isTaken) detected.push({ manager, cwd, lock });
    }
  }
  return preferNamed(detected, files).toSorted((a, b) => (a.cwd < b.cwd ? -1 : a.cwd > b.cwd ? 1 : 0));
}

function isSameWork(other: Detected, manager: Manager, cwd: string): boolean {
  if (other.cwd === cwd) return ecosystemOf(other.manager.name) === ecosystemOf(manager.name);
  // A build of several modules is run from its outermost folder.
  const spansModules = manager.name === "maven" || manager.name === "gradle";
  return spansModules && other.manager.name === manager.name && isUnder(cwd, other.cwd);
}

function isUnder(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

/** With several JavaScript locks in one folder, `packageManager` says which one is meant. */
function preferNamed(detected: readonly Detected[], files: DependencyFiles): readonly Detected[] {
  return detected.map((entry) => {
    if (ecosystemOf(entry.manager.name) !== "javascript") return entry;
    const manifest = parsePackageJson(files.text.get(inFolder(entry.cwd, "package.json")));
    const named = MANAGERS.find((manager) => manifest?.packageManager?.startsWith(`${manager.name}@`));
    const lock = named?.locks
      .map((name) => inFolder(entry.cwd, name))
      .find((path) => files.paths.includes(path));
    return named === undefined || lock === undefined ? entry : { manager: named, cwd: entry.cwd, lock };
  });
}

/** Why nothing can be installed although the tree asks for packages; undefined when that is not so. */
export function missingLock(files: DependencyFiles): string | undefined {
  const detected = detectManagers(files);
  const covers = (path: string, ecosystem: string): boolean =>
    detected.some((one) => ecosystemOf(one.manager.name) === ecosystem && isUnder(path, one.cwd));
  for (const path of projectPaths(files.paths)) {
    const text = files.text.get(path);
    const name = baseName(path);
    const why = `${path} names dependencies, but there is no lock file`;
    if (name === "package.json" && !covers(path, "javascript") && asksForPackages(text)) return why;
    if (name === "pyproject.toml" && !covers(path, "python") && asksForDistributions(text)) return why;
    if (
      name === "Cargo.toml" &&
      !covers(path, "cargo") &&
      /^\[(.*\.)?(dev-|build-)?dependencies/m.test(text ?? "")
    ) {
      return why;
    }
    if (name === "go.mod" && !covers(path, "go") && /^\s*require\b/m.test(text ?? "")) return why;
    if (/^(Gemfile|gems\.rb)$/.test(name) && !covers(path, "bundler")) return why;
    if (name === "composer.json" && !covers(path, "composer") && /"require(-dev)?"/.test(text ?? ""))
      return why;
  }
  return undefined;
}

const packageJsonSchema = v.looseObject({
  packageManager: v.optional(v.string()),
  scripts: v.optional(v.record(v.string(), v.unknown())),
  dependencies: v.optional(v.record(v.string(), v.unknown())),
  devDependencies: v.optional(v.record(v.string(), v.unknown())),
  optionalDependencies: v.optional(v.record(v.string(), v.unknown())),
});
export type PackageJson = v.InferOutput<typeof packageJsonSchema>;

export function parsePackageJson(text: string | undefined): PackageJson | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), packageJsonSchema), text);
  return parsed.success ? parsed.output : undefined;
}

function asksForPackages(text: string | undefined): boolean {
  const manifest = parsePackageJson(text);
  const groups = [manifest?.dependencies, manifest?.devDependencies, manifest?.optionalDependencies];
  return groups.some((group) => Object.keys(group ?? {}).length > 0);
}

const pyprojectSchema = v.object({
  project: v.optional(v.object({ dependencies: v.optional(v.array(v.unknown()), []) })),
  tool: v.optional(
    v.object({
      poetry: v.optional(v.object({ dependencies: v.optional(v.record(v.string(), v.unknown()), {}) })),
    }),
  ),
});

function asksForDistributions(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    const parsed = v.safeParse(pyprojectSchema, parse(text));
    if (!parsed.success) return true;
    const poetry = Object.keys(parsed.output.tool?.poetry?.dependencies ?? {}).filter(
      (name) => name !== "python",
    );
    return (parsed.output.project?.dependencies.length ?? 0) + poetry.length > 0;
  } catch {
    return true;
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut);
}

export function inFolder(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
