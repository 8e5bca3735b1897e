import { InvariantError } from "../../core/result.ts";
import { timeMs } from "../fields.ts";
import { NODE_WORDS, type SiftMachine, TAPE_WORDS, type WantedNode } from "./machine.ts";

/**
 * Members that are wanted, by the names that their reader gives them: `usage.input_tokens` is a member of a member,
 * `content[].type` one of each object in a list.
 */
export interface WantedMembers<Name extends string = string> {
  readonly paths: Readonly<Record<Name, string>>;
  /** Paths of times. */
  readonly times: readonly string[];
  /** Paths of up to four objects that lines often repeat to the letter. */
  readonly kept: readonly string[];
}

const [OBJECT, ARRAY, PLAIN_STRING, OTHER_STRING, NUMBER, TRUE, NULL] = [0, 1, 2, 3, 4, 5, 7] as const;
const TYPE_BITS = 15;
const IS_SKIPPED = 16;
const HAS_ELEMENTS = 32;
const [IS_TIME, IS_KEPT, IN_LIST, KEPT_PLACE] = [1, 2, 4, 16] as const;
const ROOT = 1;
/** Words of a node, and which of them say what. */
const [WORDS_OF_NODE, TYPE, START, END, VERSION] = [8, 1, 2, 3, 6] as const;
const WORDS_OF_ENTRY = 4;

/** Where a wanted member is written down. */
export type Member = number;

/** The members along the paths, each once. */
export function nodesOf({ paths, times, kept }: WantedMembers): Map<string, WantedNode> {
  const nodes = new Map<string, WantedNode>();
  const add = (path: string): number => {
    if (path === "") return ROOT;
    const known = nodes.get(path);
    if (known !== undefined) return known.node;
    const isElement = path.endsWith("[]");
    const cut = isElement ? path.length - 2 : path.lastIndexOf(".");
    const parent = add(path.slice(0, Math.max(cut, 0)));
    const name = isElement ? "" : path.slice(cut + 1);
    const node = nodes.size + ROOT + 1;
    const place = kept.indexOf(path);
    const traits =
      (times.includes(path) ? IS_TIME : 0) |
      (place === -1 ? 0 : IS_KEPT | (place * KEPT_PLACE)) |
      (path.includes("[]") ? IN_LIST : 0);
    nodes.set(path, { node, parent, name, traits });
    return node;
  };
  for (const path of Object.values(paths)) add(path);
  return nodes;
}

/** The wanted members of the line that the machine read last, without an object for each. */
export class LineMembers {
  readonly #machine: SiftMachine;
  /** The last text of each member, and the version that it is of. */
  readonly #texts: (string | undefined)[];
  readonly #versions: Int32Array;

  constructor(machine: SiftMachine, nodes: number) {
    this.#machine = machine;
    this.#texts = Array.from({ length: nodes + ROOT + 1 }, () => undefined);
    this.#versions = new Int32Array(this.#texts.length);
  }

  has(member: Member): boolean {
    return this.#machine.words[member] === this.#machine.line;
  }

