import { fail, ok, type Result } from "../../core/result.ts";
import type { WorkflowLookup } from "./configuration-id.ts";
import { type Finding, finding, type Path, type Report } from "./finding.ts";
import { type NumberTexts, readJson, unfitForJson } from "./json-text.ts";
import { lint } from "./lint.ts";
import { asMembers, dig, has, textAt } from "./members.ts";
import { ocpSchema } from "./ocp-schema.ts";
import { checkArtifacts } from "./rules/artifacts.ts";
import { checkAttempts } from "./rules/attempts.ts";
import { checkCapabilities, checkCapabilitiesDeclared } from "./rules/capabilities.ts";
import { checkConfiguration } from "./rules/configuration.ts";
import { type DocumentIndex, indexDocument } from "./rules/document-index.ts";
import { checkEdges, checkOrder } from "./rules/edges.ts";
import { checkReceipt, checkSignals, checkSlate, checkWinners } from "./rules/judgement.ts";
import {
  checkDuplicates,
  checkEvents,
  checkExtensionPrefixes,
  checkGroupParents,
  checkLists,
  checkNodeGroups,
} from "./rules/references.ts";
import { breaches } from "./schema.ts";
import { OCP_VERSIONS, type OcpDocument, type OcpVersion } from "./types.ts";
import { checkVocabulary } from "./vocabulary.ts";

export interface ValidateOptions {
  /** Finds workflows that a configuration references; without it such a configuration's id is not checked. */
  readonly lookup?: WorkflowLookup;
  /** False leaves out the findings under `loopwright/…`. */
  readonly lints?: boolean;
  /** Of a parsed value: how its numbers were written. A text says that itself. */
  readonly numbers?: NumberTexts;
  /** A valid document that the value was made from: where both share all of the work graph, it is not checked again. */
  readonly madeFrom?: OcpDocument;
}

export interface OcpReport {
  /** True when there is no error; warnings do not count. */
  readonly ok: boolean;
  /** The version as stated, or null. */
  readonly ocp: string | null;
  readonly findings: readonly Finding[];
  /** The parsed document, when it could be read. */
  readonly value: unknown;
  /** Of a text: the written form of its numbers, and the keys that it writes twice. */
  readonly numbers?: NumberTexts;
  readonly duplicates?: readonly Path[];
}

/**
 * Checks one run document by every structural and conformance rule of its version, and by lints of ours. A
 * string or bytes are JSON text, anything else is a parsed value. Never throws, whatever it is given. Order:
 * schema by path, extension prefixes, references, rules of 0.3, vocabulary, lints.
 */
export function validateOcp(input: unknown, options: ValidateOptions = {}): OcpReport {
  if (typeof input === "string" || input instanceof Uint8Array) {
    const read = readJson(input);
    if (!read.ok) return unreadable(read.why);
    const { numbers, duplicates } = read;
    const report = { ...validateValue(read.value, numbers, options), numbers, duplicates };
    if (options.lints === false) return report;
    const repeated = duplicates.map((path) =>
      finding("loopwright/duplicate-key", path, "the key is written twice; the last one counts"),
    );
    return { ...report, findings: [...report.findings, ...repeated] };
  }
  const why = unfitForJson(input);
  return why === undefined
    ? validateValue(input, options.numbers ?? new WeakMap(), options)
    : unreadable(why);
}

/** A document that is known to be a valid 0.3 one. Undefined when it has errors or another version. */
export function asOcpDocument(report: OcpReport): OcpDocument | undefined {
  return report.ok && report.ocp === "0.3" ? (report.value as OcpDocument) : undefined;
}

/** A document as read from its text, with the written form of its numbers for a rewrite. */
export interface ReadOcp {
  readonly document: OcpDocument;
  readonly numbers: NumberTexts;
}

/** Reads text that was checked when it was stored. `store-damaged` when it is not even JSON. */
export function readStoredOcp(text: string): Result<ReadOcp> {
  if (!SPECIAL_NUMBER.test(text)) return readPlain(text);
  const read = readJson(text);
  if (!read.ok) return fail("store-damaged", `a stored run document is not readable: ${read.why}`);
  return ok({ document: read.value as unknown as OcpDocument, numbers: read.numbers });
}

