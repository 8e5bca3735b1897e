/** E194, E195, W196: slates, signals and receipts. */
import type { Path, Report } from "../finding.ts";
import { asList, asMembers, dig, type Entity, entities, has, textAt } from "../members.ts";
import { isFamily } from "./attempts.ts";

const VERDICTS: readonly unknown[] = ["accept", "reject", "pass", "fail", "error"];

/** E194 within one document. */
export function checkSlate(document: unknown, report: Report): void {
  const run = dig(document, "run");
  const slate = asMembers(dig(run, "slate"));
  if (slate === undefined) return;
  const members = asList(dig(slate, "members"));
  const path = ["run", "slate"];
  if (members !== undefined && !members.includes(dig(run, "id"))) {
    report("E194", [...path, "members"], "the run is no member of its slate");
  }
  const taskCommit = textAt(run, "task", "base_commit");
  const slateCommit = textAt(slate, "base_commit");
  if (taskCommit !== undefined && slateCommit !== undefined && taskCommit !== slateCommit) {
    report("E194", [...path, "base_commit"], "differs from the task's base commit");
  }
  for (const { value, path: at } of entities(dig(run, "preferences"), ["run", "preferences"])) {
    const named = textAt(value, "slate");
    if (named !== undefined && named !== dig(slate, "id")) {
      report("E194", [...at, "slate"], `'${named}' is not this run's slate`);
    }
  }
}

/** E194: the winner of a preference is one of those compared, or `tie`. */
export function checkWinners(document: unknown, report: Report): void {
  const run = dig(document, "run");
  for (const { value, path } of entities(dig(run, "preferences"), ["run", "preferences"])) {
    const winner = textAt(value, "winner");
    const members = asList(dig(value, "members")) ?? asList(dig(run, "slate", "members"));
    if (winner === undefined || winner === "tie" || members === undefined) continue;
    if (!members.includes(winner)) report("E194", [...path, "winner"], `'${winner}' was not compared`);
  }
}

/** E195. */
export function checkSignals(document: unknown, report: Report): void {
  const run = dig(document, "run");
  const signals = entities(dig(run, "signals"), ["run", "signals"]);
  for (const signal of signals) checkSignal(signal, report);
  const kindsOf = new Map<string, Set<unknown>>();
  for (const { value } of signals) {
    const name = textAt(value, "name");
    if (name === undefined) continue;
    kindsOf.set(name, (kindsOf.get(name) ?? new Set()).add(dig(value, "kind")));
  }
  checkRule(dig(run, "acceptance_rule"), kindsOf, report);
}

function checkSignal({ value, path }: Entity, report: Report): void {
  const kind = dig(value, "kind");
  const fact = dig(value, "value");
  const at: Path = [...path, "value"];
  if (kind === "verdict" && !VERDICTS.includes(fact)) {
    report("E195", at, "a verdict is accept, reject, pass, fail or error");
  }
  if (kind === "score" && typeof fact !== "number" && fact !== null) {
    report("E195", at, "a score is a number, or null when it was not measured");
  }
  if (kind === "event" && typeof fact !== "string") report("E195", at, "an event is a reference text");
  if (dig(value, "scale") !== "fraction") return;
  for (const member of ["value", "target"]) {
    if (isOutsideFraction(dig(value, member))) {
      report("E195", [...path, member], "a fraction lies between 0 and 1");
    }
  }
}

function checkRule(rule: unknown, kindsOf: ReadonlyMap<string, ReadonlySet<unknown>>, report: Report): void {
  const path = ["run", "acceptance_rule"];
  const score = dig(rule, "score");
  if (dig(score, "scale") === "fraction" && isOutsideFraction(dig(score, "target"))) {
    report("E195", [...path, "score", "target"], "a fraction lies between 0 and 1");
  }
  const kinds = kindsOf.get(textAt(score, "name") ?? "");
  if (kinds?.has("verdict") === true || kinds?.has("event") === true) {
    report("E195", [...path, "score", "name"], "is the name of a signal that is no score");
  }
  for (const [index, name] of (asList(dig(rule, "requires")) ?? []).entries()) {
    const required = typeof name === "string" ? kindsOf.get(name) : undefined;
    if (required?.has("score") === true || required?.has("event") === true) {
      report("E195", [...path, "requires", index], `'${name}' is the name of a signal that is no verdict`);
    }
  }
}

function isOutsideFraction(value: unknown): boolean {
  return typeof value === "number" && (value < 0 || value > 1);
}

/** W196: only one producer's receipts mean what readers expect. */
export function checkReceipt(document: unknown, report: Report): void {
  const producer = textAt(document, "producer", "name") ?? "";
  if (has(dig(document, "run"), "receipt") && !isFamily(producer, "loopmath")) {
    report("W196", ["run", "receipt"], `a receipt of the producer '${producer}' is not read; use run.ext`);
  }
}
