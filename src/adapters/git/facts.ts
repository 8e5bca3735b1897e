import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Digest, sha256 } from "../../core/hash.ts";
import type { RepositoryFacts } from "../../ports/workspace.ts";
import { type Repository, textOf } from "./discover.ts";

/** Reads files only: nothing that a repository configures can run or answer. */
export function factsOf(repository: Repository): RepositoryFacts {
  const { gitDir, commonDir } = repository;
  const head = textOf(join(gitDir, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  return {
    head: (ref === undefined ? head : refValue(repository, ref)) || null,
    branch: ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null,
    refs: digestOf(commonDir, ["packed-refs", "refs", "reftable"]),
    config: sha256([...configFiles(repository)].map((file) => `${file}\0${textOf(file) ?? ""}\0`).join("")),
    info: digestOf(commonDir, ["info"]),
    hooks: digestOf(commonDir, ["hooks"]),
  };
}

export function noFacts(): RepositoryFacts {
  const nothing = sha256("");
  return { head: null, branch: null, refs: nothing, config: nothing, info: nothing, hooks: nothing };
}

function refValue({ gitDir, commonDir }: Repository, ref: string): string | undefined {
  const loose = textOf(join(gitDir, ref)) ?? textOf(join(commonDir, ref));
  if (loose !== undefined) return loose.trim();
  for (const line of (textOf(join(commonDir, "packed-refs")) ?? "").split("\n")) {
    if (line.endsWith(` ${ref}`)) return line.slice(0, -ref.length - 1);
  }
  return undefined;
}

/** The configuration of a repository with the files inside it that it includes, in order. */
function configFiles({ gitDir, commonDir }: Repository): Set<string> {
  const files = new Set([join(commonDir, "config"), join(gitDir, "config.worktree")]);
  for (const file of files) {
    for (const match of (textOf(file) ?? "").matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gim)) {
      const included = resolve(dirname(file), match[1] ?? "");
      if (!relative(commonDir, included).startsWith("..")) files.add(included);
    }
  }
  return files;
}

/** Names, modes and contents of everything below these places. */
function digestOf(dir: string, places: readonly string[]): Digest {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(join(dir, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(join(dir, path)).sort()) visit(join(path, name));
    } else if (stat?.isFile()) {
      lines.push(`${path}\0${stat.mode & 0o111}\0${sha256(readFileSync(join(dir, path)))}`);
    } else if (stat !== undefined) {
      lines.push(`${path}\0other`);
    }
  };
  for (const place of places) visit(place);
  return sha256(lines.join("\n"));
}
