import type { TreeId } from "../ports/workspace.ts";
import { candidatesOf } from "./candidates.ts";
import { isLastYes } from "./consent.ts";
import type { SessionEvent } from "./events.ts";
import { gateFailed } from "./gate-step.ts";
import { readJudgement } from "./judgement.ts";
import { isYes, type Ruling, readPick, readVerdict } from "./ruling.ts";
import type { SessionRun } from "./session-run.ts";
import { integrateAttempt } from "./settle.ts";
import type { VerdictPiece } from "./spec.ts";
import { type AttemptState, attemptOf } from "./state.ts";

/**
 * Reads what a reviewer or selector said and appends what came of it. Picked work is in the folder before the pick is
 * in the ledger, so a crash in between repeats a merge that changes nothing. Safe to call again at any point.
 */
export async function verdictStep(run: SessionRun, piece: VerdictPiece): Promise<void> {
  const attempt = attemptRead(run, piece);
  const found = await run.workspace.snapshot(run.workDir);
  if (!found.ok) return gateFailed(run, piece, found.problem);
  const ruling = rule(run, piece, attempt, found.value);
  if (ruling.said === "pick" && !(await takeHome(run, piece, ruling.pick))) return;
  const tree = ruling.said === "pick" ? run.state.currentTree : found.value;
  await run.chain.commit((state) => {
    const { iteration } = state;
    const events: SessionEvent[] = [
      {
        type: "verdict:read",
        data: { piece: piece.id, iteration, attempt: attempt?.id ?? null, tree, ruling },
      },
    ];
    if (piece.rule.kind !== "pick" && isYes(ruling) && isLastYes(state, piece.id, tree)) {
      events.push({ type: "goal:satisfied", data: { tree, iteration } });
    }
    return { events };
  });
}

function attemptRead(run: SessionRun, piece: VerdictPiece): AttemptState | undefined {
  const read = run.state.pieces[piece.of];
  return read?.state === "succeeded" ? attemptOf(run.state, read.attempt) : undefined;
}

function rule(run: SessionRun, piece: VerdictPiece, attempt: AttemptState | undefined, tree: TreeId): Ruling {
  if (attempt?.ended === undefined) return { said: "void", why: `${piece.of} did not come to its end` };
  if (piece.rule.kind === "pick") {
    return readPick(attempt.ended.summary, candidatesOf(run.state, piece.rule.among));
  }
  // Whoever changes what is judged while it is judged, the verdict is about something that is no longer there.
  if (attempt.before !== tree) return { said: "void", why: "the files changed while they were reviewed" };
  const { summary } = attempt.ended;
  return piece.rule.kind === "judgement" ? readJudgement(summary, piece.rule.checks) : readVerdict(summary);
}

/** Brings the picked work into the folder and ends the other candidates' worktrees; their trees stay. */
async function takeHome(run: SessionRun, piece: VerdictPiece, pick: AttemptState["id"]): Promise<boolean> {
  const candidates = piece.rule.kind === "pick" ? candidatesOf(run.state, piece.rule.among) : [];
  await integrateAttempt(run, pick, true);
  if (attemptOf(run.state, pick)?.integrated !== true) {
    await gateFailed(run, piece, {
      code: "work-conflict",
      message: "the picked work cannot be merged into your files; it is kept apart",
      hint: "look at `loopwright status --why`, make room, then `loopwright loop resume`",
    });
    return false;
  }
  for (const { attempt, workDir } of candidates) {
    if (attempt !== pick) await run.workspace.removeWorktree(workDir);
  }
  return true;
}
