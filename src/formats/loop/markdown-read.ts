import type { Document, LineCounter, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import type { Problem } from "../../core/result.ts";
import { didYouMean } from "./did-you-mean.ts";
import { type Token, tokensOf } from "./markdown-lines.ts";
import { KNOWN_SECTIONS, type Section, sectionKey } from "./markdown-sections.ts";
import { valueNode } from "./markdown-value.ts";

type Yaml = typeof import("yaml");
type Bullet = Extract<Token, { readonly kind: "bullet" }>;
type Range = NonNullable<Node["range"]>;

interface Block {
  readonly title: string;
  readonly offset: number;
  readonly bullets: Bullet[];
}
interface SectionBlock extends Block {
  readonly entries: Block[];
}

/** A loop in Markdown as the document that its YAML twin would be, every node with its range in the Markdown text. */
export function readMarkdown(
  yaml: Yaml,
  text: string,
  lines: LineCounter,
  place: (offset: number) => string,
): { readonly document: Document; readonly problems: readonly Problem[] } {
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  const reader = new MarkdownReader(yaml, place);
  const document = new yaml.Document();
  document.contents = reader.read(tokensOf(text));
  return { document, problems: reader.problems };
}

class MarkdownReader {
  readonly problems: Problem[] = [];
  readonly #yaml: Yaml;
  readonly #place: (offset: number) => string;

  constructor(yaml: Yaml, place: (offset: number) => string) {
    this.#yaml = yaml;
    this.#place = place;
  }

  read(tokens: readonly Token[]): YAMLMap {
    const { name, top, sections } = this.#blocks(tokens);
    const root = this.#map(0);
    if (name !== undefined) this.#add(root, "name", name.offset, this.#text(name.text, name.offset));
    for (const pair of this.#fields(top)) this.#addPair(root, pair);
    for (const block of sections) this.#section(root, block);
    return root;
  }

  #blocks(tokens: readonly Token[]) {
    let name: Extract<Token, { readonly kind: "name" }> | Token | undefined;
    const top: Bullet[] = [];
    const sections: SectionBlock[] = [];
    for (const token of tokens) {
      const section = sections.at(-1);
      switch (token.kind) {
        case "name":
          if (name !== undefined) this.#refuse(token.offset, "a second name; a loop has one `#` heading");
          name ??= token;
          break;
        case "section":
          sections.push({ title: token.text, offset: token.offset, bullets: [], entries: [] });
          break;
        case "entry":
          if (section === undefined) this.#refuse(token.offset, "an entry (`###`) before any section (`##`)");
          section?.entries.push({ title: token.text, offset: token.offset, bullets: [] });
          break;
        case "bullet":
          (section?.entries.at(-1)?.bullets ?? section?.bullets ?? top).push(token);
          break;
        case "stray":
          this.#refuse(token.offset, "indented text that belongs to no bullet");
      }
    }
    return { name: name !== undefined && "text" in name ? name : undefined, top, sections };
  }

  #section(root: YAMLMap, block: SectionBlock): void {
    const section = KNOWN_SECTIONS.get(sectionKey(block.title));
    if (section === undefined) {
      const meant = didYouMean(sectionKey(block.title), KNOWN_SECTIONS.keys());
      const title = meant === undefined ? undefined : KNOWN_SECTIONS.get(meant)?.title;
      const hint = title === undefined ? undefined : `did you mean "## ${title}"?`;
      this.#refuse(block.offset, `no section "${block.title}"`, hint);
      return;
    }
    const keys = [...section.path];
    const last = keys.pop() ?? "";
    const owner = keys.reduce((map, key) => this.#child(map, key, block.offset), root);
    this.#add(owner, last, block.offset, this.#content(section, block));
  }

  #content({ entries, title }: Section, block: SectionBlock): Node {
    const [stray] = block.entries;
    if (entries === undefined) {
      if (stray !== undefined)
        this.#refuse(stray.offset, `the section "${title}" takes no entries (\`###\`)`);
      return this.#mapOf(block.bullets, block.offset);
    }
    const list = this.#list(block.offset);
    for (const entry of block.entries) list.items.push(this.#entry(entry, entries.heading));
    if (entries.list === undefined) {
      const [bullet] = block.bullets;
      if (bullet !== undefined) this.#refuse(bullet.offset, `expected entries (\`###\`) in "${title}"`);
      return list;
    }
    const map = this.#mapOf(block.bullets, block.offset);
    if (block.entries.length > 0) this.#add(map, entries.list, block.offset, list);
    return map;
  }

  #entry(entry: Block, heading: string): YAMLMap {
    const map = this.#mapOf(entry.bullets, entry.offset);
    const title = this.#text(entry.title, entry.offset);
    const [key = heading, member] = heading.split(".");
    const owner = member === undefined ? map : this.#child(map, key, entry.offset);
    this.#add(owner, member ?? key, entry.offset, title);
    owner.items.unshift(...owner.items.splice(-1));
    return map;
  }

  #mapOf(bullets: readonly Bullet[], offset: number): YAMLMap {
    const map = this.#map(offset);
    for (const pair of this.#fields(bullets)) this.#addPair(map, pair);
    return map;
  }

  /** Bullets that must all be `key: value`. */
  #fields(bullets: readonly Bullet[]): readonly Pair<Node, Node>[] {
    const [first] = bullets;
    if (first === undefined) return [];
    const value = this.#level(bullets);
    if (this.#yaml.isMap<Node, Node>(value)) return value.items as Pair<Node, Node>[];
    this.#refuse(first.offset, "expected `- key: value`");
    return [];
  }

  /** One level of bullets with all below it: a map of fields or a list of items. */
  #level(bullets: readonly Bullet[]): YAMLMap | YAMLSeq {
    const [first] = bullets;
    const indent = first?.indent ?? 0;
    const map = this.#map(first?.offset ?? 0);
    const list = this.#list(first?.offset ?? 0);
    for (const [index, bullet] of bullets.entries()) {
      if (bullet.indent > indent) continue;
      if (bullet.indent < indent) this.#refuse(bullet.offset, "indented less than the bullets before it");
      const end = bullets.findIndex((other, at) => at > index && other.indent <= indent);
      const below = bullets.slice(index + 1, end < 0 ? undefined : end);
      const field = fieldOf(bullet);
      if (field === undefined) {
        if (below[0] !== undefined)
          this.#refuse(below[0].offset, "nothing can stand below an item of a list");
        list.items.push(this.#value(bullet.text, bullet.offset));
      } else {
        this.#add(map, field.key, bullet.offset, this.#fieldValue(field, below));
      }
      if (list.items.length > 0 && map.items.length > 0) {
        this.#refuse(bullet.offset, "fields (`key: value`) and items mixed at one level");
        break;
      }
    }
    return list.items.length > 0 ? list : map;
  }

  #fieldValue(field: Field, below: readonly Bullet[]): Node {
    if (field.value === "") {
      return below.length === 0 ? this.#null(field.offset) : this.#level(below);
    }
    const [first] = below;
    if (first !== undefined) {
      const hint = `write the value of "${field.key}" on its line, or bullets below it`;
      this.#refuse(first.offset, `indented below "${field.key}", which has a value already`, hint);
    }
    return this.#value(field.value, field.offset);
  }

  #value(text: string, offset: number): Node {
    const node = valueNode(this.#yaml, text);
    const shift = (range: Range): Range => [range[0] + offset, range[1] + offset, range[2] + offset];
    this.#yaml.visit(node, {
      Node: (_key, one) => {
        if (one.range) one.range = shift(one.range);
      },
    });
    return node;
  }

  #child(map: YAMLMap, key: string, offset: number): YAMLMap {
    const found = map.items.find((pair) => this.#yaml.isScalar(pair.key) && pair.key.value === key);
    if (this.#yaml.isMap(found?.value)) return found.value;
    const made = this.#map(offset);
    this.#add(map, key, offset, made);
    return made;
  }

  #add(map: YAMLMap, key: string, offset: number, value: Node): void {
    this.#addPair(map, new this.#yaml.Pair<Node, Node>(this.#text(key, offset), value));
  }

  #addPair(map: YAMLMap, pair: Pair<Node, Node>): void {
    const key = this.#yaml.isScalar(pair.key) ? String(pair.key.value) : "";
    const isTwice = map.items.some((other) => this.#yaml.isScalar(other.key) && other.key.value === key);
    if (isTwice) this.#refuse(pair.key.range?.[0] ?? 0, `"${key}" is written twice`);
    else map.items.push(pair);
  }

  #text(text: string, offset: number) {
    return this.#at(new this.#yaml.Scalar(text), offset);
  }

  #null(offset: number) {
    return this.#at(new this.#yaml.Scalar(null), offset);
  }

  #map(offset: number): YAMLMap {
    return this.#at(new this.#yaml.YAMLMap(), offset);
  }

  #list(offset: number): YAMLSeq {
    return this.#at(new this.#yaml.YAMLSeq(), offset);
  }

  #at<N extends Node>(node: N, offset: number): N {
    node.range = [offset, offset, offset];
    return node;
  }

  #refuse(offset: number, message: string, hint?: string): void {
    const at = this.#place(offset);
    this.problems.push({ code: "bad-markdown", message, at, ...(hint !== undefined && { hint }) });
  }
}

interface Field {
  readonly key: string;
  readonly value: string;
  /** Of the value. */
  readonly offset: number;
}

/** Split at the first ": ", or at a colon that ends the line; a key has no blanks. */
function fieldOf({ text, offset }: Bullet): Field | undefined {
  const [, key, gap = "", value = ""] = /^([^\s:][^\s]*?):(?:([ \t]+|(?=\n)|$))([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined) return undefined;
  return { key, value: value.replace(/^\n/, ""), offset: offset + key.length + 1 + gap.length };
}
