/** The part of JSON Schema (draft 2020-12) that the run document needs, and its check. */
import { byCodePoint, canonicalJson, type Json } from "../../core/canonical-json.ts";
import type { Path } from "./finding.ts";
import { asMembers, dig, type Members } from "./members.ts";

type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: Json;
  readonly enum?: readonly string[];
  readonly default?: Json;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  /** Open vocabulary: other words draw a warning at most. */
  readonly "x-recommended"?: readonly string[];
}

export interface SchemaBreach {
  readonly path: Path;
  readonly message: string;
}

/** Every breach of `schema` by `value`, ordered by path. `value` must be JSON of bounded depth. */
export function breaches(schema: Schema, value: unknown): readonly SchemaBreach[] {
  const found: SchemaBreach[] = [];
  new Checker(schema.$defs ?? {}, found).check(schema, value);
  return found.sort((a, b) => comparePaths(a.path, b.path));
}

function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const left = a[i] ?? "";
    const right = b[i] ?? "";
    const order =
      typeof left === "number" && typeof right === "number"
        ? left - right
        : byCodePoint(String(left), String(right));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

class Checker {
  readonly #defs: Readonly<Record<string, Schema>>;
  readonly #found: SchemaBreach[];
  /** Where the check is; copied only into a report, of which a good document has none. */
  readonly #path: (string | number)[] = [];

  constructor(defs: Readonly<Record<string, Schema>>, found: SchemaBreach[]) {
    this.#defs = defs;
    this.#found = found;
  }

  check(schema: Schema, value: unknown): void {
    if (schema.$ref !== undefined) this.check(this.#resolve(schema.$ref), value);
    if (schema.type !== undefined && !isOneOf(value, schema.type)) {
      this.#report(`expected ${[schema.type].flat().join(" or ")}, got ${typeName(value)}`);
    }
    if (schema.const !== undefined && value !== schema.const) {
      this.#report(`expected ${JSON.stringify(schema.const)}`);
    }
    if (schema.enum !== undefined && !(typeof value === "string" && schema.enum.includes(value))) {
      this.#report(`expected one of ${schema.enum.join(", ")}`);
    }
    if (typeof value === "string") this.#text(schema, value);
    if (typeof value === "number") this.#number(schema, value);
    if (Array.isArray(value)) this.#list(schema, value);
    const members = asMembers(value);
    if (members !== undefined) this.#object(schema, members);
    if (schema.anyOf !== undefined && !schema.anyOf.some((one) => this.#fits(one, value))) {
      this.#report("fits none of the shapes allowed here");
    }
    if (schema.if !== undefined && schema.then !== undefined && this.#fits(schema.if, value)) {
      this.check(schema.then, value);
    }
  }

  #text(schema: Schema, value: string): void {
    if (schema.minLength !== undefined && value.length < schema.minLength) {
      this.#report("must not be empty");
    }
    // There are never more characters than UTF-16 units.
    if (
      schema.maxLength !== undefined &&
      value.length > schema.maxLength &&
      lengthOf(value) > schema.maxLength
    ) {
      this.#report(`longer than ${schema.maxLength} characters`);
    }
    if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value)) {
      this.#report(`does not match ${schema.pattern}`);
    }
  }

  #number(schema: Schema, value: number): void {
    if (schema.minimum !== undefined && value < schema.minimum) {
      this.#report(`less than ${schema.minimum}`);
    }
    if (schema.maximum !== undefined && value > schema.maximum) {
      this.#report(`greater than ${schema.maximum}`);
    }
  }

  #list(schema: Schema, list: readonly unknown[]): void {
    if (schema.minItems !== undefined && list.length < schema.minItems) {
      this.#report(`needs at least ${schema.minItems} item(s)`);
    }
    if (schema.maxItems !== undefined && list.length > schema.maxItems) {
      this.#report(`takes at most ${schema.maxItems} item(s)`);
    }
    if (schema.uniqueItems === true && hasRepeats(list)) this.#report("items repeat");
    for (const [index, item] of list.entries()) {
      const one = schema.prefixItems?.[index] ?? schema.items;
      if (one !== undefined) this.#below(one, item, index);
    }
  }

  #object(schema: Schema, members: Members): void {
    for (const key of schema.required ?? []) {
      if (dig(members, key) === undefined) this.#report(`lacks the required member '${key}'`);
    }
    const { properties: known, additionalProperties } = schema;
    if (known === undefined && additionalProperties === undefined) return;
    for (const key of Object.keys(members)) {
      const value = members[key];
      if (value === undefined) continue;
      const one = known !== undefined && Object.hasOwn(known, key) ? known[key] : additionalProperties;
      if (one !== undefined) this.#below(one, value, key);
    }
  }

  #fits(schema: Schema, value: unknown): boolean {
    const found: SchemaBreach[] = [];
    new Checker(this.#defs, found).check(schema, value);
    return found.length === 0;
  }

  #resolve(ref: string): Schema {
    return this.#defs[ref.slice("#/$defs/".length)] ?? {};
  }

  #below(schema: Schema, value: unknown, step: string | number): void {
    this.#path.push(step);
    this.check(schema, value);
    this.#path.pop();
  }

  #report(message: string): void {
    this.#found.push({ path: [...this.#path], message });
  }
}

function isOneOf(value: unknown, types: TypeName | readonly TypeName[]): boolean {
  const name = typeName(value);
  if (typeof types === "string") return isType(name, types);
  return types.some((type) => isType(name, type));
}

function isType(name: TypeName, type: TypeName): boolean {
  return type === name || (type === "number" && name === "integer");
}

function typeName(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "object";
}

const PATTERNS = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const known = PATTERNS.get(source);
  if (known !== undefined) return known;
  const made = new RegExp(source, "u");
  PATTERNS.set(source, made);
  return made;
}

/** Characters as JSON Schema counts them: code points. */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function hasRepeats(list: readonly unknown[]): boolean {
  return new Set(list.map((item) => canonicalJson(item as Json))).size < list.length;
}
