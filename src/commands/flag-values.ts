import type { CommandInput } from "./types.ts";

/** The flags of one command, read by kind. The face has parsed and checked them already. */
export function readFlags(input: CommandInput): {
  is(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  count(name: string): number | undefined;
} {
  const { flags } = input;
  return {
    is: (name) => flags[name] === true,
    text: (name) => {
      const value = flags[name];
      return typeof value === "string" ? value : undefined;
    },
    texts: (name) => {
      const value = flags[name];
      return Array.isArray(value) ? (value as readonly string[]) : [];
    },
    count: (name) => {
      const value = flags[name];
      return typeof value === "number" ? value : undefined;
    },
  };
}
