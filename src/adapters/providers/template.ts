const PLACEHOLDER = /\{(prompt|system|model|piece|node|tier)\}/g;
export type Placeholder = "prompt" | "system" | "model" | "piece" | "node" | "tier";

/**
 * Fills placeholders in one pass over the template: text that is put in is never looked at again, and what is no
 * placeholder of ours stays as it is. A placeholder without a value becomes empty.
 */
export function fillTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replace(PLACEHOLDER, (_whole, name: Placeholder) => values[name]);
}

export function holdsPlaceholder(template: string, name?: Placeholder): boolean {
  return name === undefined ? template.search(PLACEHOLDER) >= 0 : template.includes(`{${name}}`);
}

/** For agents that take one text only: what binds them stands before what they are to do. */
export function joinSystem(system: string, prompt: string): string {
  return system === "" ? prompt : `${system}\n\n${prompt}`;
}
