import type { Json, JsonObject } from "../../core/canonical-json.ts";
import type { Parsed, Problem } from "../../core/result.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { checkSettings, checkWorkflow } from "./check.ts";
import { asTable, Findings, isFraction, TableReader } from "./findings.ts";
import { readControl } from "./read-control.ts";
import { readSettings } from "./read-settings.ts";
import { ARTIFACT_KINDS } from "./roles.ts";
import { readToml } from "./toml.ts";
import type { NestedWorkflow, Workflow, WorkflowArtifact, WorkflowFile, WorkflowPiece } from "./types.ts";

export interface WorkflowRead {
  readonly file: WorkflowFile;
  /** Things that work and are probably not meant. */
  readonly warnings: readonly Problem[];
}

/** Reads a workflow file (TOML). All problems at once, one sentence each; keys that are not known are kept. */
export function parseWorkflow(text: string, file: string): Parsed<WorkflowRead> {
  const read = readToml(text, file);
  if ("problem" in read) return { ok: false, problems: [read.problem] };
  const findings = new Findings(text, file);
  const workflow = readWorkflow(read.table, "", findings, read.numbers);
  const settings = readSettings(read.table["settings"], findings);
  checkWorkflow(workflow, "", findings);
  checkSettings(workflow, settings, findings);
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const value = { workflow: { ...workflow, extra: without(workflow.extra, "settings") }, settings };
  return { ok: true, value: { file: { ...value, numbers: read.numbers }, warnings: findings.warnings } };
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

function readWorkflow(table: JsonObject, path: string, findings: Findings, numbers: NumberTexts): Workflow {
  const top = new TableReader(table, path, findings);
  const id = top.take("id");
  if (typeof id !== "string" || !ID.test(id)) {
    const what = id === undefined ? "a workflow needs an id" : `the id ${JSON.stringify(id)} is not allowed`;
    findings.error(
      top.at("id"),
      `${what}: letters, digits and _ . - after a letter or digit, at most 200`,
      "bad-id",
    );
  }
  const title = top.text("title");
  const version = top.count("version", 1, isFraction(numbers, table, "version"));
  const pieces = top.tables("pieces").map((reader, index) => {
    const source = asTable(asList(table["pieces"])[index]) ?? {};
    return readPiece(reader, findings, numbers, isFraction(numbers, source, "width"));
  });
  const artifacts = top
    .list("artifacts")
    .flatMap((item, index) => readArtifact(item, top.at(`artifacts[${index}]`), findings));
  const edges = top
    .list("edges")
    .flatMap((item, index) => readEdge(item, top.at(`edges[${index}]`), findings));
  const control = readControl(
    top.table("control"),
    pieces,
    findings,
    numbers,
    asTable(table["control"]) ?? {},
  );
  return {
    id: typeof id === "string" ? id : "",
    version,
    ...(title !== undefined && { title }),
    pieces,
    artifacts,
    edges,
    control,
    extra: top.extra,
  };
}

function readPiece(
  reader: TableReader,
  findings: Findings,
  numbers: NumberTexts,
  isFractional: boolean,
): WorkflowPiece {
  const id = reader.text("id");
  if (id === undefined) findings.error(reader.path, `${reader.path} needs an id`);
  const role = reader.text("role");
  const width = reader.count("width", 1, isFractional);
  const nested = readNested(reader.take("workflow"), reader.at("workflow"), findings, numbers);
  if (role === undefined && nested === undefined) {
    findings.error(reader.path, `piece "${id ?? reader.path}" has neither a role nor a workflow of its own`);
  }
  return {
    id: id ?? reader.path,
    ...(role !== undefined && { role }),
    width,
    ...(nested !== undefined && { nested }),
    extra: reader.extra,
  };
}

function readNested(
  value: Json | undefined,
  path: string,
  findings: Findings,
  numbers: NumberTexts,
): NestedWorkflow | undefined {
  if (value === undefined) return undefined;
  const table = asTable(value);
  if (table === undefined) {
    findings.error(path, `${path} must be a table`);
    return undefined;
  }
  const { ref, version } = table;
  if (typeof ref !== "string" || table["pieces"] !== undefined) {
    const workflow = readWorkflow(table, path, findings, numbers);
    checkWorkflow(workflow, path, findings);
    return { workflow };
  }
  return { ref, ...(typeof version === "number" && { version }) };
}

/** An artifact without a kind takes its id, where that is a kind. */
function readArtifact(item: Json, path: string, findings: Findings): readonly WorkflowArtifact[] {
  const table = typeof item === "string" ? { id: item } : asTable(item);
  const reader = table === undefined ? undefined : new TableReader(table, path, findings);
  const id = reader?.text("id");
  if (reader === undefined || id === undefined) {
    findings.error(path, `${path} must be a name or a table with an id`);
    return [];
  }
  const isKind = (ARTIFACT_KINDS as readonly string[]).includes(id);
  const kind = reader.text("kind") ?? (isKind ? id : "other");
  return [{ id, kind, extra: reader.extra }];
}

function readEdge(item: Json, path: string, findings: Findings): readonly (readonly [string, string])[] {
  const ends = typeof item === "string" ? item.split("->").map((end) => end.trim()) : asList(item);
  const [from, to] = ends;
  if (ends.length === 2 && typeof from === "string" && typeof to === "string" && from !== "" && to !== "") {
    return [[from, to]];
  }
  findings.error(path, `${path} must be written "a -> b" or ["a", "b"]`);
  return [];
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function without(table: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== key));
}
