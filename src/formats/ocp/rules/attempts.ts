/** Rules about attempts, their origin and their cost. */
import type { Path, Report } from "../finding.ts";
import { asMembers, dig, type Entity, textAt } from "../members.ts";
import { type DocumentIndex, launchKey } from "./document-index.ts";

const TERMINAL = new Set<unknown>(["done", "failed", "rejected", "canceled", "settled_unverified", "lost"]);

export interface AttemptRules {
  readonly since02: boolean;
  readonly since03: boolean;
  readonly producer: string;
}

export function checkAttempts(index: DocumentIndex, rules: AttemptRules, report: Report): void {
  for (const attempt of index.attempts) {
    const node = textAt(attempt.value, "node");
    if (node === undefined || !index.nodeIds.has(node)) {
      const why = node === undefined ? "names no node" : `no node '${node}'`;
      report("E112", [...attempt.path, "node"], why);
    }
    checkOutcome(attempt, index, report);
    if (!rules.since02) continue;
    checkOrigin(attempt, index, report);
    checkCost(attempt, rules, report);
  }
}

/** E130, W131, W132, W140, W141. */
function checkOutcome(attempt: Entity, index: DocumentIndex, report: Report): void {
  const { value, path } = attempt;
  const status = dig(value, "status");
  const isTerminal = TERMINAL.has(status);
  const outcome = asMembers(dig(value, "outcome"));
  if (isTerminal && outcome === undefined) report("W131", path, `ended as ${status} without an outcome`);
  if (isTerminal && outcome !== undefined && dig(outcome, "result") !== status) {
    report("E130", [...path, "outcome", "result"], `differs from the status ${status}`);
  }
  if (typeof status === "string" && !isTerminal && outcome !== undefined) {
    report("W132", [...path, "outcome"], `an outcome while the status is ${status}`);
  }
  const cause = textAt(value, "cause", "ref");
  if (cause !== undefined && !index.attemptsById.has(cause)) {
    report("W140", [...path, "cause", "ref"], `no attempt '${cause}'`);
  }
  const via = textAt(value, "outcome", "via");
  if (via !== undefined && !index.nodeIds.has(via)) {
    report("W141", [...path, "outcome", "via"], `no node '${via}'`);
  }
}

/** E119, E161, E165. */
function checkOrigin(attempt: Entity, index: DocumentIndex, report: Report): void {
  const launcher = textAt(attempt.value, "origin", "launched_by");
  if (launcher === undefined) return;
  const path: Path = [...attempt.path, "origin", "launched_by"];
  const parent = index.attemptsById.get(launcher);
  if (parent === undefined) report("E119", path, `no attempt '${launcher}'`);
  else if (launcher === attempt.id) report("E119", path, "an attempt cannot launch itself");
  else if (!index.launches.has(launchKey(dig(parent.value, "node"), dig(attempt.value, "node")))) {
    report("E161", path, "no launch edge joins the two nodes");
  }
  if (dig(attempt.value, "origin", "external") === true) {
    report("E165", path, "an external origin has no launcher in the document");
  }
}

/** E170, E171. */
function checkCost(attempt: Entity, rules: AttemptRules, report: Report): void {
  const cost = asMembers(dig(attempt.value, "cost"));
  if (cost === undefined) return;
  const path = [...attempt.path, "cost"];
  const total = dig(cost, "cache_creation_tokens");
  const short = dig(cost, "cache_creation_5m_tokens");
  const long = dig(cost, "cache_creation_1h_tokens");
  const areIntegers = [total, short, long].every((count) => Number.isInteger(count));
  if (areIntegers && Number(short) + Number(long) !== total) {
    report("E170", [...path, "cache_creation_tokens"], `${short} + ${long} is not ${total}`);
  }
  if (isFamily(rules.producer, "loopmath|dagr") && !hasAllowedBasis(cost, rules)) {
    report("E171", [...path, "basis"], `producer '${rules.producer}' states measured costs only`);
  }
}

function hasAllowedBasis(cost: unknown, rules: AttemptRules): boolean {
  const basis = dig(cost, "basis");
  if (basis === "measured") return true;
  if (basis !== "allocated" || !rules.since03 || !isFamily(rules.producer, "loopmath")) return false;
  const match = asMembers(dig(cost, "ext", "dev.loopmath.logmatch"));
  if (match === undefined) return false;
  const shared = dig(match, "shared_session");
  const isShared = shared === true || Object.keys(asMembers(shared) ?? {}).length > 0;
  return dig(match, "tier") === "heuristic" || isShared;
}

/** The name alone, or followed by something that continues no word: `loopmath/graph`, not `loopmathematics`. */
export function isFamily(producer: string, names: string): boolean {
  return new RegExp(`^(?:${names})(?:[^\\p{L}\\p{N}_]|$)`, "u").test(producer);
}
