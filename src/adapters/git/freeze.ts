import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import { type Repository, repositoryAt, textOf } from "./discover.ts";
import { isAtLeast } from "./find-git.ts";
import type { IgnoreRules, RepositoryRules } from "./ignore-rules.ts";
import { layRepository, type ObjectStore, plainEnvironment } from "./object-store.ts";
import { joinNul, splitNul } from "./paths.ts";
import { everyFile } from "./walk.ts";

/** The user's own environment, for the two things that are theirs: excludes and identity. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Found {
  readonly rules: RepositoryRules;
  readonly files: IgnoreRules["files"];
  readonly nested: readonly string[];
}

/** Reads the ignore rules of a checkout as they are now, those of submodules and nested repositories included. */
export async function freezeRules(
  store: ObjectStore,
  root: string,
  environment: Environment,
): Promise<Result<IgnoreRules>> {
  store.ensure();
  const repositories: RepositoryRules[] = [];
  const files: IgnoreRules["files"][number][] = [];
  const queue = [""];
  for (let prefix = queue.shift(); prefix !== undefined; prefix = queue.shift()) {
    const found = await freezeOne(store, root, prefix, environment);
    if (!found.ok) {
      if (prefix === "") return found;
      continue; // An unreadable nested repository has no rules of its own; the snapshot reports it.
    }
    repositories.push(found.value.rules);
    files.push(...found.value.files);
    queue.push(...found.value.nested);
  }
  const depth = (path: string): number => path.split("/").length;
  files.sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
  return ok({ repositories, files });
}

async function freezeOne(
  store: ObjectStore,
  root: string,
  prefix: string,
  environment: Environment,
): Promise<Result<Found>> {
  const dir = join(root, prefix);
  const repository = repositoryAt(dir);
  const extra = `${await globalExcludes(store, repository, environment)}\n${
    repository === undefined ? "" : (textOf(join(repository.commonDir, "info/exclude")) ?? "")
  }\n`;
  const extraFile = store.scratch("exclude");
  writeFileSync(extraFile, extra);
  const at = { dir, index: store.scratch("no-index") };
  const rules = ["--exclude-per-directory=.gitignore", `--exclude-from=${extraFile}`];
  const [others, ignored, forced] = await Promise.all([
    store.run(["ls-files", "-o", "-z", ...rules], at),
    store.run(["ls-files", "-o", "-i", "--directory", "-z", ...rules], at),
    repository === undefined ? ok([]) : trackedButIgnored(store, repository, dir, rules),
  ]);
  const inside =
    others.ok && ignored.ok
      ? await selfIgnored(store, dir, extraFile, splitNul(ignored.value.stdout))
      : ok([]);
  rmSync(extraFile, { force: true });
  if (!others.ok) return others;
  if (!inside.ok) return inside;
  const listed = splitNul(others.value.stdout);
  const files = [...listed.filter((path) => /(^|\/)\.gitignore$/.test(path)), ...inside.value];
  return ok({
    rules: { prefix, extra, forced: (forced.ok ? forced.value : []).map((path) => prefix + path).sort() },
    files: files.map((path) => ({ path: prefix + path, text: textOf(join(dir, path)) ?? "" })),
    nested: listed.filter((path) => path.endsWith("/")).map((path) => prefix + path),
  });
}

/** `.gitignore` files that are ignored themselves, as those which tools put into their caches (`*`). */
async function selfIgnored(
  store: ObjectStore,
  dir: string,
  extraFile: string,
  ignored: readonly string[],
): Promise<Result<readonly string[]>> {
  const found = ignored.filter((path) => /(^|\/)\.gitignore$/.test(path));
  const folders = ignored.filter((path) => path.endsWith("/"));
  if (folders.length === 0) return ok(found);
  // Names are read as pathspecs: `./` keeps a leading `:` or `-` from meaning something.
  const outer = await store.run(
    ["-c", `core.excludesFile=${extraFile}`, "check-ignore", "--no-index", "-z", "--stdin"],
    {
      dir,
      input: joinNul(folders.map((folder) => `./${folder}`)),
      answers: [1],
      env: { GIT_LITERAL_PATHSPECS: "0" },
    },
  );
  if (!outer.ok) return outer;
  const ignoredFromOutside = new Set(splitNul(outer.value.stdout).map((path) => path.slice(2, -1)));
  for (const folder of folders.map((path) => path.slice(0, -1))) {
    if (ignoredFromOutside.has(folder)) continue;
    for (const path of everyFile(dir, folder, (inner) => ignoredFromOutside.has(inner))) {
      if (path.endsWith("/.gitignore")) found.push(path);
    }
  }
  return ok(found);
}

/** Paths that their index tracks although the given rules ignore them, relative to `dir`. */
export async function trackedButIgnored(
  store: ObjectStore,
  repository: Repository,
  dir: string,
  rules: readonly string[],
): Promise<Result<readonly string[]>> {
  const index = join(repository.gitDir, "index");
  if (!existsSync(index)) return ok([]);
  const format = /^\s*objectformat\s*=\s*sha256\s*$/im.test(
    textOf(join(repository.commonDir, "config")) ?? "",
  )
    ? "sha256"
    : "sha1";
  // Their index is read with a repository of ours around it: their configuration has no say.
  const reader = join(store.folder, `reader-${format}`);
  layRepository(reader, format);
  for (const name of readdirSync(repository.gitDir)) {
    if (name.startsWith("sharedindex.")) copyFileSync(join(repository.gitDir, name), join(reader, name));
  }
  const sparse = isAtLeast(store.git.version, [2, 36]) ? ["--sparse"] : [];
  const listed = await store.git.run({
    args: ["ls-files", "-c", "-i", "-z", ...sparse, ...rules],
    cwd: dir,
    env: { ...plainEnvironment(store.folder), GIT_DIR: reader, GIT_WORK_TREE: dir, GIT_INDEX_FILE: index },
  });
  return listed.ok ? ok(splitNul(listed.value.stdout)) : listed;
}

async function globalExcludes(
  store: ObjectStore,
  repository: Repository | undefined,
  environment: Environment,
): Promise<string> {
  const asked = await store.git.run({
    args: ["config", "--type=path", "--get", "core.excludesFile"],
    cwd: "/",
    env: userEnvironment(environment, repository?.gitDir ?? store.gitDir),
    answers: [1],
  });
  const configured = asked.ok ? asked.value.stdout.toString("utf8").trim() : "";
  if (configured !== "" && configured !== "/dev/null") return textOf(configured) ?? "";
  const home = environment["HOME"] ?? "";
  const folder = environment["XDG_CONFIG_HOME"] || join(home, ".config");
  return textOf(join(folder, "git/ignore")) ?? "";
}

/** The user's git configuration applies, with their home; variables that redirect git do not. */
export function userEnvironment(environment: Environment, gitDir: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["HOME", "XDG_CONFIG_HOME", "PATH", "USER", "LOGNAME"]) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  for (const [name, value] of Object.entries(environment)) {
    if (/^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/.test(name) && value !== undefined) kept[name] = value;
  }
  return { ...kept, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_LITERAL_PATHSPECS: "1", GIT_DIR: gitDir };
}
