import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { canonicalJson } from "../../src/core/canonical-json.ts";
import { verifyChain } from "../../src/core/chain.ts";
import type { SessionId } from "../../src/core/ids.ts";
import { must } from "../../src/core/result.ts";
import { validateOcp } from "../../src/formats/ocp/index.ts";
import { FROZEN } from "../../src/ports/check-rooms.ts";
import type { AttemptQueue } from "../../src/ports/queue.ts";
import type { Store } from "../../src/ports/store.ts";
import { summaryOf } from "../../src/run/chain.ts";
import type { DatedEvent } from "../../src/run/events.ts";
import { fold } from "../../src/run/fold.ts";
import type { AttemptState, SessionState } from "../../src/run/state.ts";
import { readChain } from "../../src/run/take.ts";
import type { Lab } from "../lab.ts";

/** What a session came to, without what differs between two runs of the same: ids, times, how often it was cut off. */
export interface Projection {
  readonly lifecycle: string;
  readonly outcome: string | undefined;
  readonly stopped: string | undefined;
  readonly satisfiedTree: string | undefined;
  readonly currentTree: string;
  /** In order: iteration, gate, tree, and what each check said. */
  readonly verdicts: readonly (readonly unknown[])[];
  /** Per iteration and piece the attempt whose work counted. */
  readonly accepted: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
  readonly delivered: unknown;
  /** The user's folder, file by file, and what git says of it. */
  readonly files: Readonly<Record<string, string>>;
  readonly git: readonly string[];
}

export interface Found {
  readonly projection: Projection;
  readonly attempts: number;
  /** Summed over all recoveries. */
  readonly recovered: { readonly drained: number; readonly lost: number; readonly reaped: number };
  /** Broken promises, in words. None is the only good answer. */
  readonly faults: readonly string[];
}

/** Reads the one session of a lab and checks it against everything that must hold whatever happened to it. */
export async function inspect(lab: Lab): Promise<Found> {
  const opened = must(await openStore(lab.home, systemClock, { readOnly: true }));
  try {
    const [summary, ...others] = must(await opened.store.sessions({}));
    if (summary === undefined) throw new Error("there is no session");
    const faults = others.length === 0 ? [] : [`${others.length} sessions too many`];
    const chain = must(await readChain({ store: opened.store }, summary.session));
    const state = fold(chain);
    if (state === undefined) throw new Error("the chain is empty");
    const walked = verifyChain(must(await opened.store.events(summary.session, 0)), summary.head);
    if (!walked.ok) faults.push(walked.problem.message);
    if (canonicalJson(summaryOf(state).projection) !== canonicalJson(summary.projection)) {
      faults.push("the stored state is not the fold of the chain");
    }
    faults.push(...attemptFaults(state, chain.filter((event) => event.type === "attempt:ended").length));
    faults.push(...(await storeFaults(opened.store, opened.queue, summary.session, state)));
    faults.push(...leftOvers(lab, summary.session));
    const attempts = state.attempts.length;
    return { projection: project(lab, state), attempts, recovered: recoveriesOf(chain), faults };
  } finally {
    await opened.store.close();
  }
}

function recoveriesOf(chain: readonly DatedEvent[]): Found["recovered"] {
  const sum = { drained: 0, lost: 0, reaped: 0 };
  for (const event of chain) {
    if (event.type !== "session:recovered") continue;
    sum.drained += event.data.drained.length;
    sum.lost += event.data.lost.length;
    sum.reaped += event.data.reapedProcesses;
  }
  return sum;
}

/** No attempt without an end, none that ended twice, no piece that was done twice in one iteration. */
function attemptFaults(state: SessionState, ends: number): string[] {
  const open = state.attempts.filter((attempt) => attempt.ended === undefined);
  const faults = open.map((attempt) => `attempt ${attempt.n} of ${attempt.piece} never ended`);
  if (ends !== state.attempts.length) faults.push(`${ends} ends of ${state.attempts.length} attempts`);
  const done = state.attempts.filter(isDone).map(placeOf);
  if (new Set(done).size !== done.length) faults.push(`done twice: ${done.join(" ")}`);
  return faults;
}

