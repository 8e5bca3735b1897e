import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { contractToOcp, isContract } from "./contract.ts";
import { formatOcp } from "./format.ts";
import { type NumberTexts, readJson } from "./json-text.ts";
import { asList, asMembers, dig, has, type Members, textAt } from "./members.ts";
import { OCP_VERSIONS } from "./types.ts";
import { type OcpReport, validateOcp } from "./validate.ts";

export interface Migration {
  /** The version it came from, `contract` for a contract run file. */
  readonly from: string;
  readonly text: string;
  /** Of the result: without errors. */
  readonly report: OcpReport;
}

/** Tells the configuration that a document shows without naming it; what it says is a guess and marked as one. */
export type InferConfiguration = (document: Members, from: "ocp" | "contract") => Members | undefined;

/**
 * Brings a run document of an older version, or a contract run file, to 0.3. Idempotent; extensions and the written
 * form of numbers are kept. Without `infer`, or when it finds nothing, a missing configuration only says `habit`.
 * Problems: `bad-json`, `ocp-invalid` (no known version, or a result that breaks a rule).
 */
export function migrateOcp(input: string | Uint8Array, infer?: InferConfiguration): Result<Migration> {
  const read = readJson(input);
  if (!read.ok) return fail("bad-json", `not readable JSON: ${read.why}`);
  const value = asMembers(read.value);
  if (value === undefined) return fail("ocp-invalid", "the document is not an object");
  const fromContract = isContract(value);
  const document = fromContract ? contractToOcp(value) : value;
  const stated = textAt(document, "ocp");
  const version = OCP_VERSIONS.find((known) => known === stated);
  if (version === undefined) {
    return fail("ocp-invalid", `the document has none of the versions ${OCP_VERSIONS.join(", ")}`);
  }
  const origin = fromContract ? contractOrigin(value) : version;
  const inferred = has(dig(document, "run"), "configuration")
    ? undefined
    : infer?.(document, fromContract ? "contract" : "ocp");
  const migrated = new Upgrade(read.numbers).document(document, version, origin, inferred);
  const text = formatOcp(migrated as Json, read.numbers);
  const report = validateOcp(text);
  const error = report.findings.find(({ level }) => level === "error");
  if (error !== undefined) {
    return fail("ocp-invalid", `the result breaks a rule: ${error.code} ${error.message}`, {
      at: error.path,
    });
  }
  return ok({ from: fromContract ? "contract" : version, text, report });
}

function contractOrigin(contract: Members): string {
  const version = dig(contract, "dagr");
  return `dagr/${typeof version === "number" ? version : 1}`;
}

class Upgrade {
  readonly #numbers: NumberTexts;

  constructor(numbers: NumberTexts) {
    this.#numbers = numbers;
  }

  document(document: Members, version: string, origin: string, inferred: Members | undefined): Members {
    const run = this.#run(asMembers(dig(document, "run")) ?? {}, origin, inferred);
    const edges = asList(dig(document, "edges"));
    const isTiered = version !== "0.1" || edges === undefined;
    const placed = this.#placed({ ...document, run });
    const nodes = this.#vertices(placed);
    return this.#changed(document, {
      ocp: "0.3",
      run,
      ...(!isTiered && { edges: edges.map((edge) => this.#tiered(edge)) }),
      ...(nodes !== undefined && { nodes }),
      ...(has(placed, "attempts") && { attempts: dig(placed, "attempts") }),
    });
  }

  /**
   * Attempts that did model work execute the piece that the inferred configuration gives their node, and the node does
   * when all of its attempts did. Only where the record was made from sessions, not planned.
   */
  #placed(document: Members): Members {
    const pieceOf = asMembers(dig(document, "run", "configuration", "node_vertex"));
    const settings = asMembers(dig(document, "run", "configuration", "settings"));
    if (pieceOf === undefined || settings === undefined || !isMadeFromSessions(document)) return document;
    const pieceFor = (node: string | undefined): string | undefined => {
      const piece = node === undefined ? undefined : pieceOf[node];
      return typeof piece === "string" && Object.hasOwn(settings, piece) ? piece : undefined;
    };
    const nodes = asList(dig(document, "nodes")) ?? [];
    const attempts = asList(dig(document, "attempts")) ?? [];
    const open = new Set(nodes.filter((node) => !has(node, "vertex")).map((node) => textAt(node, "id")));
    const ofNode = (id: string | undefined): readonly unknown[] =>
      attempts.filter((attempt) => textAt(attempt, "node") === id);
    const given = (entity: unknown, piece: string | undefined): unknown => {
      const members = asMembers(entity);
      if (members === undefined || piece === undefined || has(members, "vertex")) return entity;
      return this.#changed(members, { vertex: piece });
    };
    return {
      ...document,
      nodes: nodes.map((node) => {
        const id = textAt(node, "id");
        const own = ofNode(id);
        return given(node, own.length > 0 && own.every(isModelWork) ? pieceFor(id) : undefined);
      }),
      attempts: attempts.map((attempt) => {
        const node = textAt(attempt, "node");
        return given(attempt, open.has(node) && isModelWork(attempt) ? pieceFor(node) : undefined);
      }),
    };
  }

