import * as v from "valibot";

/** Reads JSON against a schema; undefined when the text is no JSON or has another shape. */
export function readJson<T>(schema: v.GenericSchema<unknown, T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    const result = v.safeParse(schema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
