import type { Link } from "../order.ts";
import { findCycle } from "../order.ts";
import { reportCycle } from "./check-pieces.ts";
import type { Findings } from "./findings.ts";
import type { LoopPaths } from "./grammar.ts";
import type { LoopPhases } from "./policy-types.ts";
import type { Loop } from "./types.ts";

const PATH = "execution.phases";

export function checkPhases({ phases, pieces }: Loop, { piecesPath }: LoopPaths, findings: Findings): void {
  const names = phases.items.map(({ name }) => name);
  findings.unique(names, (index) => `${PATH}.items[${index}].name`);
  for (const [index, { guideline }] of phases.items.entries()) {
    if (guideline.trim().length >= 12) continue;
    findings.warn(`${PATH}.items[${index}].guideline`, "very short; say what belongs in this phase");
  }
  if (phases.chains.length > 0 && names.length === 0) {
    findings.rule(`${PATH}.items`, "arrows between phases, but no phases");
  }
  for (const [index, chain] of phases.chains.entries()) {
    const path = `${PATH}.dependency[${index}]`;
    for (const name of chain) {
      if (names.length > 0 && !names.includes(name)) findings.rule(path, `no phase "${name}"`);
    }
    const itself = chain.find((name, at) => name === chain[at + 1]);
    if (itself !== undefined) findings.rule(path, `the phase "${itself}" cannot wait for itself`);
  }
  const cycle = findCycle(phaseLinks(phases));
  if (cycle.length > 1) reportCycle("phases", cycle, `${PATH}.dependency`, findings);
  for (const [index, { phase }] of pieces.entries()) {
    if (phase === undefined || names.includes(phase)) continue;
    const hint = names.length === 0 ? "leave `stage` out, or list phases" : `phases: ${names.join(", ")}`;
    findings.rule(`${piecesPath}[${index}].stage`, `no phase "${phase}"; the piece would never run`, hint);
  }
}

/** The phases with what each directly waits for. */
export function phaseLinks({ items, chains }: LoopPhases): readonly Link[] {
  return items.map(({ name }) => ({
    id: name,
    dependsOn: chains.flatMap((chain) => chain.flatMap((one, at) => (chain[at + 1] === name ? [one] : []))),
  }));
}
