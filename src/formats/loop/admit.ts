import type { Json } from "../../core/canonical-json.ts";
import { isJsonObject } from "../../core/canonical-json.ts";
import { type LoopPatch, partsOf } from "./patch.ts";
import type { LoopEvolution, LoopProtected, PROPOSAL_KINDS, PROTECTED_COMPONENTS } from "./policy-types.ts";

export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

const PROTECTED_PATHS: Readonly<Record<(typeof PROTECTED_COMPONENTS)[number], readonly string[]>> = {
  gates: ["safety.gates"],
  limits: ["safety.limits"],
  recovery: ["safety.recovery"],
  protected: ["safety.protected"],
  approvals: [
    "safety.limits.global.human_checkpoint",
    "safety.limits.per_node",
    "safety.gates.approval",
    "execution.skills.require_human_promotion",
    "execution.skills.min_trust_level",
    "execution.skills.require_checksum",
    "execution.skills.allow_external_side_effects",
  ],
  credentials: ["execution.providers.providers.requires_env", "secrets"],
  audit: ["observability", "safety.alerts"],
  baselines: ["evolution.baseline"],
  retention: ["execution.memory.namespaces"],
  environment: ["environment", "features"],
};
/** Whatever the file says: the rules about changes are not theirs to change. */
const ALWAYS = ["safety.protected", "evolution"];

/** By the longest path that fits. What fits none is nothing that may be proposed. */
const KINDS: readonly (readonly [path: string, kind: ProposalKind])[] = [
  ["execution.graph.nodes.instruction", "prompt_change"],
  ["execution.graph.nodes.skills", "skill_update"],
  ["execution.graph.nodes.tier", "provider_routing"],
  ["execution.graph.nodes.provider", "provider_routing"],
  ["execution.graph", "graph_change"],
  ["execution.phases", "graph_change"],
  ["execution.providers", "provider_routing"],
  ["execution.skills", "new_skill"],
  ["execution.default_skills", "new_skill"],
  ["intent.background", "prompt_change"],
  ["intent.goals", "success_criteria"],
  ["intent.success", "success_criteria"],
  ["safety.checks", "validation_change"],
];

export type Admission =
  | { readonly isAdmitted: true; readonly kind: ProposalKind }
  | { readonly isAdmitted: false; readonly why: string };

/** Whether a change of the file may be proposed at all: of an allowed kind, and outside of what is protected. */
export function admit(
  patch: LoopPatch,
  { allowedKinds }: Pick<LoopEvolution, "allowedKinds">,
  protection: LoopProtected,
): Admission {
  const parts = partsOf(patch.path);
  if (parts === undefined) return { isAdmitted: false, why: `${patch.path} is no path of a loop file` };
  const path = canonical(parts.map(({ key }) => key));
  const guarded = [
    ...ALWAYS,
    ...protection.components.flatMap((component) => PROTECTED_PATHS[component]),
    ...protection.extraPaths.map((extra) => canonical(extra.replaceAll(/\[[^\]]*\]/g, "").split("."))),
  ];
  const hit = leaves(path, patch.value).flatMap((leaf) => guarded.filter((one) => touches(leaf, one)))[0];
  if (hit !== undefined) return { isAdmitted: false, why: `${hit} is protected` };
  const kind = KINDS.find(([prefix]) => isWithin(path, prefix))?.[1];
  if (kind === undefined) return { isAdmitted: false, why: `${path} is nothing that may be proposed` };
  if (!allowedKinds.includes(kind))
    return { isAdmitted: false, why: `${kind} is not in evolution.allowed_kinds` };
  return { isAdmitted: true, kind };
}

/** The spelling that the tables above use. */
function canonical(keys: readonly string[]): string {
  const spelt = keys.join(".");
  return spelt
    .replace(/^execution\.graph\.pieces(?=\.|$)/, "execution.graph.nodes")
    .replace(/^safety\.limits\.per_piece(?=\.|$)/, "safety.limits.per_node");
}

/** Every path that a value writes; those of a list are its own. */
function leaves(path: string, value: Json): readonly string[] {
  if (Array.isArray(value)) {
    const below = value.flatMap((item) => (isJsonObject(item) ? leaves(path, item) : []));
    return [path, ...below];
  }
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return entries.length === 0
    ? [path]
    : entries.flatMap(([key, item = null]) => leaves(`${path}.${key}`, item));
}

/** At, under or around it, by whole segments. */
function touches(written: string, guarded: string): boolean {
  return isWithin(written, guarded) || isWithin(guarded, written);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}
