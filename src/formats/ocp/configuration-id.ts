import type { Json } from "../../core/canonical-json.ts";
import { byCodePoint } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import type { NumberTexts } from "./json-text.ts";
import { asList, asMembers, asText, dig, has, type Members } from "./members.ts";
import { pythonJson } from "./python-json.ts";

/** Finds the workflow that a reference names; undefined when it is not known. */
export type WorkflowLookup = (ref: string, version: number | undefined) => unknown;

/**
 * The canonical id of a configuration: `cfg_` and 12 hex digits of a SHA-256 over what decides how the work
 * is done (pieces, artifacts, edges, control, settings), not over titles, versions or extensions. Undefined
 * when the shape is malformed or a reference is unknown. `numbers` carries the written form of numbers, where
 * the text is known.
 */
export function configurationId(
  configuration: unknown,
  numbers: NumberTexts = new WeakMap(),
  lookup: WorkflowLookup = () => undefined,
): string | undefined {
  const workflow = new Canonical(numbers, lookup).workflow(dig(configuration, "workflow"));
  const settings = canonicalSettings(dig(configuration, "settings") ?? {});
  if (workflow === undefined || settings === undefined) return undefined;
  const text = pythonJson({ settings, workflow }, numbers);
  return text === undefined ? undefined : `cfg_${sha256(text).slice(0, 12)}`;
}

/** A reference has `ref` and no `pieces`. */
export function isWorkflowRef(workflow: unknown): boolean {
  return has(workflow, "ref") && !has(workflow, "pieces");
}

class Canonical {
  readonly #numbers: NumberTexts;
  readonly #lookup: WorkflowLookup;

  constructor(numbers: NumberTexts, lookup: WorkflowLookup) {
    this.#numbers = numbers;
    this.#lookup = lookup;
  }

  workflow(value: unknown, open: readonly string[] = []): Json | undefined {
    if (isWorkflowRef(value)) return this.#named(value, open);
    if (asMembers(value) === undefined) return undefined;
    const pieces = each(dig(value, "pieces"), (piece) => this.#piece(piece, open));
    const artifacts = each(dig(value, "artifacts"), (artifact) => ({
      id: json(dig(artifact, "id")),
      ...(has(artifact, "kind") && { kind: json(dig(artifact, "kind")) }),
    }));
    const edges = canonicalEdges(dig(value, "edges"));
    const control = this.#control(dig(value, "control") ?? {});
    if (pieces === undefined || artifacts === undefined) return undefined;
    if (edges === undefined || control === undefined) return undefined;
    return { pieces: sortById(pieces), artifacts: sortById(artifacts), edges, control };
  }

  #named(value: unknown, open: readonly string[]): Json | undefined {
    const ref = asText(dig(value, "ref"));
    const version = dig(value, "version");
    // A workflow that names itself has no finite form.
    if (ref === undefined || open.includes(ref)) return undefined;
    const found = this.#lookup(ref, typeof version === "number" ? version : undefined);
    return found === undefined ? undefined : this.workflow(found, [...open, ref]);
  }

