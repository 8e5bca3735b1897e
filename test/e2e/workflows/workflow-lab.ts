import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { OcpDocument } from "../../../src/formats/ocp/index.ts";
import { type AgentStep, installAgent } from "../../../src/testing/scripted-agent.ts";
import { type Finished, type Lab, type LabOptions, openLab } from "../../lab.ts";

/** A builder called `claude` and a judge called `codex`, scripted, first on PATH. */
export interface WorkflowLab extends Lab {
  readonly env: Readonly<Record<string, string>>;
  play(args: readonly string[]): Promise<Finished>;
  /** The newest recorded run. */
  document(): Promise<OcpDocument>;
}

export function openWorkflowLab(
  scripts: { readonly builder: readonly AgentStep[]; readonly judge: readonly AgentStep[] },
  options: LabOptions = {},
): WorkflowLab {
  const lab = openLab({ "README.md": "hello\n", "old.txt": "old\n" }, options);
  const bin = join(lab.outside, "bin");
  mkdirSync(bin);
  installAgent(bin, "claude", {
    stateDir: join(lab.outside, "state-builder"),
    format: "claude",
    steps: scripts.builder,
  });
  installAgent(bin, "codex", {
    stateDir: join(lab.outside, "state-judge"),
    format: "codex",
    steps: scripts.judge,
  });
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return {
    ...lab,
    env,
    play: (args) => lab.run([...args, "--json"], env),
    document: async () => {
      const runs = await lab.run(["runs", "--json", "--documents"], env);
      const [row] = runs.json()["runs"] as { readonly document: OcpDocument }[];
      if (row === undefined) throw new Error("no run is recorded");
      return row.document;
    },
  };
}

export const PASS = JSON.stringify({
  verdict: "pass",
  evidence: [{ where: "answer.txt:1", what: "it says right, and nothing else changed" }],
});

export const FAIL = JSON.stringify({
  verdict: "fail",
  findings: [{ where: "answer.txt:1", what: "the answer needs a reason after it" }],
});

/** A judge's step that changes nothing and ends with these words. */
export function says(text: string, more: Partial<AgentStep> = {}): AgentStep {
  return {
    ...more,
    do: [...(more.do ?? []), { kind: "say", text, usage: { inputTokens: 900, outputTokens: 60 } }],
  };
}

export function pick(letter: string): string {
  return JSON.stringify({ pick: letter, evidence: [{ where: letter, what: "shortest that is right" }] });
}

/** Settings with which planners know the catalogue's ids. */
export const OPUS = "claude-code:claude-opus-5-5:high";
export const ASTRA = "codex:gpt-6-astra:high";
