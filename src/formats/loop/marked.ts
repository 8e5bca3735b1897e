/** A document as a tree whose every node knows its line and column. */
import type { Document, Node } from "yaml";

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

/** A document that grows beyond all measure. */
export class TooLarge extends Error {
  readonly at: string;

  constructor(message: string, at: string) {
    super(message);
    this.at = at;
  }
}

type Yaml = typeof import("yaml");

/**
 * What each alias stands for: the nearest anchor of its name before it. Taken before anything in the document is moved;
 * and the library's own look-up walks the whole document for each alias.
 */
export function aliasTargets(yaml: Yaml, document: Document): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  yaml.visit(document, {
    Alias: (_key, alias) => {
      const target = anchors.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** `place` turns an offset of the text into `file:line:column`. Throws `TooLarge`. */
export class Marker {
  readonly #yaml: Yaml;
  readonly #targets: ReadonlyMap<Node, Node>;
  readonly #place: (offset: number) => string;
  #nodes = 0;

  constructor(yaml: Yaml, targets: ReadonlyMap<Node, Node>, place: (offset: number) => string) {
    this.#yaml = yaml;
    this.#targets = targets;
    this.#place = place;
  }

  mark(node: Node | null, depth = 0): Marked {
    const at = this.#place(node?.range?.[0] ?? 0);
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new TooLarge(`more than ${MAX_NODES} values, aliases expanded`, at);
    if (depth > MAX_DEPTH) throw new TooLarge(`nested deeper than ${MAX_DEPTH} levels`, at);
    const { isAlias, isMap, isSeq } = this.#yaml;
    if (isAlias(node)) return this.mark(this.#targets.get(node) ?? null, depth + 1);
    if (isMap(node)) return { kind: "map", at, entries: this.#entries(node.items, depth) };
    if (isSeq(node)) {
      return { kind: "list", at, items: node.items.map((item) => this.mark(asNode(item), depth + 1)) };
    }
    return { kind: "scalar", at, value: scalarOf(node) };
  }

  #entries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    depth: number,
  ): Extract<Marked, { readonly kind: "map" }>["entries"] {
    const entries = new Map<string, { readonly keyAt: string; readonly value: Marked }>();
    for (const { key, value } of pairs) {
      const name = this.#yaml.isScalar(key) ? String(key.value) : "";
      const range = this.#yaml.isNode(key) ? key.range : undefined;
      const keyAt = this.#place(range?.[0] ?? 0);
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
