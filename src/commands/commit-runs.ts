import { fail, ok, type Result } from "../core/result.ts";
import type { CommitHistory } from "../ports/commit-history.ts";
import type { Store } from "../ports/store.ts";
import type { CommandContext } from "./types.ts";

export interface RunsMeant {
  readonly runs: readonly string[];
  /** How a commit led to them. */
  readonly via?: "artifact" | "base_commit";
}

/** Runs that made the commit; else the one run that started from its parent, which is only a guess. */
export async function runsOfCommit(
  context: CommandContext,
  store: Store,
  commit: string,
): Promise<Result<RunsMeant>> {
  if (!/^[0-9a-fA-F]{4,64}$/.test(commit)) return fail("bad-flag", `"${commit}" is no commit`);
  const made = await store.runsOfCommit(commit);
  if (!made.ok) return made;
  if (made.value.length > 0) return ok({ runs: made.value.map(({ run }) => run), via: "artifact" });
  const started = await startedFromParents(context, store, commit);
  if (!started.ok) return started;
  const [guess, ...others] = started.value;
  if (guess !== undefined && others.length === 0) return ok({ runs: [guess], via: "base_commit" });
  const candidates =
    guess === undefined
      ? ""
      : `; ${started.value.length} runs started from its parent: ${started.value.join(", ")}`;
  return fail("no-such-run", `no run made the commit ${commit}${candidates}`, {
    hint: "name the run with --run",
  });
}

async function startedFromParents(
  context: CommandContext,
  store: Store,
  commit: string,
): Promise<Result<readonly string[]>> {
  const history = await context.history();
  const here = await history.parents(context.cwd, commit);
  const folders = here.length > 0 ? ok([]) : await foldersOfRuns(store);
  if (!folders.ok) return folders;
  const parents = here.length > 0 ? here : await firstParents(history, folders.value, commit);
  const started = new Set<string>();
  for (const parent of parents) {
    const found = await store.runs({ baseCommit: parent });
    if (!found.ok) return found;
    for (const { run } of found.value) started.add(run);
  }
  return ok([...started]);
}

/** As many runs are looked through for the folders that their attempts worked in. */
const NEWEST = 200;

/** Where runs were done, the newest first: the commit may be in another repository than the current folder's. */
async function foldersOfRuns(store: Store): Promise<Result<readonly string[]>> {
  const sessions = await store.sessions({ limit: NEWEST });
  if (!sessions.ok) return sessions;
  const rows = await store.runs({ limit: NEWEST });
  if (!rows.ok) return rows;
  const { readRun } = await import("../record/judging.ts");
  const folders = new Set(sessions.value.map(({ topLevel }) => topLevel));
  for (const { run } of rows.value.filter(({ baseCommit }) => baseCommit !== undefined)) {
    const known = await readRun(store, run);
    if (!known.ok) return known;
    for (const { cwd } of known.value.document.attempts ?? []) if (cwd !== undefined) folders.add(cwd);
  }
  return ok([...folders]);
}

async function firstParents(
  history: CommitHistory,
  folders: readonly string[],
  commit: string,
): Promise<readonly string[]> {
  for (const folder of folders) {
    const parents = await history.parents(folder, commit);
    if (parents.length > 0) return parents;
  }
  return [];
}
