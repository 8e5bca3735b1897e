import { didYouMean } from "../loop/did-you-mean.ts";
import type { Findings } from "./findings.ts";
import { cycleOf, upstreamOf } from "./flow.ts";
import { canRun, offersEffort } from "./models.ts";
import { ARTIFACT_KINDS, foldRole, ROLES } from "./roles.ts";
import type { Settings, Workflow, WorkflowGate } from "./types.ts";

/** The rules across a workflow. Messages name the piece, the path its place. */
export function checkWorkflow(workflow: Workflow, base: string, findings: Findings): void {
  const path = (rest: string): string => (base === "" ? rest : `${base}.${rest}`);
  if (workflow.pieces.length === 0) findings.error(path("pieces"), "a workflow needs at least one piece");
  checkNames(workflow, path, findings);
  checkEdges(workflow, path, findings);
  checkGates(workflow, path, findings);
  checkWords(workflow, path, findings);
  const kind = workflow.control.rescue.kind;
  if (!["configuration", "person", "none"].includes(kind)) {
    findings.warn(path("control.rescue"), `rescue kind "${kind}" has no price, so it cannot be planned with`);
  }
}

type Path = (rest: string) => string;

function checkNames(workflow: Workflow, path: Path, findings: Findings): void {
  const pieces = new Set<string>();
  for (const [index, { id }] of workflow.pieces.entries()) {
    if (pieces.has(id)) findings.error(path(`pieces[${index}]`), `two pieces are called "${id}"`);
    pieces.add(id);
  }
  const artifacts = new Set<string>();
  for (const [index, { id }] of workflow.artifacts.entries()) {
    if (artifacts.has(id)) findings.error(path(`artifacts[${index}]`), `two artifacts are called "${id}"`);
    if (pieces.has(id))
      findings.error(path(`artifacts[${index}]`), `"${id}" is both a piece and an artifact`);
    artifacts.add(id);
  }
}

function checkEdges(workflow: Workflow, path: Path, findings: Findings): void {
  const pieces = new Set(workflow.pieces.map(({ id }) => id));
  const artifacts = new Set(workflow.artifacts.map(({ id }) => id));
  const known = [...pieces, ...artifacts];
  const seen = new Set<string>();
  for (const [index, [from, to]] of workflow.edges.entries()) {
    const at = path(`edges[${index}]`);
    const edge = `${from} -> ${to}`;
    for (const end of [from, to].filter((one) => !pieces.has(one) && !artifacts.has(one))) {
      const near = didYouMean(end, known);
      const hint = near === undefined ? undefined : `did you mean "${near}"?`;
      findings.error(
        at,
        `edge ${edge} names "${end}", which is neither a piece nor an artifact`,
        "unknown-piece",
        hint,
      );
    }
    if (pieces.has(from) && pieces.has(to))
      findings.error(at, `edge ${edge} joins two pieces; put an artifact between them`);
    if (artifacts.has(from) && artifacts.has(to))
      findings.error(at, `edge ${edge} joins two artifacts; put a piece between them`);
    if (seen.has(edge)) findings.error(at, `edge ${edge} is written twice`);
    seen.add(edge);
  }
  const cycle = cycleOf(workflow.edges);
  if (cycle !== undefined) {
    findings.error(
      path("edges"),
      `the edges run in a circle: ${cycle.join(" -> ")}`,
      "graph-cycle",
      "send work back with a gate's on_fail instead",
    );
  }
}

function checkGates(workflow: Workflow, path: Path, findings: Findings): void {
  const ids = new Set<string>();
  const gated = new Set<string>();
  for (const [index, gate] of workflow.control.gates.entries()) {
    const at = path(`control.gates[${index}]`);
    if (ids.has(gate.id)) findings.error(at, `two gates are called "${gate.id}"`);
    ids.add(gate.id);
    if (gated.has(gate.after)) findings.error(at, `two gates stand after "${gate.after}"`);
    gated.add(gate.after);
    checkGate(workflow, gate, at, findings);
  }
}

function checkGate(workflow: Workflow, gate: WorkflowGate, at: string, findings: Findings): void {
  const pieces = workflow.pieces.map(({ id }) => id);
  const { id, after, onFail } = gate;
  if (!pieces.includes(after)) {
    findings.error(at, `gate "${id}" stands after "${after}", which is no piece`, "unknown-piece");
  }
  if (onFail === undefined) return;
  if (!pieces.includes(onFail)) {
    findings.error(at, `gate "${id}" sends work back to "${onFail}", which is no piece`, "unknown-piece");
  } else if (onFail !== after && !upstreamOf(after, workflow.edges).has(onFail)) {
    findings.error(at, `gate "${id}" sends work back to "${onFail}", which "${after}" does not depend on`);
  }
  if (workflow.control.rounds === 1) {
    findings.warn(
      at,
      `gate "${id}" can never send work back: budget_rounds is 1, and the first round counts`,
    );
  }
}

function checkWords(workflow: Workflow, path: Path, findings: Findings): void {
  const from = new Set(workflow.edges.map(([start]) => start));
  const onEdges = new Set(workflow.edges.flat());
  for (const [index, { id, role, nested }] of workflow.pieces.entries()) {
    const at = path(`pieces[${index}]`);
    const folded = foldRole(role);
    if (role !== undefined && folded === undefined) {
      findings.warn(at, `role "${role}" of "${id}" is none of ${ROLES.join(", ")}`);
    } else if (role !== undefined && folded !== role) {
      findings.warn(at, `role "${role}" of "${id}" counts as ${folded} in estimates`);
    }
    if (nested === undefined && !from.has(id)) findings.warn(at, `piece "${id}" produces nothing`);
  }
  for (const [index, { id, kind }] of workflow.artifacts.entries()) {
    const at = path(`artifacts[${index}]`);
    if (!onEdges.has(id)) findings.warn(at, `artifact "${id}" is on no edge`);
    if (!(ARTIFACT_KINDS as readonly string[]).includes(kind)) {
      findings.warn(at, `kind "${kind}" of "${id}" is none of ${ARTIFACT_KINDS.join(", ")}`);
    }
  }
}

/** The rules between settings and pieces. */
export function checkSettings(workflow: Workflow, settings: Settings, findings: Findings): void {
  const pieces = workflow.pieces.map(({ id }) => id);
  for (const [piece, { harness, model, effort }] of Object.entries(settings)) {
    const at = `settings.${piece}`;
    if (!pieces.includes(piece)) {
      const near = didYouMean(piece, pieces);
      const hint = near === undefined ? undefined : `did you mean "${near}"?`;
      findings.error(at, `there is a setting for "${piece}", which is no piece`, "unknown-piece", hint);
    }
    if (model !== undefined && !canRun(harness, model)) {
      findings.warn(at, `${harness} does not run ${model} (piece "${piece}")`);
    }
    if (!offersEffort(harness, effort))
      findings.warn(at, `${harness} offers no effort "${effort}" (piece "${piece}")`);
  }
  const missing = workflow.pieces.filter(
    ({ id, nested }) => nested === undefined && settings[id] === undefined,
  );
  if (missing.length > 0 && Object.keys(settings).length > 0) {
    findings.warn("settings", `no setting for ${missing.map(({ id }) => id).join(", ")}`);
  }
}
