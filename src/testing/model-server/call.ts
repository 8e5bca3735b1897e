import type { Reply, Turn } from "./script.ts";

/** What the server needs to know of a request, whichever API it came by. */
export interface Call {
  readonly model: string;
  readonly stream: boolean;
  readonly turns: readonly Turn[];
  /** Names of the tools that the agent offers. */
  readonly tools: readonly string[];
}

export interface Answer {
  readonly reply: Extract<Reply, { kind: "answer" }>;
  readonly model: string;
  readonly call: Call;
  /** Makes ids unique and repeatable. */
  readonly serial: number;
}

export type Loose = Readonly<Record<string, unknown>>;

/** A JSON object or an empty one: agents' requests are read for a few members only. */
export function loose(value: unknown): Loose {
  return isLoose(value) ? value : {};
}

export function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function looseList(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.filter(isLoose) : [];
}

export function parseLoose(body: string): Loose {
  try {
    return loose(JSON.parse(body));
  } catch {
    return {};
  }
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Text of a message's content: a string, or blocks of which some hold text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return looseList(content)
    .map((block) => text(block["text"]))
    .join("\n");
}

/** Ids of the length that the real services use. */
export function serialId(prefix: string, serial: number, part = 0): string {
  return `${prefix}${String(serial).padStart(16, "0")}${String(part).padStart(4, "0")}`;
}
