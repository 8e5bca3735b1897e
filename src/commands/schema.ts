/** The part of JSON Schema that command outputs need, as plain data: no library is loaded for it. */
export type JsonSchema = { readonly [key: string]: unknown };

export const text: JsonSchema = { type: "string" };
export const flag: JsonSchema = { type: "boolean" };
export const whole: JsonSchema = { type: "integer" };
export const number: JsonSchema = { type: "number" };
export const anything: JsonSchema = {};
export const nothing: JsonSchema = { type: "null" };

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, nothing] };
}
/** Any one of several answers. */
export function either(...schemas: readonly JsonSchema[]): JsonSchema {
  return { anyOf: schemas };
}
export function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}
export function oneOf(...values: readonly string[]): JsonSchema {
  return { enum: values };
}

/** An object with exactly these members; names that end in `?` may be absent. */
export function object(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entries = Object.entries(members);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

/** The envelope of a `--json` answer: `{"schema":"loopwright.<command>/1","ok":true,...}`. */
export function answer(command: string, members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object({ schema: { const: `loopwright.${command}/1` }, ok: { const: true }, ...members });
}
