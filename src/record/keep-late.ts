import type { OcpDocument, OcpEvent, OcpRun, OcpSignal } from "../formats/ocp/index.ts";
import { RULE_EXT } from "./judge.ts";

/**
 * A newer document of the same run, with what people and tools recorded about the older one since: signals and
 * preferences that the newer one does not have by id, its slate, its labels and a rule that was chosen for it.
 */
export function keepLate(before: OcpDocument, after: OcpDocument): OcpDocument {
  const signals = lateSignals(before, after);
  const run = {
    ...after.run,
    ...keptParts(before.run, after.run),
    ...(signals.length > 0 && { signals: [...(after.run.signals ?? []), ...signals] }),
  };
  if (signals.length === 0) return { ...after, run };
  const events: readonly OcpEvent[] = signals.map(observedEvent);
  return { ...after, run, events: inOrder([...(after.events ?? []), ...events]) };
}

/** Signals of the older document that the newer one lacks: the ones that were recorded since. */
export function lateSignals(before: OcpDocument, after: OcpDocument): readonly OcpSignal[] {
  const ids = new Set((after.run.signals ?? []).map(({ id }) => id));
  return (before.run.signals ?? []).filter(({ id }) => !ids.has(id));
}

function keptParts(before: OcpRun, after: OcpRun): Partial<OcpRun> {
  const judged = new Set((after.preferences ?? []).map(({ id }) => id));
  const preferences = (before.preferences ?? []).filter(({ id }) => !judged.has(id));
  const chosen = before.ext?.[RULE_EXT];
  const slate = after.slate ?? before.slate;
  return {
    ...(preferences.length > 0 && { preferences: [...(after.preferences ?? []), ...preferences] }),
    ...(slate !== undefined && { slate }),
    ...(before.labels !== undefined && { labels: { ...before.labels, ...after.labels } }),
    ...(chosen !== undefined &&
      before.acceptance_rule !== undefined && {
        acceptance_rule: before.acceptance_rule,
        ext: { ...after.ext, [RULE_EXT]: chosen },
      }),
  };
}

export function observedEvent({ kind, name, observed_at }: OcpSignal): OcpEvent {
  return { at: observed_at, type: "signal_observed", detail: `${kind} ${name}` };
}

/** By time; events of one moment, and those whose time no calendar has, keep their order. */
export function inOrder(events: readonly OcpEvent[]): readonly OcpEvent[] {
  return [...events].sort((a, b) => {
    const difference = Date.parse(a.at) - Date.parse(b.at);
    return Number.isNaN(difference) ? 0 : difference;
  });
}
