import { phaseLinks } from "../check-phases.ts";
import type { Findings } from "../findings.ts";
import type { LoopPaths } from "../grammar.ts";
import type { Loop, LoopCheck, LoopPiece } from "../types.ts";

/**
 * A phase closes when the goals of its pieces are satisfied, and the next one opens only then. So nothing that a phase
 * needs in order to close may wait for a later one.
 */
export function findDeadlocks(loop: Loop, { piecesPath }: LoopPaths, findings: Findings): void {
  const later = phasesAfter(loop);
  for (const [index, check] of loop.checks.entries()) {
    if (check.blocking && check.detector.type === "judge") {
      findUnjudged(loop, check, `safety.checks[${index}].detector`, later, findings);
    }
  }
  for (const [index, piece] of loop.pieces.entries()) {
    findBackwardInput(loop, piece, `${piecesPath}[${index}].depends_on`, later, findings);
  }
  findSharedGoals(loop, later, findings);
  findTooManyPhases(loop, later, findings);
}

type Later = ReadonlyMap<string, ReadonlySet<string>>;

/** Of each phase those that open only after it is complete. */
function phasesAfter({ phases }: Loop): Later {
  const links = phaseLinks(phases);
  const after = new Map<string, Set<string>>();
  const collect = (name: string, found: Set<string>): void => {
    for (const { id, dependsOn } of links) {
      if (!dependsOn.includes(name) || found.has(id)) continue;
      found.add(id);
      collect(id, found);
    }
  };
  for (const { id } of links) {
    const found = new Set<string>();
    collect(id, found);
    after.set(id, found);
  }
  return after;
}

/** Phases whose pieces advance a goal; without goals of its own a piece advances all. */
function phasesOf(loop: Loop, goal: string): readonly string[] {
  const phases = loop.pieces.flatMap(({ phase, goals }) =>
    phase !== undefined && goals.includes(goal) ? [phase] : [],
  );
  return [...new Set(phases)];
}

function findUnjudged(loop: Loop, check: LoopCheck, path: string, later: Later, findings: Findings): void {
  const judges = loop.pieces.filter(({ role }) => role === "judge");
  if (judges.length === 0) {
    const message = `no piece judges, so "${check.name}" can never pass`;
    findings.fatalRisk(
      "judge-check-without-judge",
      "bad-input",
      path,
      message,
      "add a piece with `role: judge`",
    );
    return;
  }
  for (const phase of phasesOf(loop, check.target)) {
    const isReachable = judges.some(
      (judge) => judge.phase === undefined || later.get(phase)?.has(judge.phase) !== true,
    );
    if (isReachable) continue;
    const names = judges.map(({ id, phase: at }) => `${id} (${at})`).join(", ");
    findings.fatalRisk(
      "judge-in-later-phase",
      "bad-input",
      path,
      `the phase "${phase}" closes only when "${check.name}" passes, but every judge waits for a later phase: ${names}`,
      `move a judge into "${phase}", or take its stage away`,
    );
  }
}

function findBackwardInput(
  loop: Loop,
  piece: LoopPiece,
  path: string,
  later: Later,
  findings: Findings,
): void {
  if (piece.phase === undefined) return;
  for (const [at, id] of piece.dependsOn.entries()) {
    const input = loop.pieces.find((other) => other.id === id);
    if (input?.phase === undefined || later.get(piece.phase)?.has(input.phase) !== true) continue;
    findings.fatalRisk(
      "input-from-later-phase",
      "bad-input",
      `${path}[${at}]`,
      `"${piece.id}" in the phase "${piece.phase}" reads what "${id}" does in the later phase "${input.phase}"`,
      "turn the order of the phases or the dependency round",
    );
  }
}

function findSharedGoals(loop: Loop, later: Later, findings: Findings): void {
  for (const [index, { name }] of loop.goals.entries()) {
    const phases = phasesOf(loop, name);
    const first = phases.find((phase) => phases.some((other) => later.get(phase)?.has(other)));
    if (first === undefined) continue;
    const others = phases.filter((phase) => later.get(first)?.has(phase));
    findings.risk(
      "goal-in-ordered-phases",
      `intent.goals[${index}].name`,
      `the phase "${first}" closes only when the goal is reached, but ${others.join(", ")} works on it too and opens later`,
      "name the goal at the pieces of the last of these phases alone",
    );
  }
}

function findTooManyPhases(loop: Loop, later: Later, findings: Findings): void {
  const fewest = longestChain(loop, later);
  if (fewest <= loop.stop.maxIterations) return;
  findings.risk(
    "phases-exceed-iterations",
    "safety.gates.stop.max_iterations",
    `${fewest} phases follow each other, one iteration each at least, but the loop ends after ${loop.stop.maxIterations}`,
    `allow ${fewest} iterations or more`,
  );
}

/** A phase closes when an iteration has been judged, so each of a chain needs one of its own. */
export function fewestIterations(loop: Loop): number {
  return Math.max(1, longestChain(loop, phasesAfter(loop)));
}

/** Only phases that have pieces: one without is complete from the start. */
function longestChain({ pieces }: Loop, later: Later): number {
  if ([...later].some(([phase, after]) => after.has(phase))) return 0;
  const used = new Set(pieces.map(({ phase }) => phase));
  const lengths = new Map<string, number>();
  const lengthFrom = (phase: string): number => {
    const known = lengths.get(phase);
    if (known !== undefined) return known;
    const rest = Math.max(0, ...[...(later.get(phase) ?? [])].map(lengthFrom));
    const length = rest + (used.has(phase) ? 1 : 0);
    lengths.set(phase, length);
    return length;
  };
  return Math.max(0, ...[...later.keys()].map(lengthFrom));
}
