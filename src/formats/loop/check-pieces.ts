import { findCycle } from "../order.ts";
import type { Findings } from "./findings.ts";
import type { LoopPaths } from "./grammar.ts";
import type { Loop, LoopPiece } from "./types.ts";
import { sharedWriters } from "./writers.ts";

export function reportCycle(what: string, cycle: readonly string[], path: string, findings: Findings): void {
  const circle = [...cycle, cycle[0] ?? ""].join(" -> ");
  findings.error("graph-cycle", path, `${what} wait for each other: ${circle}`);
}

/** Ids become parts of file names, of other ids and of command lines. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

export function checkPieces(loop: Loop, { piecesPath }: LoopPaths, findings: Findings): void {
  const { pieces, concurrency, join } = loop;
  if (pieces.length === 0) {
    findings.rule(
      piecesPath,
      "a loop without pieces does nothing",
      "list at least one, with role and instruction",
    );
  } else if (!pieces.some(({ role }) => role === "judge")) {
    findings.warn(piecesPath, "no piece judges; only the checks by code decide");
  }
  findings.unique(
    pieces.map(({ id }) => id),
    (index) => `${piecesPath}[${index}].id`,
  );
  for (const [index, piece] of pieces.entries()) checkPiece(piece, loop, `${piecesPath}[${index}]`, findings);
  const cycle = findCycle(pieces);
  if (cycle.length > 1) {
    const index = pieces.findIndex(({ id }) => id === cycle[0]);
    reportCycle("pieces", cycle, `${piecesPath}[${index}]`, findings);
  }
  if (concurrency.mode === "fixed" && concurrency.maxParallel < 1) {
    findings.rule("execution.graph.concurrency.max_parallel", "must be at least 1");
  }
  if (join.strategy === "quorum" && join.count < 1) {
    findings.rule("execution.graph.join.count", "must be at least 1");
  }
  warnSharedWriters(loop, piecesPath, findings);
}

function checkPiece(piece: LoopPiece, loop: Loop, path: string, findings: Findings): void {
  if (piece.id.trim() !== "" && !ID.test(piece.id)) {
    findings.error("bad-id", `${path}.id`, "letters, digits, `_`, `.` and `-` only, at most 100");
  }
  if (piece.weight <= 0) findings.rule(`${path}.weight`, "must be above 0");
  if (piece.instruction.trim().length < 16) {
    findings.warn(`${path}.instruction`, "very short; an agent reads nothing else about its job");
  }
  for (const [at, dependency] of piece.dependsOn.entries()) {
    const isKnown = loop.pieces.some(({ id }) => id === dependency);
    if (isKnown && dependency !== piece.id) continue;
    const why = dependency === piece.id ? "a piece cannot depend on itself" : `no piece "${dependency}"`;
    findings.rule(`${path}.depends_on[${at}]`, why, undefined, "unknown-piece");
  }
  for (const [at, goal] of piece.goals.entries()) {
    if (loop.goals.some(({ name }) => name === goal)) continue;
    findings.rule(`${path}.goals[${at}]`, `no goal "${goal}"`, undefined, "missing-goal");
  }
  if (piece.provider !== undefined && !loop.providers.some(({ id }) => id === piece.provider)) {
    findings.rule(`${path}.provider`, `no provider "${piece.provider}"`, undefined, "unknown-provider");
  }
  if (piece.isolation.mode === "container" && (piece.isolation.image ?? loop.containerImage) === undefined) {
    findings.warn(
      `${path}.isolation`,
      "a container without an image; it runs in a worktree instead",
      "name an `image` here or an `execution.graph.container_image`",
    );
  }
}

function warnSharedWriters(loop: Loop, piecesPath: string, findings: Findings): void {
  for (const { wave, ids } of sharedWriters(loop)) {
    const index = loop.pieces.findIndex(({ id }) => id === ids[1]);
    const message = `${ids.join(" and ")} may write in one folder at the same time (wave ${wave})`;
    findings.warn(`${piecesPath}[${index}].isolation`, message, "give each `isolation: {mode: worktree}`");
  }
}