/**
 * A number whose written form a JavaScript number does not keep: `1.0`, `1e16`, more than 15 digits. May also mean part
 * of a text, which then is only read the long way.
 */
const SPECIAL_NUMBER = /(?:"\s*:|[[,])\s*-?\d+(?:\.\d*0(?!\d)|(?:\.\d+)?[eE]|\d{15})/;

/** Without such a number, and with its keys checked when it was stored, a text is what the language reads in it. */
function readPlain(text: string): Result<ReadOcp> {
  try {
    return ok({ document: JSON.parse(text), numbers: new WeakMap() });
  } catch (error) {
    return fail("store-damaged", `a stored run document is not readable: ${String(error)}`);
  }
}

function unreadable(why: string): OcpReport {
  return {
    ok: false,
    ocp: null,
    findings: [finding("E001", [], `not readable JSON: ${why}`)],
    value: undefined,
  };
}

function validateValue(value: unknown, numbers: NumberTexts, options: ValidateOptions): OcpReport {
  const findings: Finding[] = [];
  const report: Report = (code, path, message) => findings.push(finding(code, path, message));
  const stated = textAt(value, "ocp") ?? null;
  if (asMembers(value) === undefined) report("E002", [], "the document is not an object");
  else validateMembers(value, numbers, options, report);
  return { ok: findings.every(({ level }) => level === "warning"), ocp: stated, findings, value };
}

function validateMembers(
  document: unknown,
  numbers: NumberTexts,
  options: ValidateOptions,
  report: Report,
): void {
  const version = OCP_VERSIONS.find((known) => known === dig(document, "ocp"));
  const isGraphKnown = options.madeFrom !== undefined && sharesGraph(document, options.madeFrom);
  const checked = isGraphKnown ? { ...asMembers(document), ...EMPTY_GRAPH } : document;
  if (version === undefined) report("E003", ["ocp"], versionMessage(document));
  else for (const { path, message } of breaches(ocpSchema(version), checked)) report("E010", path, message);
  const index = indexDocument(document);
  const since02 = version === "0.2" || version === "0.3";
  const since03 = version === "0.3";
  checkExtensionPrefixes(checked, since03, report);
  if (since02) checkCapabilitiesDeclared(document, report);
  checkLists(document, since02, report);
  if (since02) checkCapabilities(document, index, since03, report);
  if (!isGraphKnown) checkGraph(document, index, version, report);
  checkEvents(index, report);
  if (since03) {
    checkConfiguration(document, numbers, options.lookup ?? (() => undefined), report);
    checkSlate(document, report);
    checkWinners(document, report);
    checkSignals(document, report);
    checkReceipt(document, report);
  }
  if (since02) checkVocabulary(checked, version, report);
  if (options.lints !== false) lint(document, index, version, report);
}

const EMPTY_GRAPH = { groups: [], nodes: [], edges: [], attempts: [], artifacts: [] };

function sharesGraph(document: unknown, known: OcpDocument): boolean {
  const shared = ["ocp", "producer", ...Object.keys(EMPTY_GRAPH)];
  const isConfigurationShared = dig(document, "run", "configuration") === known.run.configuration;
  return isConfigurationShared && shared.every((member) => dig(document, member) === dig(known, member));
}

function checkGraph(
  document: unknown,
  index: DocumentIndex,
  version: OcpVersion | undefined,
  report: Report,
): void {
  const since02 = version === "0.2" || version === "0.3";
  checkDuplicates(index, since02, report);
  checkNodeGroups(index, report);
  checkEdges(index, since02, report);
  checkOrder(index, report);
  checkGroupParents(index, report);
  const producer = textAt(document, "producer", "name") ?? "";
  checkAttempts(index, { since02, since03: version === "0.3", producer }, report);
  if (since02) checkArtifacts(index, report);
}

function versionMessage(document: unknown): string {
  const versions = OCP_VERSIONS.join(", ");
  if (has(document, "ocp")) return `not one of the versions ${versions}`;
  const isContract = has(document, "run") && has(document, "tasks");
  const hint = isContract
    ? "; this looks like a contract run file, which `loopwright ocp migrate` converts"
    : "";
  return `missing; one of ${versions} is required${hint}`;
}
