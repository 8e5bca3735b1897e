import type { Problem, Result } from "../core/result.ts";
import type { TreeId } from "../ports/workspace.ts";
import { runBaseline } from "../verify/baseline.ts";
import { few } from "../verify/compare-tests.ts";
import { evaluateGate, type GateRequest } from "../verify/gate.ts";
import { notePassing, tryInPlace } from "../verify/in-place-too.ts";
import type { Baseline, FrozenGate, GateResult } from "../verify/types.ts";
import { isLastYes } from "./consent.ts";
import { changeQuestion } from "./decide.ts";
import type { SessionEvent } from "./events.ts";
import { nextIteration } from "./rounds.ts";
import { ruleOnRound } from "./rules.ts";
import { threatOf } from "./sandbox.ts";
import type { SessionRun } from "./session-run.ts";
import type { GatePiece } from "./spec.ts";
import type { SessionState } from "./state.ts";
import { stuckChecks } from "./stuck-checks.ts";
import { verifyPorts } from "./verify-ports.ts";

/** Under this id a person accepts green checks as a mere guard. */
export const GUARD_QUESTION = "guard";

/** Runs every blocking check once on the base tree, before any money. */
export async function baselineStep(run: SessionRun): Promise<Baseline | Problem | undefined> {
  const { spec } = run.state;
  const baseline = await runBaseline(verifyPorts(run), spec.gate, {
    workspace: run.workspace,
    workDir: run.workDir,
    scratch: run.ports.files.scratchDir(run.session),
  });
  if (run.checksCanceled) return undefined;
  if (!baseline.ok) return baseline.problem;
  await run.chain.commit((state) =>
    state.baseline?.state !== "red"
      ? { events: [{ type: "baseline:recorded", data: { baseline: baseline.value } }] }
      : undefined,
  );
  run.baseline = baseline.value;
  return baseline.value;
}

/**
 * Commands that checks could find on the PATH and that lead to other programs now: a shim in a folder of the user's
 * would answer for the real tool. Folders of the checkout do not count, since checks find those of their own tree.
 */
export function changedTools(run: SessionRun): readonly string[] {
  const { root } = run.workspace;
  const outside = run.state.spec.gate.toolPath
    .split(":")
    .filter((folder) => folder !== root && !folder.startsWith(`${root}/`));
  return run.ports.process.changedTools(outside.join(":"));
}

/** Takes what is in the folder now for a gate to judge. From here on nobody works whom its no would send back. */
export async function beginGate(run: SessionRun, piece: GatePiece): Promise<TreeId | undefined> {
  const found = await run.workspace.snapshot(run.workDir);
  if (!found.ok) {
    await gateFailed(run, piece, found.problem);
    return undefined;
  }
  const level = run.baseline?.level;
  if (level === undefined) return undefined;
  const iteration = roundOf(run, piece);
  await run.chain.commit((state) => ({
    events: [
      ...(iteration > state.iteration ? [{ type: "iteration:started", data: { iteration } } as const] : []),
      { type: "gate:started", data: { piece: piece.id, iteration, tree: found.value, level } },
    ],
  }));
  return found.value;
}

/** The round under way while this gate has not judged it, whatever a judge of the same round has said. */
function roundOf(run: SessionRun, { id }: GatePiece): number {
  const { iteration, gates } = run.state;
  const hasJudged = gates.some((gate) => gate.iteration === iteration && gate.piece === id);
  return iteration > 0 && !hasJudged ? iteration : nextIteration(run.state);
}

/** Evaluates the goals on what was found, and appends the verdict. */
export async function gateStep(run: SessionRun, piece: GatePiece, found: TreeId): Promise<void> {
  const baseline = run.baseline;
  if (baseline === undefined) return;
  const { spec, answers, iteration } = run.state;
  const guard = spec.gate.guard || answers[GUARD_QUESTION] === "approve";
  const result = await judge(
    run,
    piece,
    { ...frozenFor(spec.gate, piece), guard },
    {
      workspace: run.workspace,
      workDir: run.workDir,
      found,
      baseline,
      scratch: run.ports.files.scratchDir(run.session),
      ...approvals(run.state, found),
    },
  );
  if (run.checksCanceled) {
    return run.chain.commit(() => ({ events: [{ type: "gate:canceled", data: { piece: piece.id } }] }));
  }
  if (!result.ok) return gateFailed(run, piece, result.problem);
  const tools = changedTools(run);
  if (tools.length > 0) {
    return gateFailed(run, piece, {
      code: "tampering",
      message: `programs on the PATH were replaced during the session: ${few(tools)}; no verdict is given`,
      hint: "if that was you (an update), go on with `loopwright loop resume`",
    });
  }
  const head = await run.chain.headIsOurs();
  if (!head.ok || !head.value) {
    return gateFailed(run, piece, {
      code: "tampering",
      message: "the ledger holds an event that this process did not write; no verdict is given",
      hint: "look at `loopwright ledger verify` and at who else can write the store",
    });
  }
  const ruled = await ruleOnRound(run, result.value);
  await run.chain.commit(() => ({
    events: [...verdictEvents(run, piece, iteration, result.value), ...ruled],
  }));
}

/** A check that work does not move may lack something where it runs: then the working folder is asked too, once. */
async function judge(
  run: SessionRun,
  piece: GatePiece,
  frozen: FrozenGate,
  request: GateRequest,
): Promise<Result<GateResult>> {
  const ports = verifyPorts(run);
  const result = await evaluateGate(ports, frozen, request);
  if (!result.ok || run.checksCanceled) return result;
  const { suspect, known } = stuckChecks(run.state.gates, piece.id, result.value);
  return tryInPlace(ports, frozen, request, notePassing(result.value, known), suspect);
}

/** The gate between two phases asks for the goals of the first one only. */
function frozenFor(gate: FrozenGate, { goals }: GatePiece): FrozenGate {
  if (goals === undefined) return gate;
  return { ...gate, goals, checks: gate.checks.filter(({ target }) => goals.includes(target)) };
}

/** What a person has approved of one tree: its dependencies, and the changed tests that its last verdict named. */
export function approvals(
  state: SessionState,
  tree: TreeId,
): { readonly approvedDependencyChange: boolean; readonly approvedPaths: readonly string[] } {
  const approved = state.answers[changeQuestion(tree)] === "approve";
  const named = state.gates.findLast((gate) => gate.result.tree === tree)?.result.needsApproval ?? [];
  return { approvedDependencyChange: approved, approvedPaths: approved ? named : [] };
}

function verdictEvents(
  run: SessionRun,
  piece: GatePiece,
  iteration: number,
  result: GateResult,
): SessionEvent[] {
  const events: SessionEvent[] = [
    {
      type: "gate:evaluated",
      data: { piece: piece.id, iteration, result, headKnown: run.headKnown, threat: threatOf(run.state) },
    },
  ];
  if (result.satisfied && isLastYes(run.state, piece.id, result.tree)) {
    events.push({ type: "goal:satisfied", data: { tree: result.tree, iteration } });
  }
  return events;
}

export async function gateFailed(
  run: SessionRun,
  piece: Pick<GatePiece, "id">,
  problem: Problem,
): Promise<void> {
  await run.chain.commit((state) => ({
    events: [
      { type: "gate:failed", data: { piece: piece.id, iteration: Math.max(state.iteration, 1), problem } },
    ],
  }));
}