  #tiered(edge: unknown): unknown {
    const members = asMembers(edge);
    return members === undefined || has(members, "tier")
      ? edge
      : this.#changed(members, { tier: "reported" });
  }

  #run(run: Members, origin: string, inferred: Members | undefined): Members {
    const ext = asMembers(dig(run, "ext")) ?? {};
    const isMarked = origin === "0.3" || has(ext, "dev.loopmath.migration");
    return this.#changed(run, {
      ...(!isMarked && { ext: this.#changed(ext, { "dev.loopmath.migration": { from: origin } }) }),
      ...(!has(run, "task") && taskOf(run)),
      ...(!has(run, "provenance") && { provenance: { kind: "logged", chooser: "habit" } }),
      ...(!has(run, "configuration") && { configuration: inferred ?? { source: "habit" } }),
    });
  }

  /** A node whose attempts agree on one role executes the piece of that name. */
  #vertices(document: Members): readonly unknown[] | undefined {
    const roles = new Map<string, Set<unknown>>();
    for (const attempt of asList(dig(document, "attempts")) ?? []) {
      const node = textAt(attempt, "node");
      if (node === undefined) continue;
      roles.set(node, (roles.get(node) ?? new Set()).add(textAt(attempt, "role", "value")));
    }
    return asList(dig(document, "nodes"))?.map((node) => {
      const members = asMembers(node);
      const [role, ...others] = roles.get(textAt(node, "id") ?? "") ?? [];
      const isAgreed = typeof role === "string" && others.length === 0;
      if (members === undefined || !isAgreed || has(members, "vertex")) return node;
      return this.#changed(members, { vertex: role });
    });
  }

  /** A copy with other members, that keeps the written form of its numbers. */
  #changed(members: Members, changes: Members): Members {
    const copy = { ...members, ...changes };
    const texts = this.#numbers.get(members);
    if (texts !== undefined) this.#numbers.set(copy, texts);
    return copy;
  }
}

const ADAPTERS = "pi opencode omp otel-genai paseo orca bb atrium".split(" ");

/** A migration of ours or another's, an adapter's document, or the export of a session graph. */
function isMadeFromSessions(document: Members): boolean {
  if (textAt(document, "run", "ext", "dev.loopmath.migration", "from") !== undefined) return true;
  const producer = textAt(document, "producer", "name") ?? "";
  const [, kind = "", name = ""] =
    /^(?:loopmath|dagr|loopwright)\/(graph|adapter-)(.*)$/.exec(producer) ?? [];
  return kind === "graph" || (kind === "adapter-" && ADAPTERS.includes(name));
}

/** Whether an attempt used a model: it names one, or spent something. */
function isModelWork(attempt: unknown): boolean {
  if (asMembers(dig(attempt, "model")) !== undefined) return true;
  return Object.entries(asMembers(dig(attempt, "cost")) ?? {}).some(
    ([key, value]) => (key === "usd" || key.endsWith("_tokens")) && typeof value === "number" && value > 0,
  );
}

/** What the labels of a run say about its task. */
function taskOf(run: Members): { readonly task?: JsonObject } {
  const label = (name: string) => textAt(run, "labels", name);
  const [task, type, repo] = [label("task"), label("type"), label("repo")];
  if (task === undefined && type === undefined && repo === undefined) return {};
  return {
    task: {
      id: task ?? textAt(run, "id") ?? "",
      ...(type !== undefined && { type }),
      ...(repo !== undefined && { repo }),
      labeled_by: { how: "inferred", tier: "heuristic" },
    },
  };
}
