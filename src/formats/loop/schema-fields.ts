import type { Json, JsonObject } from "../../core/canonical-json.ts";
import type { Fields, NumberBounds } from "./fields.ts";

/** Answers the grammar's questions with stand-ins and writes down what was asked: a JSON Schema. */
export class SchemaFields implements Fields {
  readonly path = "";
  readonly #properties = new Map<string, JsonObject>();
  readonly #required = new Set<string>();
  readonly #variants: JsonObject[] = [];
  /** Spellings of a key that mean the same, with the one that is asked for. */
  readonly #spellings = new Map<string, string>();

  static schemaOf(read: (fields: Fields) => unknown): JsonObject {
    const fields = new SchemaFields();
    read(fields);
    return fields.#schema();
  }

  at(key: string): string {
    return key;
  }

  has(): boolean {
    return false;
  }

  text(key: string, fallback?: string): string {
    return this.#add(key, { type: "string" }, fallback, "");
  }

  optionalText(key: string): string | undefined {
    this.#add(key, { type: "string" }, "", "", true);
    return undefined;
  }

  texts(key: string, fallback: readonly string[] = []): readonly string[] {
    return this.#add(key, { type: "array", items: { type: "string" } }, fallback, []);
  }

  flag(key: string, fallback?: boolean): boolean {
    return this.#add(key, { type: "boolean" }, fallback, false);
  }

  number(key: string, fallback?: number, { atLeast, atMost }: NumberBounds = {}): number {
    const bounds = {
      ...(atLeast !== undefined && { minimum: atLeast }),
      ...(atMost !== undefined && { maximum: atMost }),
    };
    return this.#add(key, { type: "number", ...bounds }, fallback, 0);
  }

  whole(key: string, fallback?: number): number {
    return this.#add(key, { type: "integer", minimum: 0 }, fallback, 0);
  }

  optional<T>(key: string, read: (key: string) => T): T | undefined {
    read(key);
    this.#required.delete(key);
    return undefined;
  }

  word<W extends string>(key: string, words: readonly W[], fallback?: W): W {
    return this.#add(key, { enum: [...words] }, fallback, fallback ?? (words[0] as W));
  }

  words<W extends string>(key: string, words: readonly W[], fallback: readonly W[] = []): readonly W[] {
    return this.#add(key, { type: "array", items: { enum: [...words] } }, fallback, []);
  }

  maps<T>(key: string, read: (fields: Fields) => T): readonly T[] {
    this.#set(key, { type: "array", items: SchemaFields.schemaOf(read) });
    return [];
  }

  map<T>(key: string, read: (fields: Fields) => T, missing?: string): T {
    const fields = new SchemaFields();
    const value = read(fields);
    this.#set(key, fields.#schema());
    if (missing !== undefined) this.#required.add(key);
    return value;
  }

  byName<T>(key: string, read: (fields: Fields) => T): ReadonlyMap<string, T> {
    this.#set(key, { type: "object", additionalProperties: SchemaFields.schemaOf(read) });
    return new Map();
  }

  variant<W extends string, T>(
    tag: string,
    branches: Readonly<Record<W, (fields: Fields) => T>>,
    fallback?: NoInfer<W>,
  ): T {
    const words = Object.keys(branches) as W[];
    for (const word of words) {
      const fields = new SchemaFields();
      fields.#set(tag, { const: word, ...(word === fallback && { default: word }) });
      if (word !== fallback) fields.#required.add(tag);
      branches[word](fields);
      this.#variants.push(fields.#schema());
    }
    return branches[fallback ?? (words[0] as W)](new SchemaFields());
  }

  spelling(ours: string, theirs: string): string {
    this.#spellings.set(theirs, ours);
    return theirs;
  }

  refuse(): void {}

  #add<T extends Json>(
    key: string,
    schema: JsonObject,
    fallback: T | undefined,
    standIn: T,
    isOptional = false,
  ): T {
    const isDefault = fallback !== undefined && !isOptional;
    this.#set(key, { ...schema, ...(isDefault && { default: fallback }) });
    if (fallback === undefined) this.#required.add(key);
    return fallback ?? standIn;
  }

  #set(key: string, schema: JsonObject): void {
    this.#properties.set(key, schema);
    const other = this.#spellings.get(key);
    if (other !== undefined) this.#properties.set(other, schema);
  }

  #schema(): JsonObject {
    if (this.#variants.length > 0) return { oneOf: this.#variants };
    return {
      type: "object",
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.size > 0 && { required: [...this.#required] }),
      additionalProperties: false,
    };
  }
}
