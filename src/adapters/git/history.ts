import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { fail, ok, type Result } from "../../core/result.ts";
import { textOf } from "./discover.ts";
import type { Git } from "./git-process.ts";
import { plainEnvironment } from "./object-store.ts";
import type { TheirGit } from "./their-git.ts";

const historySchema = v.object({
  commit: v.string(),
  /** Full name of the ref that HEAD is; null when it is detached. */
  head: v.nullable(v.string()),
  objectFormat: v.picklist(["sha1", "sha256"]),
  /** One ref a line: object and full name. */
  refs: v.string(),
  shallow: v.string(),
  exclude: v.string(),
  /** Of `core`: what decides whether a file is as the commit has it. */
  settings: v.array(v.tuple([v.string(), v.string()])),
});
type History = v.InferOutput<typeof historySchema>;

const SETTINGS = "^core\\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode)$";
const QUESTIONS = [
  ["rev-parse", "-q", "--verify", "HEAD^{commit}"],
  ["symbolic-ref", "-q", "HEAD"],
  ["rev-parse", "--show-object-format"],
  ["for-each-ref", "--format=%(objectname) %(refname)"],
  ["config", "-z", "--get-regexp", SETTINGS],
];

/** What a copy needs to be a repository like this one is now; undefined before the first commit. */
export async function readHistory(theirs: TheirGit): Promise<Result<string | undefined>> {
  const answers = await Promise.all(QUESTIONS.map((question) => theirs.run(question, { answers: [1] })));
  const said: string[] = [];
  for (const answer of answers) {
    if (!answer.ok) return answer;
    said.push(answer.value.stdout.toString("utf8"));
  }
  const [commit = "", head = "", format = "", refs = "", settings = ""] = said;
  if (commit === "") return ok(undefined);
  const { commonDir } = theirs.repository;
  const history: History = {
    commit: commit.trim(),
    head: head.trim() || null,
    objectFormat: format.trim() === "sha256" ? "sha256" : "sha1",
    refs,
    shallow: textOf(join(commonDir, "shallow")) ?? "",
    exclude: textOf(join(commonDir, "info/exclude")) ?? "",
    settings: settings.split("\0").flatMap((entry): [string, string][] => {
      const [key = "", value = "true"] = entry.split("\n");
      return key === "" ? [] : [[key.slice("core.".length), value]];
    }),
  };
  return ok(JSON.stringify(history));
}

/** Makes `dir` a repository of its own that borrows the objects in `objects` and has its index at its commit. */
export async function layHistory(
  git: Git,
  objects: string,
  dir: string,
  text: string,
): Promise<Result<void>> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), historySchema), text);
  if (!parsed.success) return fail("tree-tampered", "the history for checkouts cannot be read");
  const gitDir = join(dir, ".git");
  writeRepository(gitDir, objects, parsed.output);
  const run = (args: readonly string[], answers: readonly number[] = []) =>
    git.run({
      args,
      answers,
      cwd: dir,
      env: { ...plainEnvironment(gitDir), GIT_DIR: gitDir, GIT_WORK_TREE: dir },
    });
  const read = await run(["read-tree", "HEAD"]);
  if (!read.ok) return read;
  // What is not as the commit has it is for the check to find.
  const noted = await run(["update-index", "-q", "--refresh"], [1]);
  return noted.ok ? ok(undefined) : noted;
}

function writeRepository(gitDir: string, objects: string, history: History): void {
  const { commit, head, objectFormat, refs, shallow, exclude, settings } = history;
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    mkdirSync(join(gitDir, folder), { recursive: true });
  const config = [
    "[core]",
    "\trepositoryformatversion = 1",
    "\tbare = false",
    ...settings.map(([key, value]) => `\t${key} = ${JSON.stringify(value)}`),
    "[extensions]",
    `\tobjectFormat = ${objectFormat}`,
  ];
  writeFileSync(join(gitDir, "config"), `${config.join("\n")}\n`);
  writeFileSync(join(gitDir, "HEAD"), head === null ? `${commit}\n` : `ref: ${head}\n`);
  writeFileSync(join(gitDir, "packed-refs"), refs);
  writeFileSync(join(gitDir, "objects/info/alternates"), `${objects}\n`);
  writeFileSync(join(gitDir, "info/exclude"), exclude);
  if (shallow !== "") writeFileSync(join(gitDir, "shallow"), shallow);
}
