/** YAML 1.2 as a tree whose every node knows its line and column. */
import type { LineCounter, Node } from "yaml";
import type { Problem } from "../../core/result.ts";

export type Scalar = string | number | boolean | null;
export type Marked =
  | { readonly kind: "scalar"; readonly at: string; readonly value: Scalar }
  | { readonly kind: "list"; readonly at: string; readonly items: readonly Marked[] }
  | {
      readonly kind: "map";
      readonly at: string;
      readonly entries: ReadonlyMap<string, { readonly keyAt: string; readonly value: Marked }>;
    };

/** Aliases can make a short text huge: what they expand to counts, too. */
const MAX_NODES = 50_000;
const MAX_DEPTH = 64;

/**
 * Reads one YAML document; its problems are all `bad-yaml`. Duplicate keys, unknown tags and texts that grow
 * beyond all measure are refused. The parser is loaded on first use, so that commands without YAML do not pay
 * for it.
 */
export async function readYaml(
  text: string,
  file: string,
): Promise<{ readonly root: Marked | undefined; readonly problems: readonly Problem[] }> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    version: "1.2",
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
  });
  const problems = [...document.errors, ...document.warnings].map(
    ({ message, pos }): Problem => ({
      code: "bad-yaml",
      message: firstLine(message),
      at: place(lines, file, pos[0]),
    }),
  );
  if (problems.length > 0) return { root: undefined, problems };
  try {
    const marker = new Marker(yaml, lines, file);
    return { root: marker.mark(document.contents, 0), problems: [] };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { root: undefined, problems: [{ code: "bad-yaml", message: error.message, at: error.at }] };
  }
}

function firstLine(message: string): string {
  const line = message.split("\n")[0] ?? "";
  return line.charAt(0).toLowerCase() + line.slice(1);
}

function place(lines: LineCounter, file: string, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}

class TooLarge extends Error {
  readonly at: string;

  constructor(message: string, at: string) {
    super(message);
    this.at = at;
  }
}

class Marker {
  readonly #yaml: typeof import("yaml");
  readonly #lines: LineCounter;
  readonly #file: string;
  /** The library's own look-up walks the whole document for each alias. */
  readonly #anchors = new Map<string, Node>();
  readonly #seen = new WeakSet<Node>();
  #nodes = 0;

  constructor(yaml: typeof import("yaml"), lines: LineCounter, file: string) {
    this.#yaml = yaml;
    this.#lines = lines;
    this.#file = file;
  }

  mark(node: Node | null, depth: number): Marked {
    const at = place(this.#lines, this.#file, node?.range?.[0] ?? 0);
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new TooLarge(`more than ${MAX_NODES} values, aliases expanded`, at);
    if (depth > MAX_DEPTH) throw new TooLarge(`nested deeper than ${MAX_DEPTH} levels`, at);
    const { isAlias, isMap, isSeq } = this.#yaml;
    if (isAlias(node)) return this.mark(this.#anchors.get(node.source) ?? null, depth + 1);
    if (node !== null) this.#remember(node);
    if (isMap(node)) return { kind: "map", at, entries: this.#entries(node.items, depth) };
    if (isSeq(node)) {
      return { kind: "list", at, items: node.items.map((item) => this.mark(asNode(item), depth + 1)) };
    }
    return { kind: "scalar", at, value: scalarOf(node) };
  }

  /** An anchor may be used again: the nearest one before an alias counts. */
  #remember(node: Node): void {
    if (this.#seen.has(node)) return;
    this.#seen.add(node);
    const anchor = "anchor" in node ? node.anchor : undefined;
    if (typeof anchor === "string") this.#anchors.set(anchor, node);
  }

  #entries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    depth: number,
  ): Extract<Marked, { readonly kind: "map" }>["entries"] {
    const entries = new Map<string, { readonly keyAt: string; readonly value: Marked }>();
    for (const { key, value } of pairs) {
      const name = this.#yaml.isScalar(key) ? String(key.value) : "";
      const range = this.#yaml.isNode(key) ? key.range : undefined;
      const keyAt = place(this.#lines, this.#file, range?.[0] ?? 0);
      entries.set(name, { keyAt, value: this.mark(asNode(value), depth + 1) });
    }
    return entries;
  }
}

function asNode(value: unknown): Node | null {
  return typeof value === "object" ? (value as Node | null) : null;
}

function scalarOf(node: Node | null): Scalar {
  const value = node !== null && "value" in node ? node.value : null;
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    default:
      return value === null || value === undefined ? null : String(value);
  }
}
