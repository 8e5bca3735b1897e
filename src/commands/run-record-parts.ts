import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { MappedSession, SessionToMap } from "../record/index.ts";
import { readFlags } from "./flag-values.ts";
import { readMoment } from "./moment.ts";
import { ownSession } from "./own-session.ts";
import type { CommandContext, CommandInput, KnownSession } from "./types.ts";

/** Sessions by name and by folder, each once. Problem: `no-such-agent-session`. */
export async function sessionsMeant(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<readonly SessionToMap[]>> {
  const flags = readFlags(input);
  const names = flags.texts("session");
  const folders = flags.texts("worked");
  if (names.length + folders.length === 0) return ok([]);
  const window = windowOf(context, input);
  if (!window.ok) return window;
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const { sessions } = usage.value;
  const known = await sessions();
  const meant = new Map<string, SessionToMap>();
  for (const name of names) {
    const { piece, rest } = split(name);
    const id = await ownSession(context, rest, undefined);
    if (!id.ok) return id;
    const seen = known.find(({ session }) => session === id.value);
    if (seen === undefined)
      return fail("no-such-agent-session", `no log shows the session ${id.value}`, {
        hint: "list them with `loopwright run sessions`",
      });
    meant.set(seen.session, toMap(seen, piece));
  }
  for (const folder of folders) {
    const { piece, rest } = split(folder);
    const { from, to } = window.value;
    const found = known.filter((seen) => seen.cwd === rest && seen.lastAt >= from && seen.startedAt <= to);
    if (found.length === 0)
      return fail("no-such-agent-session", `no session worked in ${rest} in that time`, {
        hint: "list them with `loopwright run sessions`",
      });
    for (const seen of found) if (!meant.has(seen.session)) meant.set(seen.session, toMap(seen, piece));
  }
  return ok([...meant.values()]);
}

function windowOf(
  context: CommandContext,
  input: CommandInput,
): Result<{ readonly from: string; readonly to: string }> {
  const flags = readFlags(input);
  const since = readMoment(flags.text("since"), context.now());
  if (!since.ok) return since;
  const until = readMoment(flags.text("until"), context.now());
  return until.ok ? ok({ from: since.value ?? "", to: until.value ?? instant(context.now()) }) : until;
}

/** `PIECE=REST`; a path or id holds no `=` before its piece ends. */
function split(text: string): { readonly piece: string | undefined; readonly rest: string } {
  const match = /^([A-Za-z0-9_.-]+)=(.+)$/.exec(text);
  return match === null ? { piece: undefined, rest: text } : { piece: match[1], rest: match[2] ?? "" };
}

function toMap(
  { harness, session, models, startedAt, lastAt }: KnownSession,
  piece: string | undefined,
): SessionToMap {
  return { harness, session, models, startedAt, lastAt, ...(piece !== undefined && { piece }) };
}

export async function withSessions(
  document: OcpDocument,
  sessions: readonly SessionToMap[],
): Promise<Result<{ readonly document: OcpDocument; readonly attempts: readonly JsonObject[] }>> {
  const { mapSessions, settleAttempt, withAttempt } = await import("../record/index.ts");
  const mapped = mapSessions(document, sessions);
  if (!mapped.ok) return mapped;
  let current = document;
  const attempts: JsonObject[] = [];
  for (const one of mapped.value) {
    // A session that was at work before the run began counts from then on.
    const began = current.run.started_at ?? one.startedAt;
    const startedAt = later(one.startedAt, began);
    const added = withAttempt(current, attemptOf(one, startedAt));
    if (!added.ok) return added;
    const settled = settleAttempt(added.value.document, added.value.id, "done", later(one.lastAt, startedAt));
    if (!settled.ok) return settled;
    current = settled.value;
    const { piece, session, models, how, round } = one;
    attempts.push({ attempt: added.value.id, piece, session, model: models[0] ?? null, how, round });
  }
  return ok({ document: current, attempts });
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function attemptOf(one: MappedSession, startedAt: string) {
  const { piece, harness, models, session, round, cause } = one;
  const [model] = models;
  return { piece, harness, session, round, cause, startedAt, ...(model !== undefined && { model }) };
}

interface WithCommits {
  readonly document: OcpDocument;
  readonly commits: readonly string[];
  readonly notes: readonly string[];
}

/** Commits that are named, else those of the window in the history; each was made by the last implementer at work. */
export async function withCommits(
  context: CommandContext,
  input: CommandInput,
  document: OcpDocument,
  sessions: readonly SessionToMap[],
): Promise<Result<WithCommits>> {
  const { withArtifact } = await import("../record/index.ts");
  const flags = readFlags(input);
  if (flags.is("noCommits")) return ok({ document, commits: [], notes: [] });
  const named = flags.texts("commit").map((sha) => ({ sha, at: instant(context.now()) }));
  const base = document.run.task?.base_commit;
  const ends = sessions.map(({ lastAt }) => lastAt).sort();
  const to = ends.at(-1);
  const history = await context.history();
  const range = {
    ...(base !== undefined && { base }),
    ...(document.run.started_at !== undefined && { from: document.run.started_at }),
    ...(to !== undefined && { to: instant(Date.parse(to) + 60_000) }),
  };
  const found = named.length > 0 ? named : await history.commits(context.cwd, range);
  const notes = found.length === 0 ? [`no commit of the run was found in ${context.cwd}`] : [];
  let current = document;
  for (const { sha, at } of found) {
    const maker = makerOf(current, at);
    if (maker === undefined) continue;
    const added = withArtifact(current, {
      kind: "commit",
      path: sha.toLowerCase(),
      by: maker,
      readBy: [],
      at,
    });
    if (!added.ok) return added;
    current = added.value.document;
  }
  return ok({ document: current, commits: found.map(({ sha }) => sha), notes });
}

function makerOf({ attempts = [], nodes }: OcpDocument, at: string): string | undefined {
  const builders = new Set(nodes.filter(({ kind }) => kind === "impl").map(({ id }) => id));
  const mine = attempts.filter(({ node }) => builders.has(node));
  const begun = mine.filter(({ started_at }) => (started_at ?? "") <= at);
  return (begun.at(-1) ?? mine[0] ?? attempts[0])?.id;
}

export async function withVerdicts(
  context: CommandContext,
  input: CommandInput,
  document: OcpDocument,
): Promise<Result<OcpDocument>> {
  const { makeSignal, parseNameValue, withSignal } = await import("../record/index.ts");
  const flags = readFlags(input);
  const said = [
    ...flags.texts("verified").map((words) => ({ words, kind: "verdict", tier: "verified" }) as const),
    ...flags.texts("reported").map((words) => ({ words, kind: "verdict", tier: "reported" }) as const),
    ...flags.texts("score").map((words) => ({ words, kind: "score", tier: "reported" }) as const),
  ];
  let current = document;
  for (const { words, kind, tier } of said) {
    const parsed = parseNameValue(words);
    if (!parsed.ok) return parsed;
    const id = makeId("signal", context.now(), context.entropy(10));
    const signal = makeSignal(id, {
      ...parsed.value,
      kind,
      tier,
      source: "orchestrator",
      observedAt: instant(context.now()),
    });
    if (!signal.ok) return signal;
    const next = withSignal(current, signal.value);
    if (!next.ok) return next;
    current = next.value;
  }
  return ok(current);
}
