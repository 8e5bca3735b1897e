import type { Parsed, Problem } from "../../core/result.ts";
import { checkLoop } from "./check-loop.ts";
import { Findings, MapReader } from "./map-reader.ts";
import { readYaml } from "./marked.ts";
import { readGoals, readGraph } from "./read-graph.ts";
import { readProviders } from "./read-providers.ts";
import { readSafety } from "./read-safety.ts";
import type { Loop } from "./types.ts";

export interface LoopRead {
  readonly loop: Loop;
  /** Things that work and are probably not meant. Each has its place. */
  readonly warnings: readonly Problem[];
}

/** Keys of the grammar's predecessor, and where their content belongs now. */
const OLD_KEYS: Readonly<Record<string, string>> = {
  information: "intent.background",
  pre_execution: "intent.prerequisites",
  goals: "intent.goals",
  validations: "safety.checks",
  success: "intent.success",
  stop_gates: "safety.gates.stop",
  schedules: "execution.triggers",
  constraints: "safety.limits",
  execution_guidelines: "execution.phases",
  default_skills: "execution.default_skills",
  graph: "execution.graph",
  providers: "execution.providers",
  skills: "execution.skills",
  context: "execution.memory",
};
const TOP_LATER: Readonly<Record<string, string>> = {
  features: "",
  evolution: "",
  ...Object.fromEntries(Object.entries(OLD_KEYS).map(([old, now]) => [old, `its place is now ${now}`])),
};

/**
 * Reads a loop.yaml (YAML 1.2). All problems at once, each at `file:line:column`. A key of the grammar that
 * nothing here acts on is `not-supported-yet` instead of being passed over; any other is `unknown-key`, with
 * the key it was probably meant to be.
 */
export async function parseLoop(text: string, file: string): Promise<Parsed<LoopRead>> {
  const { root, problems } = await readYaml(text, file);
  if (root === undefined) return { ok: false, problems };
  const findings = new Findings();
  const top = new MapReader(root, "", findings);
  const intent = top.map("intent");
  const execution = top.map("execution");
  const goals = readGoals(intent);
  const { piecesPath, ...graph } = readGraph(execution.map("graph"));
  const providers = readProviders(execution.map("providers"), execution.has("providers"));
  const { pieceLimitsPath, ...safety } = readSafety(top.map("safety"));
  const loop: Loop = {
    name: top.text("name"),
    version: top.text("version", "0.1.0"),
    description: top.text("description", ""),
    environment: top.word("environment", ["dev", "staging", "prod"], "dev"),
    goals,
    ...graph,
    ...providers,
    ...safety,
  };
  intent.close({ background: "", prerequisites: "", success: "" });
  execution.close({ phases: "", memory: "", skills: "", default_skills: "", triggers: "" });
  top.close(TOP_LATER);
  checkLoop(loop, { piecesPath, pieceLimitsPath }, findings);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  return { ok: true, value: { loop, warnings: findings.warnings } };
}
