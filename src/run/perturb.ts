import { byCodePoint } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { assertNever } from "../core/result.ts";
import { nextIteration } from "./rounds.ts";
import type { AgentPiece } from "./spec.ts";
import type { SessionState } from "./state.ts";

/**
 * How a round is worked on otherwise than the ones before, after rounds that changed nothing. It reaches who works, in
 * which order and what they are told to try, and nothing of what decides: goals, checks, judges and limits.
 */
export type Perturbation =
  /** Pieces that are ready together begin in this order. */
  | { readonly choice: "reorder"; readonly order: readonly string[] }
  /** Pieces that have providers of the next tier are done by those. */
  | { readonly choice: "escalate" }
  | { readonly choice: "reframe"; readonly directive: string };

const DIRECTIVES = [
  "Start from what the failing check prints, and explain it before you change anything.",
  "Take the smallest change that would make one failing check pass, and make only that one.",
  "List what the last rounds took for granted, and test the most doubtful of it first.",
  "Undo in your mind what was tried: name another cause of the failure, and work on that one.",
];

/** What changes in a round that is about to begin; undefined while rounds still bring something. */
export function perturbationFor(
  state: SessionState,
  seed: string,
  iteration: number,
): Perturbation | undefined {
  const { perturbAfter } = state.spec;
  const last = state.perturbations?.at(-1);
  if (perturbAfter === undefined || state.staleIterations < perturbAfter) return undefined;
  if (iteration <= state.iteration || (last !== undefined && last.iteration >= iteration)) return undefined;
  const choice = pick(leastTried(state), `${seed} choice`);
  switch (choice) {
    case "reorder":
      return {
        choice,
        order: inChance(
          workers(state).map(({ id }) => id),
          seed,
        ),
      };
    case "escalate":
      return { choice };
    case "reframe":
      return { choice, directive: pick(DIRECTIVES, `${seed} directive`) };
    default:
      return assertNever(choice);
  }
}

/** What holds for the round that is under way or, after one that was refused, about to begin. */
function perturbationNow(state: SessionState): Perturbation | undefined {
  const last = state.perturbations?.at(-1);
  return last !== undefined && last.iteration === nextIteration(state) ? last.how : undefined;
}

/** What an agent is told of it; a judge is told nothing. */
export function perturbationText(state: SessionState): string {
  const how = perturbationNow(state);
  if (how === undefined) return "";
  return [
    `The last ${state.staleIterations === 1 ? "round" : `${state.staleIterations} rounds`} changed nothing. Work in another way than before; what is asked and what decides stays as it is.`,
    ...(how.choice === "reframe" ? [how.directive] : []),
  ].join(" ");
}

/** For `escalate`: who does the piece before its usual providers. */
export function strongerProviders(state: SessionState, piece: AgentPiece): readonly string[] {
  const isMeant = piece.answers === undefined && perturbationNow(state)?.choice === "escalate";
  return isMeant ? (piece.stronger ?? []) : [];
}

/** Pieces that are ready, in the order in which they begin. */
export function inOrderNow<T extends { readonly id: string }>(
  state: SessionState,
  ready: readonly T[],
): readonly T[] {
  const how = perturbationNow(state);
  if (how?.choice !== "reorder") return ready;
  return ready.toSorted((a, b) => how.order.indexOf(a.id) - how.order.indexOf(b.id));
}

/** Those that could change something here and were chosen least often so far. */
function leastTried(state: SessionState): readonly Perturbation["choice"][] {
  const possible: readonly Perturbation["choice"][] = [
    ...(workers(state).length > 1 ? (["reorder"] as const) : []),
    ...(workers(state).some(({ stronger = [] }) => stronger.length > 0) ? (["escalate"] as const) : []),
    "reframe",
  ];
  const tries = (choice: string): number =>
    (state.perturbations ?? []).filter(({ how }) => how.choice === choice).length;
  const fewest = Math.min(...possible.map(tries));
  return possible.filter((choice) => tries(choice) === fewest);
}

function workers({ spec }: SessionState): readonly AgentPiece[] {
  return spec.pieces.flatMap((piece) =>
    piece.kind === "agent" && piece.answers === undefined ? [piece] : [],
  );
}

function pick<T>(some: readonly T[], seed: string): T {
  const [first] = inChance(
    some.map((_, index) => String(index)),
    seed,
  );
  return some[Number(first)] as T;
}

/** By chance, and the same for the same seed. */
function inChance(ids: readonly string[], seed: string): readonly string[] {
  const places = new Map(ids.map((id) => [id, sha256(`${seed} ${id}`)]));
  return ids.toSorted((a, b) => byCodePoint(places.get(a) ?? "", places.get(b) ?? ""));
}
