import type { Document, Node, Pair, YAMLMap } from "yaml";

/** Keys of the 0.3 grammar, and where their content stands in 1.0. */
const MOVED_KEYS: readonly (readonly [old: string, now: string])[] = [
  ["information", "intent.background"],
  ["pre_execution", "intent.prerequisites"],
  ["goals", "intent.goals"],
  ["success", "intent.success"],
  ["graph", "execution.graph"],
  ["providers", "execution.providers"],
  ["execution_guidelines", "execution.phases"],
  ["context", "execution.memory"],
  ["skills", "execution.skills"],
  ["default_skills", "execution.default_skills"],
  ["schedules", "execution.triggers.triggers"],
  ["validations", "safety.checks"],
  ["stop_gates", "safety.gates.stop"],
  ["constraints", "safety.limits"],
];
export const OLD_KEYS: readonly string[] = MOVED_KEYS.map(([old]) => old);

/** The order in which a migrated file is written. */
const TOP_ORDER = ["intent", "execution", "safety", "evolution"];

export interface Move {
  readonly from: string;
  readonly to: string;
  /** Where it stood. */
  readonly at: string;
  /** Both places were written: the new one stays and this content is gone. */
  readonly isDropped: boolean;
}

type Yaml = typeof import("yaml");

/**
 * Brings a document to the places of the 1.0 grammar, in place: the keys of 0.3, `isolated` of a piece, and triggers
 * without an `on`. What stands at the new place already wins. Done twice it changes nothing more. A document that is no
 * map, or has a value where a bundle should be, is left to the reader to refuse.
 */
export function migrate(yaml: Yaml, document: Document, place: (offset: number) => string): readonly Move[] {
  const top = document.contents;
  if (!yaml.isMap(top)) return [];
  const mover = new Mover(yaml, place);
  for (const [old, now] of MOVED_KEYS) mover.moveKey(top, old, now);
  const moved = mover.moves.length > 0;
  const pieces = ["nodes", "pieces"].flatMap((key) => mover.list(top, `execution.graph.${key}`));
  for (const { path, node } of pieces) mover.renameIsolated(path, node);
  for (const { path, node, replace } of mover.list(top, "execution.triggers.triggers")) {
    mover.wrapTrigger(path, node, replace);
  }
  if (moved) top.items.sort((a, b) => rank(yaml, a) - rank(yaml, b));
  return mover.moves;
}

function rank(yaml: Yaml, { key }: Pair): number {
  return TOP_ORDER.indexOf(yaml.isScalar(key) ? String(key.value) : "");
}

interface ListItem {
  readonly path: string;
  readonly node: YAMLMap;
  replace(node: Node): void;
}

class Mover {
  readonly moves: Move[] = [];
  readonly #yaml: Yaml;
  readonly #place: (offset: number) => string;

  constructor(yaml: Yaml, place: (offset: number) => string) {
    this.#yaml = yaml;
    this.#place = place;
  }

