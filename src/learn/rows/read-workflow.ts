import { byCodePoint } from "../../core/canonical-json.ts";
import type { OcpConfiguration, OcpSetting, OcpWorkflow } from "../../formats/ocp/index.ts";
import { namedWorkflow } from "../../formats/workflow/catalogue.ts";
import { defaultRule, foldRole } from "../../formats/workflow/roles.ts";
import { type Folded, foldCopies } from "./copies.ts";
import type { GateFacts, PieceFacts, SettingFacts, WorkflowFacts } from "./facts.ts";

/** Words of one role fold together; everything else is a worker. */
export function foldedRole(role: string | undefined): string {
  return foldRole(role) ?? "worker";
}

export function settingFacts(setting: OcpSetting | undefined): SettingFacts {
  const model = setting?.model?.id ?? setting?.model?.raw;
  const effort = setting?.effort;
  return {
    ...(setting?.harness !== undefined && { harness: setting.harness }),
    ...(model !== undefined && model !== "" && { model }),
    ...(effort !== undefined && effort !== "default" && effort !== "" && { effort }),
  };
}

/** A configuration in the learner's words; undefined when it only refers to a workflow kept elsewhere. */
export function workflowFacts(configuration: OcpConfiguration | undefined): WorkflowFacts | undefined {
  return foldedWorkflow(configuration)?.workflow;
}

/** The same, and under which piece it has each piece that was written. */
export function foldedWorkflow(configuration: OcpConfiguration | undefined): Folded | undefined {
  const workflow = configuration?.workflow;
  if (workflow === undefined || !("pieces" in workflow)) return undefined;
  const pieces = orderPieces(
    workflow.pieces.map((piece) => {
      const setting = settingFacts(configuration?.settings?.[piece.id]);
      return {
        id: piece.id,
        role: foldedRole(piece.role),
        width: Math.max(1, Math.round(piece.width ?? 1)),
        setting,
        isMechanical: setting.harness === "command" && setting.model === undefined,
        dependsOn: dependenciesOf(piece.id, workflow),
      };
    }),
  );
  return foldCopies({
    shape: shapeOf(workflow),
    pieces,
    gates: gatesOf(workflow),
    rounds: Math.max(1, Math.round(workflow.control?.budget ?? 1)),
  });
}

/** The name of the workflow; under a name of the catalogue with other roles than that, a shape of its own. */
function shapeOf({ id, pieces }: OcpWorkflow): string {
  if (id === undefined) return "unnamed";
  const roles = rolesIn(pieces);
  const known = catalogueRoles(id);
  return known === undefined || known === roles ? id : `${id}:${roles}`;
}

/** Copies of a role are no other role. */
function rolesIn(pieces: readonly { readonly role?: string }[]): string {
  return [...new Set(pieces.map(({ role }) => foldedRole(role)))].sort(byCodePoint).join("+");
}

const rolesByName = new Map<string, string | undefined>();

function catalogueRoles(id: string): string | undefined {
  if (!rolesByName.has(id)) {
    const named = namedWorkflow(id);
    rolesByName.set(id, named === undefined ? undefined : rolesIn(named.workflow.pieces));
  }
  return rolesByName.get(id);
}

function dependenciesOf(piece: string, workflow: OcpWorkflow): readonly string[] {
  const edges = workflow.edges ?? [];
  const reads = edges.filter(([, to]) => to === piece).map(([from]) => from);
  const makers = edges.filter(([, to]) => reads.includes(to)).map(([from]) => from);
  const ids = new Set(workflow.pieces.map(({ id }) => id));
  return [...new Set(makers)].filter((maker) => ids.has(maker) && maker !== piece).sort(byCodePoint);
}

/** Declared order, each piece moved behind what it depends on; a cycle keeps the declared order. */
function orderPieces(pieces: readonly PieceFacts[]): readonly PieceFacts[] {
  const placed = new Set<string>();
  const ordered: PieceFacts[] = [];
  let waiting = [...pieces];
  while (waiting.length > 0) {
    const next = waiting.find(({ dependsOn }) => dependsOn.every((id) => placed.has(id))) ?? waiting[0];
    if (next === undefined) break;
    ordered.push(next);
    placed.add(next.id);
    waiting = waiting.filter((piece) => piece !== next);
  }
  return ordered;
}

function gatesOf(workflow: OcpWorkflow): readonly GateFacts[] {
  const { control } = workflow;
  const rules = control?.ext?.["dev.loopmath.gate_rules"];
  const ids = new Set(workflow.pieces.map(({ id }) => id));
  return (control?.gates ?? []).map((id) => {
    const rule =
      typeof rules === "object" && rules !== null && id in rules ? Reflect.get(rules, id) : undefined;
    const sendsBackTo = control?.repair?.[id];
    const piece = ids.has(id) ? id : (pieceOfGate(id, workflow) ?? sendsBackTo ?? id);
    const role = workflow.pieces.find((candidate) => candidate.id === piece)?.role;
    return {
      id,
      rule: typeof rule === "string" ? rule : defaultRule(role),
      piece,
      ...(sendsBackTo !== undefined && ids.has(sendsBackTo) && { sendsBackTo }),
    };
  });
}

/** `g_review` sits on `review`. */
function pieceOfGate(gate: string, workflow: OcpWorkflow): string | undefined {
  const name = gate.replace(/^g_/, "");
  return workflow.pieces.find(({ id }) => id === name)?.id;
}