async function storeFaults(
  store: Store,
  queue: AttemptQueue,
  session: SessionId,
  state: SessionState,
): Promise<string[]> {
  const faults: string[] = [];
  const queued = must(await queue.list(session));
  if (queued.length > 0) faults.push(`${queued.length} rows left in the queue`);
  const holder = must(await store.lease(session))?.holder;
  if (holder !== undefined && existsSync(`/proc/${holder.pid}`)) faults.push("the lease is still held");
  if (must(await store.checkoutLock(state.spec.topLevel)) !== undefined)
    faults.push("the checkout is locked");
  const [row, ...others] = must(await store.runs({}));
  if (row === undefined || others.length > 0) return [...faults, `${others.length} run documents too many`];
  const document: unknown = JSON.parse(must(await store.runDocument(row.run)) ?? "null");
  for (const finding of validateOcp(document).findings)
    faults.push(`run document: ${JSON.stringify(finding)}`);
  if (row.attempts !== state.attempts.length) faults.push(`the record has ${row.attempts} attempts`);
  return faults;
}

/** Processes of the lab that live on, and files that only a check may leave in the folder. */
function leftOvers(lab: Lab, session: SessionId): string[] {
  const faults = processesOf(lab).map((line) => `still running: ${line}`);
  for (const path of readdirSync(lab.repo.dir, { recursive: true, encoding: "utf8" })) {
    if (/\.loopwright-|before-check/.test(path)) faults.push(`left in the folder: ${path}`);
  }
  const scratch = join(lab.home, "sessions", session, "scratch");
  for (const name of readdirSync(scratch)) if (name !== FROZEN) faults.push(`left of checks: ${name}`);
  return faults;
}

/** Command lines of what lives of a lab: everything that it starts carries its folder in the environment. */
export function processesOf(lab: Lab): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || !read(`/proc/${pid}/environ`).includes(lab.outside)) return [];
    const line = read(`/proc/${pid}/cmdline`);
    return line === "" ? [] : [line.replaceAll("\0", " ").trim()];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended between the listing and the look.
  }
}

function project(lab: Lab, state: SessionState): Projection {
  return {
    lifecycle: state.lifecycle,
    outcome: state.outcome,
    stopped: state.stopped?.why,
    satisfiedTree: state.satisfiedTree,
    currentTree: state.currentTree,
    verdicts: state.gates.map(({ iteration, piece, result }) => [
      iteration,
      piece,
      result.tree,
      result.satisfied,
      result.level,
      result.checks.map((check) => `${check.check}: ${check.verdict}`),
    ]),
    accepted: Object.fromEntries(
      state.attempts.filter(isDone).map((attempt) => [placeOf(attempt), workOf(attempt)]),
    ),
    notices: [...new Set(state.notices)].sort(),
    delivered: state.delivered === undefined ? null : state.delivered.kind,
    files: filesOf(lab.repo.dir),
    git: [
      lab.repo.git("status", "--porcelain=v1", "-uall"),
      lab.repo.git("log", "--all", "--format=%T %P %s"),
      lab.repo.git("for-each-ref", "--format=%(refname) %(objecttype)"),
      `worktrees: ${worktreesOf(lab, state).join(" ")}`,
    ],
  };
}

/** Besides the checkout itself. What was cut off in a worktree of its own is kept there for people. */
function worktreesOf(lab: Lab, state: SessionState): readonly string[] {
  const kept = new Set(state.attempts.filter((attempt) => !isDone(attempt)).map(({ workDir }) => workDir));
  const lines = lab.repo.git("worktree", "list", "--porcelain").split("\n");
  const paths = lines.filter((line) => line.startsWith("worktree ")).map((line) => line.slice(9));
  return paths.slice(1).filter((path) => !kept.has(path));
}

/** A worktree is made of what was there when its turn came, so only what was done in it can be compared. */
function workOf({ isolated, ended }: AttemptState): unknown {
  return isolated ? ended?.changes : [ended?.after, ended?.artifacts];
}

function isDone(attempt: AttemptState): boolean {
  return attempt.ended?.end.reason === "done";
}

function placeOf(attempt: AttemptState): string {
  return `${attempt.piece}@${attempt.iteration}`;
}

function filesOf(dir: string): Readonly<Record<string, string>> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .filter((path) => !/^\.(git|loopwright)\//.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(dir, path), "utf8")]));
}