  /** A string with something in it. */
  text(member: Member): string | undefined {
    const { words } = this.#machine;
    if (words[member] !== this.#machine.line) return undefined;
    const type = words[member + TYPE];
    if (type !== PLAIN_STRING && type !== OTHER_STRING) return undefined;
    const node = nodeOf(member);
    const version = words[member + VERSION] ?? 0;
    if (this.#versions[node] === version) return this.#texts[node];
    const text = this.#decode(type, words[member + START] ?? 0, words[member + END] ?? 0);
    this.#texts[node] = text === "" ? undefined : text;
    this.#versions[node] = version;
    return this.#texts[node];
  }

  /** A string that is written with escapes, or beyond ASCII. */
  isEscaped(member: Member): boolean {
    return this.#typeOf(member) === OTHER_STRING;
  }

  isTrue(member: Member): boolean {
    return this.#typeOf(member) === TRUE;
  }

  isObject(member: Member): boolean {
    return this.#typeOf(member) === OBJECT;
  }

  /** A list without elements, or no list at all. */
  isEmptyList(member: Member): boolean {
    return this.#typeOf(member) !== ARRAY || ((this.#machine.words[member + TYPE] ?? 0) & HAS_ELEMENTS) === 0;
  }

  /** A token count; undefined when missing or null, NaN for what cannot be one. */
  count(member: Member): number | undefined {
    const { words, doubles, line } = this.#machine;
    if (words[member] !== line) return undefined;
    const type = words[member + TYPE];
    if (type === NULL) return undefined;
    if (type !== NUMBER) return Number.NaN;
    const value = doubles[valuePlace(member)] ?? Number.NaN;
    if (!Number.isNaN(value)) return value;
    const written = Number(this.#machine.latin1(words[member + START] ?? 0, words[member + END] ?? 0));
    return Number.isSafeInteger(written) && written >= 0 ? written : Number.NaN;
  }

  /** Of a member that is wanted as a time. */
  timeMs(member: Member): number | undefined {
    const { words, doubles, line } = this.#machine;
    if (words[member] !== line || words[member + TYPE] !== PLAIN_STRING) return timeMs(this.text(member));
    const ms = doubles[valuePlace(member)] ?? Number.NaN;
    return Number.isNaN(ms) ? timeMs(this.text(member)) : ms;
  }

  /** Equal for objects that are the same to the letter; of a member that is kept. */
  version(member: Member): number {
    return this.#machine.words[member + VERSION] ?? 0;
  }

  /** The object is that of an earlier line, and what is in it was not written down again. */
  isSkipped(member: Member): boolean {
    return ((this.#machine.words[member + TYPE] ?? 0) & IS_SKIPPED) !== 0;
  }

  /** Whether some object among the elements has this text as one member and any text as another. */
  holdsObject(element: Member, member: Member, text: string, other: Member): boolean {
    const { words, entries } = this.#machine;
    const elementNode = nodeOf(element);
    const textNode = nodeOf(member);
    const otherNode = nodeOf(other);
    const end = TAPE_WORDS + entries * WORDS_OF_ENTRY;
    let isIt = false;
    let hasOther = false;
    for (let at = TAPE_WORDS; at < end; at += WORDS_OF_ENTRY) {
      const node = words[at];
      if (node === elementNode) {
        if (isIt && hasOther) return true;
        isIt = false;
        hasOther = false;
      } else if (node === textNode) isIt = this.#isText(at, text);
      else if (node === otherNode) hasOther = this.#isAnyText(at);
    }
    return isIt && hasOther;
  }

  #typeOf(member: Member): number {
    const { words, line } = this.#machine;
    return words[member] === line ? (words[member + TYPE] ?? 0) & TYPE_BITS : -1;
  }

  #isAnyText(entry: number): boolean {
    const { words } = this.#machine;
    const type = words[entry + TYPE];
    return isString(type) && (words[entry + END] ?? 0) - (words[entry + START] ?? 0) > 2;
  }

  #isText(entry: number, text: string): boolean {
    const { words, bytes } = this.#machine;
    const type = words[entry + TYPE];
    const start = words[entry + START] ?? 0;
    const end = words[entry + END] ?? 0;
    if (type === OTHER_STRING) return this.#decode(type, start, end) === text;
    if (type !== PLAIN_STRING || end - start !== text.length + 2) return false;
    for (let i = 0; i < text.length; i += 1) {
      if (bytes[start + 1 + i] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  #decode(type: number, start: number, end: number): string {
    if (type === PLAIN_STRING) return this.#machine.latin1(start + 1, end - 1);
    const value: unknown = JSON.parse(this.#machine.bytes.toString("utf8", start, end));
    if (typeof value !== "string") throw new InvariantError("a string of a line that is none");
    return value;
  }
}

/** Where a node is written down. */
export function memberOf(node: number): Member {
  return NODE_WORDS + node * WORDS_OF_NODE;
}

function nodeOf(member: Member): number {
  return (member - NODE_WORDS) >> 3;
}

function valuePlace(member: Member): number {
  return (member >> 1) + 2;
}

function isString(type: number | undefined): boolean {
  return type === PLAIN_STRING || type === OTHER_STRING;
}
