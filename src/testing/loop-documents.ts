import fc from "fast-check";
import type { JsonObject } from "../core/canonical-json.ts";

/**
 * Any document that a JSON Schema of our making allows: types, words, required and optional members. It says nothing
 * about what the members mean together.
 */
export function documentsOf(
  schema: JsonObject,
  texts: fc.Arbitrary<string> = fc.string(),
): fc.Arbitrary<unknown> {
  const { oneOf, enum: words, const: only } = schema;
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map((one) => documentsOf(one as JsonObject, texts)));
  if (Array.isArray(words)) return fc.constantFrom(...(words as readonly string[]));
  if (only !== undefined) return fc.constant(only);
  switch (schema["type"]) {
    case "string":
      return texts;
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: 0, max: 1e9 });
    case "number":
      return fc
        .double({ noNaN: true, noDefaultInfinity: true, ...boundsOf(schema) })
        .map((number) => (Object.is(number, -0) ? 0 : number));
    case "array":
      return fc.array(documentsOf(schema["items"] as JsonObject, texts), { maxLength: 2 });
    default:
      return objectsOf(schema, texts);
  }
}

function boundsOf({ minimum, maximum }: JsonObject): { readonly min?: number; readonly max?: number } {
  return {
    ...(typeof minimum === "number" && { min: minimum }),
    ...(typeof maximum === "number" && { max: maximum }),
  };
}

function objectsOf(schema: JsonObject, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required } = schema;
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    const keys = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
    return fc.dictionary(keys, documentsOf(additionalProperties as JsonObject, texts), { maxKeys: 2 });
  }
  const members = Object.entries((properties ?? {}) as JsonObject)
    // Two spellings of one key exclude each other, which the schema does not say.
    .filter(([key]) => !["pieces", "per_piece", "max_revisions_per_piece"].includes(key))
    .map(([key, member]) => [key, documentsOf(member as JsonObject, texts)] as const);
  const requiredKeys = Array.isArray(required) ? (required as readonly string[]) : [];
  return fc.record(Object.fromEntries(members), { requiredKeys: [...requiredKeys], noNullPrototype: true });
}
