import type { CommandInput } from "./types.ts";

export interface FlagReader {
  is(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  count(name: string): number | undefined;
}

/** The flags of one command, read by kind. The face has parsed and checked them already. */
export function readFlags(input: CommandInput): FlagReader {
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

/** A whole path without `.` and `..`, lexically: links are not looked at. */
export function plainPath(cwd: string, path: string): string {
  const parts: string[] = [];
  for (const part of wholePath(cwd, path).split(/[/\\]/)) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  const isDrive = /^[A-Za-z]:$/.test(parts[0] ?? "");
  return `${isDrive ? "" : "/"}${parts.join("/")}`;
}

/** A path as the user gave it, from the working folder on. */
export function wholePath(cwd: string, path: string): string {
  return /^([/\\]|[A-Za-z]:)/.test(path) ? path : `${cwd}/${path}`;
}
