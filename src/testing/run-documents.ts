import type { OcpDocument } from "../formats/ocp/index.ts";
import { candidatesOf } from "../plan/candidates.ts";

/** A finished run as `go` records it: one attempt at a bug fix, one check. */
export function aRun(n: number, model: string, isAccepted: boolean, costUsd: number): OcpDocument {
  const harness = model.startsWith("claude") ? "claude-code" : "codex";
  const [candidate] = candidatesOf([], [], [{ harness, model, efforts: ["high"] }]).filter(
    ({ facts }) => facts.shape === "implement_check",
  );
  const at = `2026-11-${String((n % 28) + 1).padStart(2, "0")}T10:00:00Z`;
  const status = isAccepted ? "done" : "failed";
  return {
    ocp: "0.3",
    producer: { name: "loopwright" },
    privacy: { profile: "metadata_only" },
    nodes: [
      { id: "implement", kind: "impl", vertex: "implement" },
      { id: "check", kind: "gate", vertex: "check" },
    ],
    run: {
      id: `run_${String(n).padStart(4, "0")}`,
      started_at: at,
      ended_at: at,
      acceptance_rule: { name: "gate", definition: "every check passes", requires: ["gate"] },
      signals: [
        {
          id: "s1",
          kind: "verdict",
          name: "gate",
          value: isAccepted ? "pass" : "fail",
          observed_at: at,
          tier: "verified",
        },
      ],
      task: { id: `tsk_${n}`, type: "bug_fix", repo: "acme/api" },
      ...(candidate !== undefined && { configuration: { ...candidate.configuration, id: candidate.id } }),
    },
    attempts: [
      {
        id: "implement.a1",
        node: "implement",
        round: 1,
        harness,
        model: { id: model },
        effort: "high",
        status: "done",
        cost: { usd: costUsd, basis: "measured", input_tokens: 1e5, output_tokens: 5e3 },
      },
      { id: "check.a1", node: "check", round: 1, harness: "command", status },
    ],
  };
}