  #piece(piece: Members, open: readonly string[]): Members | undefined {
    const nested = has(piece, "workflow") ? this.workflow(dig(piece, "workflow"), open) : undefined;
    if (has(piece, "workflow") && nested === undefined) return undefined;
    const made: Members = {
      id: json(dig(piece, "id")),
      width: json(dig(piece, "width") ?? 1),
      ...(has(piece, "role") && { role: json(dig(piece, "role")) }),
      ...(nested !== undefined && { workflow: nested }),
    };
    this.#keepTexts(piece, made, ["width"]);
    return made;
  }

  #control(control: unknown): Json | undefined {
    if (asMembers(control) === undefined) return undefined;
    const rescue = asMembers(dig(control, "rescue"));
    const gateRules = dig(control, "ext", "dev.loopmath.gate_rules");
    const made = {
      gates: (asList(dig(control, "gates")) ?? [])
        .filter((gate) => typeof gate === "string")
        .sort(byCodePoint),
      repair: json(dig(control, "repair") ?? {}),
      budget: this.#budget(control),
      ...(rescue !== undefined && {
        rescue: {
          ...(has(rescue, "kind") && { kind: json(dig(rescue, "kind")) }),
          ...(has(rescue, "ref") && { ref: json(dig(rescue, "ref")) }),
        },
      }),
      ...(isTruthy(gateRules) && { gate_rules: json(gateRules) }),
    };
    this.#keepTexts(asMembers(dig(control, "ext")), made, [["dev.loopmath.gate_rules", "gate_rules"]]);
    return made;
  }

  /** A number written with a fraction, even `2.0`, is no integer here. */
  #budget(control: unknown): number {
    const budget = dig(control, "budget");
    const members = asMembers(control);
    const written = members === undefined ? undefined : this.#numbers.get(members)?.get("budget");
    const isInteger = typeof budget === "number" && Number.isInteger(budget) && written === undefined;
    return isInteger ? Math.max(1, budget) : 1;
  }

  /** A rebuilt object inherits the written form of the numbers it took over. */
  #keepTexts(
    from: Members | undefined,
    to: object,
    keys: readonly (string | readonly [string, string])[],
  ): void {
    const texts = from === undefined ? undefined : this.#numbers.get(from);
    if (texts === undefined) return;
    const kept = new Map<string, string>();
    for (const key of keys) {
      const [source, target] = typeof key === "string" ? [key, key] : key;
      const text = texts.get(source);
      if (text !== undefined) kept.set(target, text);
    }
    this.#numbers.set(to, kept);
  }
}

function canonicalEdges(edges: unknown): Json | undefined {
  if (edges === undefined) return [];
  const list = asList(edges);
  if (list === undefined) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const edge of list) {
    const [from, to, ...more] = asList(edge) ?? [];
    if (typeof from !== "string" || typeof to !== "string" || more.length > 0) return undefined;
    pairs.push([from, to]);
  }
  return pairs.sort((a, b) => byCodePoint(a[0], b[0]) || byCodePoint(a[1], b[1]));
}

function canonicalSettings(settings: unknown): Json | undefined {
  const members = asMembers(settings);
  if (members === undefined) return undefined;
  const made: Record<string, Json> = {};
  for (const key of Object.keys(members)) {
    const setting = asMembers(members[key]);
    if (setting === undefined) return undefined;
    const value = {
      harness: json(dig(setting, "harness") ?? null),
      model: modelName(dig(setting, "model")),
      effort: json(withDefault(dig(setting, "effort"), "default")),
      context_policy: json(withDefault(dig(setting, "context_policy"), "fresh")),
      options: json(asMembers(dig(setting, "options")) ?? {}),
    };
    Object.defineProperty(made, key, { value, enumerable: true });
  }
  return made;
}

/** An explicit null stays: a default stands in for an absent key only. */
function withDefault(value: unknown, absent: string): unknown {
  return value === undefined ? absent : value;
}

function modelName(model: unknown): string | null {
  for (const name of [dig(model, "id"), dig(model, "raw"), model]) {
    if (typeof name === "string" && name !== "") return name;
  }
  return typeof model === "string" ? model : null;
}

/** The objects of a list, each rebuilt; undefined when the list is none or a rebuild fails. */
function each(list: unknown, rebuild: (item: Members) => Members | undefined): Members[] | undefined {
  if (list === undefined) return [];
  const items = asList(list);
  if (items === undefined) return undefined;
  const made: Members[] = [];
  for (const item of items) {
    const members = asMembers(item);
    if (members === undefined) continue;
    const rebuilt = rebuild(members);
    if (rebuilt === undefined) return undefined;
    made.push(rebuilt);
  }
  return made;
}

function sortById(items: readonly Members[]): Json {
  return json([...items].sort((a, b) => byCodePoint(String(a["id"]), String(b["id"]))));
}

function isTruthy(value: unknown): boolean {
  if (asList(value) !== undefined) return (asList(value) ?? []).length > 0;
  const members = asMembers(value);
  return members === undefined ? Boolean(value) : Object.keys(members).length > 0;
}

/** Everything here was read from JSON. */
function json(value: unknown): Json {
  return (value ?? null) as Json;
}
