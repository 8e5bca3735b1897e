import type { JsonObject } from "../core/canonical-json.ts";
import { claudeFile } from "../logs/claude-code/index.ts";
import { GRADES, type GradedSession, type GradedWork, gradeSessions } from "../logs/grading/grade.ts";
import { SignalReader, type Signals } from "../logs/grading/signals.ts";
import { ToolEvents } from "../logs/graph/tool-events.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { feed } from "../logs/read-file.ts";
import { type Spend, spendBy } from "../logs/spend.ts";
import type { SessionSummary } from "../logs/summary.ts";
import type { LogSource } from "../ports/log-source.ts";
import { costPerAccepted, type DecidedRun, PER_ACCEPTED } from "./accepted-cost.ts";
import { type JsonSchema, list, number, object, oneOf, orNull, whole } from "./schema.ts";

/** Outcomes told from the text of logs, for sessions that no recorded run names. */
export const GRADING: JsonSchema = object({
  graded: whole,
  of: whole,
  tiers: list(
    object({
      grade: oneOf(...GRADES),
      accepted: whole,
      rejected: whole,
      unknown: whole,
      cost_usd: orNull(number),
    }),
  ),
  per_accepted_usd: PER_ACCEPTED,
});

/** Agents whose logs show checks and endings in a form that is known. */
const GRADED: readonly string[] = ["claude-code", "codex"];

/** Reads the logs of top sessions once more, for how their work ended. What children wrote is not theirs to answer for. */
export async function gradingOf(
  source: LogSource,
  sessions: readonly SessionSummary[],
  recorded: ReadonlySet<string>,
  prices: CallPrices,
  nowMs: number,
): Promise<JsonObject> {
  const tops = sessions.filter((session) => session.parent === undefined && !recorded.has(session.id));
  const work: GradedWork[] = [];
  for (const session of tops) if (GRADED.includes(session.agent)) work.push(await readWork(source, session));
  const spends = spendBy(sessions, prices, (session) => session.root);
  const graded = gradeSessions(work, nowMs);
  const decided = graded.filter(({ outcome }) => outcome !== "unknown");
  return {
    graded: decided.length,
    of: tops.length,
    tiers: tiersOf(graded, tops, spends),
    per_accepted_usd: costPerAccepted(
      decided.flatMap(({ session, outcome }): DecidedRun[] => {
        const spend = spends.get(session);
        if (spend === undefined || spend.unpriced.length > 0) return [];
        return [{ isAccepted: outcome === "accepted", microUsd: spend.microUsd }];
      }),
    ),
  };
}

async function readWork(source: LogSource, session: SessionSummary): Promise<GradedWork> {
  const { id, cwd, firstAtMs, lastAtMs } = session;
  const wrote = new Set<string>();
  let signals: Signals = { hasTurnedGreen: false, claimsSuccess: false };
  for (const path of session.files) {
    const subagent = session.agent === "claude-code" ? claudeFile(path).subagent : undefined;
    const [tools, reader] = [new ToolEvents(id, subagent, cwd), new SignalReader()];
    const both = {
      push: (chunk: Uint8Array): void => {
        tools.push(chunk);
        reader.push(chunk);
      },
    };
    await feed(source, { path }, 0, both, []);
    for (const event of tools.finish().files) if (event.kind === "write") wrote.add(event.path);
    const seen = reader.finish();
    if (subagent === undefined) signals = seen;
  }
  return {
    session: id,
    ...(cwd === undefined ? {} : { cwd }),
    ...(firstAtMs === undefined ? {} : { startMs: firstAtMs }),
    ...(lastAtMs === undefined ? {} : { endMs: lastAtMs }),
    signals,
    wrote,
  };
}

function tiersOf(
  graded: readonly GradedSession[],
  tops: readonly SessionSummary[],
  spends: ReadonlyMap<string, Spend>,
): JsonObject[] {
  const known = new Map(graded.map((entry) => [entry.session, entry]));
  return GRADES.flatMap((grade) => {
    const mine = tops.filter(({ id }) => (known.get(id)?.grade ?? "ungraded") === grade);
    if (mine.length === 0) return [];
    const count = (outcome: GradedSession["outcome"]): number =>
      mine.filter(({ id }) => (known.get(id)?.outcome ?? "unknown") === outcome).length;
    const own = mine.flatMap(({ id }) => spends.get(id) ?? []);
    const isKnown = own.every(({ unpriced }) => unpriced.length === 0);
    return [
      {
        grade,
        accepted: count("accepted"),
        rejected: count("rejected"),
        unknown: count("unknown"),
        cost_usd: isKnown ? own.reduce((sum, spend) => sum + spend.microUsd, 0) / 1e6 : null,
      },
    ];
  });
}
