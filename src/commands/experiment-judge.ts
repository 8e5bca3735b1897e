import { sha256 } from "../core/hash.ts";
import { addCost, type CostSum, NO_COST } from "../core/money.ts";
import { ok, type Result } from "../core/result.ts";
import type { ProviderSpec, ProviderTask } from "../ports/provider.ts";
import { uuid } from "../run/assignment.ts";
import { bestUsage, pricedUsage } from "../run/attempt-report.ts";
import { DEFAULT_LIMITS } from "../run/defaults.ts";
import { agentEnvironment } from "../run/environment.ts";
import type { RunPorts } from "../run/ports.ts";
import { PICK_CONTRACT, readPick } from "../run/ruling.ts";
import type { SessionRun } from "../run/session-run.ts";

const GRACE_MS = 5_000;
const LONGEST_PATCH = 60_000;

/** One arm's work as a judge is shown it. */
export interface Work {
  readonly run: string;
  readonly session: Pick<SessionRun, "session" | "workspace" | "state">;
}

/** What a judge said, and what asking it cost. */
export interface Judged {
  /** Undefined when it gives no verdict that counts. */
  readonly winner: string | undefined;
  readonly spend: CostSum;
}

/**
 * Asks an agent which of two pieces of work is better. It sees the goal and two patches under letters that are drawn
 * from the slate: neither which arm made one, nor which came first. What it spent is known also where it gave no answer.
 */
export async function judgeBlind(
  ports: RunPorts,
  spec: ProviderSpec,
  goal: string,
  slate: string,
  works: readonly [Work, Work],
): Promise<Result<Judged>> {
  const lettered = inBlindOrder(slate, works);
  const parts: string[] = [];
  for (const [index, work] of lettered.entries()) {
    const patch = await patchOf(work.session);
    if (!patch.ok) return patch;
    parts.push(`Candidate ${letterOf(index)}:\n\n${patch.value.slice(0, LONGEST_PATCH)}`);
  }
  const prompt = [
    "Two candidates were made for the same task, from the files that you find here. Say which one does it better: right first, then simple.",
    `The task:\n\n${goal}`,
    ...parts,
  ].join("\n\n");
  const answer = await askAgent(ports, spec, prompt, lettered[0].session);
  if (!answer.ok) return answer;
  const { words, spend } = answer.value;
  const candidates = lettered.flatMap(({ session }, index) => {
    const attempt = session.state.attempts.at(-1)?.id;
    return attempt === undefined ? [] : [{ letter: letterOf(index), attempt }];
  });
  const ruling = words === undefined ? undefined : readPick(words, candidates);
  if (ruling?.said !== "pick") return ok({ winner: undefined, spend });
  const winner = works.find(({ session }) => session.state.attempts.at(-1)?.id === ruling.pick)?.run;
  return ok({ winner, spend });
}

/** The order of the letters: fair, fixed for a slate, and independent of which arm ran first. */
export function inBlindOrder<T>(slate: string, [one, other]: readonly [T, T]): readonly [T, T] {
  return Number.parseInt(sha256(`judge/${slate}`).slice(0, 2), 16) % 2 === 0 ? [one, other] : [other, one];
}

function letterOf(index: number): string {
  return String.fromCodePoint(65 + index);
}

async function patchOf({ workspace, state }: Work["session"]): Promise<Result<string>> {
  return workspace.patch(state.spec.gate.base, state.currentTree);
}

interface Answer {
  /** Undefined where the agent did not come to an end of its own. */
  readonly words: string | undefined;
  readonly spend: CostSum;
}

/** One answer of an agent that looks at the files as they were before either arm, and may write nothing. */
async function askAgent(
  ports: RunPorts,
  spec: ProviderSpec,
  prompt: string,
  { session, workspace, state }: Work["session"],
): Promise<Result<Answer>> {
  const made = ports.providers.make(spec);
  if (!made.ok) return made;
  const dir = `${ports.files.scratchDir(session)}/judge`;
  const start = `${dir}-start`;
  const written = await workspace.materialise(state.spec.gate.base, start);
  if (!written.ok) return written;
  const task: ProviderTask = {
    prompt,
    system: PICK_CONTRACT,
    piece: "judge",
    tier: "standard",
    cwd: start,
    permission: "read",
    sessionId: uuid(ports.entropy.bytes(16)),
    isolated: true,
  };
  const launch = made.value.launch(task);
  if (!launch.ok) return launch;
  const reader = made.value.reader(task);
  const startedAt = new Date(ports.clock.now()).toISOString();
  const started = await ports.process.start({
    argv: launch.value.argv,
    cwd: start,
    env: agentEnvironment(ports.environment, launch.value, { attempt: "judge", session }),
    ...(launch.value.stdin !== undefined && { stdin: launch.value.stdin }),
    dir,
    nonce: sha256(`${session}/judge`).slice(0, 32),
    wallMs: DEFAULT_LIMITS.attemptWallMs,
    idleMs: DEFAULT_LIMITS.attemptIdleMs,
    graceMs: GRACE_MS,
    streamCapBytes: DEFAULT_LIMITS.streamCapBytes,
    containment: "strongest",
    onOutput: (chunk, stream) => {
      reader.push(chunk, stream);
    },
  });
  if (!started.ok) return started;
  const { end } = await started.value.outcome;
  const finished = reader.finish(end, ports.clock.now());
  const place = { kind: spec.kind, cwd: start };
  const usage = await bestUsage(ports, place, finished.usage, finished.agentSession, startedAt);
  const parts = pricedUsage(ports, usage, startedAt);
  const spend =
    usage.kind === "unknown"
      ? addCost(NO_COST, { kind: "unknown", why: "no-usage" })
      : parts.reduce<CostSum>((sum, { cost }) => addCost(sum, cost), NO_COST);
  return ok({ words: finished.end.reason === "done" ? finished.summary : undefined, spend });
}
