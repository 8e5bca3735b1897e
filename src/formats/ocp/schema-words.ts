/** Short words to write a schema with. */
import type { Schema } from "./schema.ts";

export const bool: Schema = { type: "boolean" };
export const tokens: Schema = { type: "integer", minimum: 0 };

export function text(maxLength: number, recommended?: readonly string[]): Schema {
  return { type: "string", maxLength, ...(recommended && { "x-recommended": recommended }) };
}

export function count(minimum: number): Schema {
  return { type: "integer", minimum };
}

export function nullable(type: "string" | "number" | "integer", maxLength?: number): Schema {
  return { type: [type, "null"], ...(maxLength !== undefined && { maxLength }) };
}

export function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

/** An object of the protocol: nearly all of them take `ext`. */
export function object(
  required: readonly string[],
  properties: Readonly<Record<string, Schema>>,
  takesExt = true,
): Schema {
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: { ...properties, ...(takesExt && { ext: ref("ext") }) },
  };
}
