import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { type Git, makeGit } from "./git-process.ts";

const OLDEST: readonly [number, number] = [2, 30];

/** Finds git once, by absolute path, so that a later change of PATH changes nothing. Problem: `git-missing`. */
export async function findGit(path: string): Promise<Result<Git>> {
  const program = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, "git"))
    .find(isExecutable);
  if (program === undefined) {
    return fail("git-missing", "git is not on PATH", { hint: "install git 2.30 or newer" });
  }
  const said = await makeGit(program, OLDEST).run({ args: ["version"], env: {}, cwd: "/" });
  if (!said.ok) return said;
  const match = /(\d+)\.(\d+)/.exec(said.value.stdout.toString("utf8"));
  const version = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)] as const;
  if (!isAtLeast(version, OLDEST)) {
    return fail("git-missing", `git ${version.join(".")} is too old, 2.30 or newer is needed`);
  }
  return ok(makeGit(program, version));
}

export function isAtLeast(version: readonly [number, number], wanted: readonly [number, number]): boolean {
  return version[0] > wanted[0] || (version[0] === wanted[0] && version[1] >= wanted[1]);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
