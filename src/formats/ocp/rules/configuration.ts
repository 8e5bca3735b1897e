/** E190 to E193: the configuration that ran. */
import type { WorkflowLookup } from "../configuration-id.ts";
import { configurationId, isWorkflowRef } from "../configuration-id.ts";
import type { Path, Report } from "../finding.ts";
import type { NumberTexts } from "../json-text.ts";
import { asList, asMembers, dig, entities, has, textAt } from "../members.ts";
import { stuckInCycle } from "./edges.ts";

export function checkConfiguration(
  document: unknown,
  numbers: NumberTexts,
  lookup: WorkflowLookup,
  report: Report,
): void {
  const configuration = asMembers(dig(document, "run", "configuration"));
  if (configuration === undefined) return;
  const path = ["run", "configuration"];
  const stated = textAt(configuration, "id");
  const actual = stated === undefined ? undefined : configurationId(configuration, numbers, lookup);
  if (actual !== undefined && actual !== stated) {
    report("E190", [...path, "id"], `the canonical id of this configuration is ${actual}`);
  }
  const workflow = dig(configuration, "workflow");
  checkSettings(resolve(workflow, lookup), dig(configuration, "settings"), path, report);
  if (!isWorkflowRef(workflow)) checkWorkflow(workflow, [...path, "workflow"], report);
}

function resolve(workflow: unknown, lookup: WorkflowLookup): unknown {
  const ref = textAt(workflow, "ref");
  if (!isWorkflowRef(workflow) || ref === undefined) return workflow;
  const version = dig(workflow, "version");
  return lookup(ref, typeof version === "number" ? version : undefined);
}

/** E191: a setting for each piece on the top level. */
function checkSettings(workflow: unknown, settings: unknown, path: Path, report: Report): void {
  for (const { id, value } of entities(dig(workflow, "pieces"), [])) {
    const isNested = has(value, "workflow") && !has(value, "role");
    if (id === undefined || isNested || asMembers(dig(settings, id)) !== undefined) continue;
    report("E191", [...path, "settings"], `no setting for the piece '${id}'`);
  }
}

/** E192 and E193, nested inline workflows alike. */
function checkWorkflow(workflow: unknown, path: Path, report: Report): void {
  if (asMembers(workflow) === undefined) return;
  const pieces = entities(dig(workflow, "pieces"), [...path, "pieces"]);
  const artifacts = entities(dig(workflow, "artifacts"), [...path, "artifacts"]);
  const seen = new Set<string>();
  for (const { id, path: at } of [...pieces, ...artifacts]) {
    if (id === undefined) continue;
    if (seen.has(id)) report("E192", [...at, "id"], `'${id}' is used twice in this workflow`);
    seen.add(id);
  }
  const pieceIds = new Set(pieces.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const artifactIds = new Set(artifacts.flatMap(({ id }) => (id === undefined ? [] : [id])));
  checkWorkflowEdges(workflow, pieceIds, artifactIds, path, report);
  checkControl(workflow, pieceIds, path, report);
  for (const { value, path: at } of pieces) {
    const nested = dig(value, "workflow");
    if (!isWorkflowRef(nested)) checkWorkflow(nested, [...at, "workflow"], report);
  }
}

function checkWorkflowEdges(
  workflow: unknown,
  pieces: ReadonlySet<string>,
  artifacts: ReadonlySet<string>,
  path: Path,
  report: Report,
): void {
  const ends: (readonly [string, string])[] = [];
  for (const [index, edge] of (asList(dig(workflow, "edges")) ?? []).entries()) {
    const [from, to] = asList(edge) ?? [];
    if (typeof from !== "string" || typeof to !== "string") continue;
    const joins = (pieces.has(from) && artifacts.has(to)) || (artifacts.has(from) && pieces.has(to));
    if (joins) ends.push([from, to]);
    else
      report("E192", [...path, "edges", index], `'${from}' to '${to}' does not join a piece and an artifact`);
  }
  const stuck = stuckInCycle(new Set(ends.flat()), ends);
  if (stuck.length > 0) report("E192", [...path, "edges"], `cycle among: ${stuck.join(", ")}`);
}

function checkControl(workflow: unknown, pieces: ReadonlySet<string>, path: Path, report: Report): void {
  const control = dig(workflow, "control");
  const gates = asList(dig(control, "gates")) ?? [];
  for (const [index, gate] of gates.entries()) {
    if (typeof gate === "string" && !pieces.has(gate)) {
      report("E193", [...path, "control", "gates", index], `the gate '${gate}' is no piece`);
    }
  }
  for (const [gate, target] of Object.entries(asMembers(dig(control, "repair")) ?? {})) {
    const at = [...path, "control", "repair", gate];
    if (!gates.includes(gate)) report("E193", at, `'${gate}' is no gate`);
    if (typeof target === "string" && !pieces.has(target)) {
      report("E193", at, `the repair piece '${target}' is no piece`);
    }
  }
}
