/** E180 and W180: what a producer says it does not record is not there. */
import type { Report } from "../finding.ts";
import { asList, asMembers, dig, type Entity, has } from "../members.ts";
import { type DocumentIndex, edgeKind } from "./document-index.ts";

const TOKEN_FIELDS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_creation_tokens",
  "cache_creation_5m_tokens",
  "cache_creation_1h_tokens",
  "output_tokens",
  "reasoning_tokens",
];

/** W180. */
export function checkCapabilitiesDeclared(document: unknown, report: Report): void {
  if (!has(dig(document, "producer"), "capabilities")) {
    report("W180", ["producer"], "declares no capabilities");
  }
}

/** E180. */
export function checkCapabilities(
  document: unknown,
  index: DocumentIndex,
  since03: boolean,
  report: Report,
): void {
  const capabilities = asMembers(dig(document, "producer", "capabilities"));
  if (capabilities === undefined) return;
  const run = dig(document, "run");
  const present: Readonly<Record<string, () => boolean>> = {
    groups: () => index.groups.length > 0,
    events: () => index.events.length > 0,
    artifacts: () => index.artifacts.length > 0,
    edges_dep: () => hasEdge(index, "dep", "fan_in"),
    edges_spawn: () => hasEdge(index, "spawn"),
    edges_launch: () => hasEdge(index, "launch"),
    edges_artifact: () => hasEdge(index, "artifact"),
    cost_usd: () => index.attempts.some((attempt) => hasCost(attempt, ["usd"])),
    cost_tokens: () => index.attempts.some((attempt) => hasCost(attempt, TOKEN_FIELDS)),
    outcome_evidence: () => index.attempts.some(({ value }) => has(dig(value, "outcome"), "evidence")),
    ...(since03 && {
      task: () => has(run, "task"),
      configuration: () => has(run, "configuration"),
      signals: () => (asList(dig(run, "signals")) ?? []).length > 0,
      slate: () => has(run, "slate"),
      receipt: () => has(run, "receipt"),
    }),
  };
  for (const [name, isPresent] of Object.entries(present)) {
    if (dig(capabilities, name) === false && isPresent()) {
      report("E180", ["producer", "capabilities", name], `declared false, yet the document has it`);
    }
  }
}

function hasEdge(index: DocumentIndex, ...kinds: readonly string[]): boolean {
  return index.edges.some((edge) => kinds.includes(edgeKind(edge) ?? ""));
}

function hasCost(attempt: Entity, fields: readonly string[]): boolean {
  return fields.some((field) => has(dig(attempt.value, "cost"), field));
}
