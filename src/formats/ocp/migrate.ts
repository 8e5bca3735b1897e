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

/**
 * Brings a run document of an older version, or a contract run file, to 0.3. Idempotent; extensions and the written
 * form of numbers are kept. Which workflow an old run followed is not guessed: its configuration only says `habit`.
 * Problems: `bad-json`, `ocp-invalid` (no known version, or a result that breaks a rule).
 */
export function migrateOcp(input: string | Uint8Array): Result<Migration> {
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
  const migrated = new Upgrade(read.numbers).document(document, version, origin);
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

  document(document: Members, version: string, origin: string): Members {
    const run = this.#run(asMembers(dig(document, "run")) ?? {}, origin);
    const edges = asList(dig(document, "edges"));
    const isTiered = version !== "0.1" || edges === undefined;
    const nodes = this.#vertices(document);
    return this.#changed(document, {
      ocp: "0.3",
      run,
      ...(!isTiered && { edges: edges.map((edge) => this.#tiered(edge)) }),
      ...(nodes !== undefined && { nodes }),
    });
  }

  #tiered(edge: unknown): unknown {
    const members = asMembers(edge);
    return members === undefined || has(members, "tier")
      ? edge
      : this.#changed(members, { tier: "reported" });
  }

  #run(run: Members, origin: string): Members {
    const ext = asMembers(dig(run, "ext")) ?? {};
    const isMarked = origin === "0.3" || has(ext, "dev.loopmath.migration");
    return this.#changed(run, {
      ...(!isMarked && { ext: this.#changed(ext, { "dev.loopmath.migration": { from: origin } }) }),
      ...(!has(run, "task") && taskOf(run)),
      ...(!has(run, "provenance") && { provenance: { kind: "logged", chooser: "habit" } }),
      ...(!has(run, "configuration") && { configuration: { source: "habit" } }),
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