  moveKey(top: YAMLMap, old: string, now: string): void {
    const pair = this.#find(top, old);
    if (pair === undefined) return;
    const bundles = now.split(".");
    const last = bundles.pop() ?? now;
    if (!this.#isOpen(top, bundles)) return;
    const isDropped = this.#valueAt(top, now) !== undefined;
    this.#note(pair, old, now, isDropped);
    top.items.splice(top.items.indexOf(pair), 1);
    if (isDropped) return;
    const bundle = bundles.reduce((map, key) => this.#bundle(map, key, pair), top);
    const empty = this.#find(bundle, last);
    if (empty !== undefined) bundle.items.splice(bundle.items.indexOf(empty), 1);
    bundle.items.push(this.#pair(last, pair.value, pair));
  }

  /** The maps of a list, when there is one. */
  list(top: YAMLMap, path: string): readonly ListItem[] {
    const list = this.#valueAt(top, path);
    if (!this.#yaml.isSeq(list)) return [];
    return list.items.flatMap((node, index) =>
      this.#yaml.isMap(node)
        ? [
            {
              path: `${path}[${index}]`,
              node,
              replace: (other: Node) => {
                list.items[index] = other;
              },
            },
          ]
        : [],
    );
  }

  renameIsolated(path: string, piece: YAMLMap): void {
    const pair = this.#find(piece, "isolated");
    const value = this.#yaml.isScalar(pair?.value) ? pair.value.value : undefined;
    if (pair === undefined || typeof value !== "boolean") return;
    const isDropped = this.#find(piece, "isolation") !== undefined;
    this.#note(pair, `${path}.isolated`, `${path}.isolation`, isDropped);
    const mode = this.#scalar(value ? "worktree" : "none", pair);
    const isolation = this.#map(pair, [this.#pair("mode", mode, pair)], true);
    const at = piece.items.indexOf(pair);
    piece.items.splice(at, 1, ...(isDropped ? [] : [this.#pair("isolation", isolation, pair)]));
  }

  wrapTrigger(path: string, trigger: YAMLMap, replace: (node: Node) => void): void {
    const [first] = trigger.items;
    if (first === undefined || this.#find(trigger, "on") !== undefined) return;
    this.#note(first, path, `${path}.on`, false);
    replace(this.#map(first, [this.#pair("on", trigger, first)], trigger.flow === true));
  }

  #note({ key }: Pair, from: string, to: string, isDropped: boolean): void {
    this.moves.push({ from, to, at: this.#place(this.#rangeOf(key)?.[0] ?? 0), isDropped });
  }

  #find(map: YAMLMap, key: string): Pair | undefined {
    return map.items.find((pair) => this.#yaml.isScalar(pair.key) && pair.key.value === key);
  }

  /** What stands at a path; an explicit null is nothing. */
  #valueAt(top: YAMLMap, path: string): unknown {
    let here: unknown = top;
    for (const key of path.split(".")) {
      here = this.#yaml.isMap(here) ? this.#find(here, key)?.value : undefined;
    }
    return this.#isNothing(here) ? undefined : here;
  }

  #isNothing(value: unknown): boolean {
    return value === undefined || value === null || (this.#yaml.isScalar(value) && value.value === null);
  }

  #isOpen(top: YAMLMap, bundles: readonly string[]): boolean {
    return bundles.every((_key, index) => {
      const value = this.#valueAt(top, bundles.slice(0, index + 1).join("."));
      return value === undefined || this.#yaml.isMap(value);
    });
  }

  #bundle(map: YAMLMap, key: string, origin: Pair): YAMLMap {
    const pair = this.#find(map, key);
    if (this.#yaml.isMap(pair?.value)) return pair.value;
    const made = this.#map(origin, [], false);
    if (pair === undefined) map.items.push(this.#pair(key, made, undefined, origin));
    else pair.value = made;
    return made;
  }

  /** A pair that stands where another stood, with the comments that stood before that one. */
  #pair(key: string, value: unknown, origin: Pair | undefined, place: Pair | undefined = origin): Pair {
    const scalar = this.#scalar(key, place);
    const before = origin?.key;
    if (this.#yaml.isNode(before)) {
      scalar.commentBefore = before.commentBefore ?? null;
      scalar.spaceBefore = before.spaceBefore ?? false;
    }
    return new this.#yaml.Pair(scalar, value);
  }

  #scalar(value: string, place: Pair | undefined) {
    const scalar = new this.#yaml.Scalar(value);
    scalar.range = this.#rangeOf(place?.key) ?? null;
    return scalar;
  }

  #map(place: Pair, items: readonly Pair[], isFlow: boolean): YAMLMap {
    const map = new this.#yaml.YAMLMap();
    map.items.push(...items);
    map.range = this.#rangeOf(place.key) ?? null;
    if (isFlow) map.flow = true;
    return map;
  }

  #rangeOf(key: unknown): Node["range"] {
    return this.#yaml.isNode(key) ? key.range : undefined;
  }
}
