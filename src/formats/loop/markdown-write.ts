import { fail, ok, type Result } from "../../core/result.ts";
import { SECTIONS, type Section } from "./markdown-sections.ts";
import { valueNode } from "./markdown-value.ts";
import type { Marked } from "./marked.ts";

type Yaml = typeof import("yaml");

/** What a document holds, without places. */
export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };
type PlainMap = Extract<Plain, { readonly [key: string]: Plain }>;

/** Explicit nulls are absent keys, and the line breaks that a block text ends with are not part of it. */
export function plainOf(node: Marked): Plain | undefined {
  switch (node.kind) {
    case "scalar":
      if (node.value === null) return undefined;
      return typeof node.value === "string" ? node.value.replace(/\n+$/, "") : node.value;
    case "list":
      return node.items.flatMap((item) => plainOf(item) ?? []);
    case "map":
      return Object.fromEntries(
        [...node.entries].flatMap(([key, { value }]) => {
          const plain = plainOf(value);
          return plain === undefined ? [] : [[key, plain] as const];
        }),
      );
  }
}

/** A document of the 1.0 grammar as Markdown. Problem: `bad-markdown` when a heading cannot say what it must. */
export function writeMarkdown(yaml: Yaml, root: Plain): Result<string> {
  const writer = new MarkdownWriter(yaml);
  const text = writer.write(isMap(root) ? root : {});
  const [bad] = writer.unfit;
  if (bad === undefined) return ok(text);
  return fail("bad-markdown", `${JSON.stringify(bad)} cannot be a heading`, {
    hint: "a name of one line, without blanks around it, can",
  });
}

class MarkdownWriter {
  /** Names that no heading can hold. */
  readonly unfit: string[] = [];
  readonly #yaml: Yaml;

  constructor(yaml: Yaml) {
    this.#yaml = yaml;
  }

  write(root: PlainMap): string {
    const { name = "", intent: _intent, execution: _execution, safety: _safety, evolution: _, ...top } = root;
    const blocks = [`# ${this.#heading(name)}`, this.#bullets(top)];
    for (const section of SECTIONS) {
      const content = section.path.reduce<Plain | undefined>((at, key) => memberOf(at, key), root);
      if (content !== undefined) blocks.push(`## ${section.title}`, ...this.#section(section, content));
    }
    return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
  }

  #section({ entries }: Section, content: Plain): readonly string[] {
    if (entries === undefined) return isMap(content) ? [this.#bullets(content)] : [];
    if (isList(content)) return content.map((entry) => this.#entry(entry, entries.heading));
    if (!isMap(content) || entries.list === undefined) return [];
    const key = entries.list === "nodes" && content["nodes"] === undefined ? "pieces" : entries.list;
    const { [key]: list, ...others } = content;
    if (list === undefined || !isList(list)) return [this.#bullets(others)];
    const empty = list.length === 0 ? { [entries.list]: list } : {};
    return [
      this.#bullets({ ...others, ...empty }),
      ...list.map((entry) => this.#entry(entry, entries.heading)),
    ];
  }

  #entry(entry: Plain, heading: string): string {
    if (!isMap(entry)) return "";
    const [key = heading, member] = heading.split(".");
    const { [key]: title = "", ...others } = entry;
    const bullets =
      member === undefined ? this.#bullets(others) : this.#withoutMember(others, key, member, title);
    const stated = member === undefined ? title : memberOf(title, member);
    return [`### ${this.#heading(stated ?? "")}`, bullets].filter((part) => part !== "").join("\n");
  }

  #withoutMember(others: PlainMap, key: string, member: string, owner: Plain): string {
    if (!isMap(owner)) return this.#bullets(others);
    const { [member]: _stated, ...rest } = owner;
    return this.#bullets(Object.keys(rest).length === 0 ? others : { [key]: rest, ...others });
  }

  #heading(value: Plain): string {
    const text = String(value);
    if (typeof value !== "string" || text === "" || text !== text.trim() || /[\r\n]/.test(text)) {
      this.unfit.push(text);
    }
    return text;
  }

  #bullets(map: PlainMap, indent = ""): string {
    return Object.entries(map)
      .map(([key, value]) => this.#bullet(key, value, indent))
      .join("\n");
  }

  #bullet(key: string, value: Plain, indent: string): string {
    if (isMap(value)) {
      const keys = Object.keys(value);
      const canNest = keys.length > 0 && keys.every((one) => /^[^\s:]+$/.test(one));
      return canNest
        ? `${indent}- ${key}:\n${this.#bullets(value, `${indent}  `)}`
        : `${indent}- ${key}: ${JSON.stringify(value)}`;
    }
    if (typeof value !== "string") return `${indent}- ${key}: ${JSON.stringify(value)}`;
    if (canContinue(value)) return `${indent}- ${key}: ${value.replaceAll("\n", `\n${indent}  `)}`;
    return `${indent}- ${key}: ${this.#isReadBack(value) ? value : JSON.stringify(value)}`;
  }

  /** Quotes only where the text would be read as something else. */
  #isReadBack(text: string): boolean {
    // Other readers of the form take what follows a "#" for a comment.
    if (text === "" || text !== text.trim() || /[\r\n]|(^|\s)#/.test(text)) return false;
    const node = valueNode(this.#yaml, text);
    return this.#yaml.isScalar(node) && node.value === text;
  }
}

/** A text of several lines that needs no quotes: none is empty, indented, or looks like a bullet. */
function canContinue(text: string): boolean {
  const lines = text.split("\n");
  return (
    lines.length > 1 && lines.every((line) => line !== "" && line === line.trim() && !/^-(\s|$)/.test(line))
  );
}

function memberOf(value: Plain | undefined, key: string): Plain | undefined {
  return value !== undefined && isMap(value) ? value[key] : undefined;
}

function isMap(value: Plain): value is PlainMap {
  return typeof value === "object" && !Array.isArray(value);
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}
