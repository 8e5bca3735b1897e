import type { OcpAttempt, OcpDocument, OcpRun, OcpSignal } from "../../../src/formats/ocp/index.ts";

export const SHA = "0123456789abcdef0123456789abcdef01234567";

/** A finished run of somebody else's, priced and judged by tests. */
export function aForeignRun(
  id: string,
  run: Partial<OcpRun> = {},
  rest: Partial<OcpDocument> = {},
): OcpDocument {
  return {
    ocp: "0.3",
    producer: { name: "somebody", version: "1", capabilities: { events: true, signals: true } },
    privacy: { profile: "metadata_only" },
    run: {
      id,
      title: "foreign work",
      started_at: "2026-11-02T08:00:00Z",
      ended_at: "2026-11-02T08:40:00Z",
      task: { id: `tsk_${id}`, type: "bug_fix", repo: "acme/api", base_commit: "fedcba9" },
      acceptance_rule: { name: "tests", definition: "tests pass", requires: ["tests"] },
      signals: [aSignal("sig_1", "tests", "pass")],
      ...run,
    },
    nodes: [{ id: "implement", kind: "impl" }],
    attempts: [anAttempt("implement.a1", 0.31)],
    artifacts: [
      {
        id: "commit",
        path: SHA,
        kind: { value: "commit", tier: "verified" },
        producer: "implement.a1",
        writers: ["implement.a1"],
        consumers: [],
        first_write_at: null,
        n_writes: null,
        n_reads: null,
      },
    ],
    events: [{ at: "2026-11-02T08:00:00Z", type: "note", detail: "run started" }],
    ...rest,
  };
}

export function anAttempt(id: string, usd: number | undefined): OcpAttempt {
  return {
    id,
    node: "implement",
    harness: "claude-code",
    model: { raw: "model-x" },
    status: "done",
    started_at: "2026-11-02T08:01:00Z",
    ended_at: "2026-11-02T08:30:00Z",
    outcome: { result: "done", evidence: "reported" },
    ...(usd !== undefined && { cost: { output_tokens: 10, usd, basis: "measured" } }),
  };
}

export function aSignal(id: string, name: string, value: string, at = "2026-11-02T08:35:00Z"): OcpSignal {
  return { id, kind: "verdict", name, value, observed_at: at, tier: "reported" };
}
