/** A pattern as a tree. Only what an automaton can decide. */
export type Node =
  | { readonly kind: "char"; readonly test: (codePoint: number) => boolean }
  | { readonly kind: "assert"; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "either"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly min: number; readonly max: number };

export type Parsed =
  | { readonly ok: true; readonly node: Node }
  | { readonly ok: false; readonly why: string };

const MAX_REPEAT = 1000;
const MAX_DEPTH = 200;

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** What makes a pattern unusable; caught at the door of `parsePattern`. */
class SyntaxProblem extends Error {}

export function parsePattern(pattern: string): Parsed {
  try {
    const reader = new Reader(pattern);
    const node = reader.either({ i: false, m: false, s: false }, 0);
    if (!reader.atEnd()) throw new SyntaxProblem("unmatched )");
    return { ok: true, node };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { ok: false, why: error.message };
    throw error;
  }
}

class Reader {
  private at = 0;
  private readonly chars: readonly string[];

  constructor(pattern: string) {
    this.chars = [...pattern];
  }

  atEnd(): boolean {
    return this.at >= this.chars.length;
  }

  either(outer: Flags, depth: number): Node {
    if (depth > MAX_DEPTH) throw new SyntaxProblem("groups are nested too deep");
    let flags = outer;
    const options: Node[] = [];
    let parts: Node[] = [];
    while (!this.atEnd() && this.peek() !== ")") {
      const changed = this.inlineFlags(flags);
      if (changed !== undefined) flags = changed;
      else if (this.take("|")) {
        options.push({ kind: "sequence", parts });
        parts = [];
      } else parts.push(this.repeated(flags, depth));
    }
    options.push({ kind: "sequence", parts });
    const only = options.length === 1 ? options[0] : undefined;
    return only ?? { kind: "either", options };
  }

  private peek(): string {
    return this.chars[this.at] ?? "";
  }

  private take(text: string): boolean {
    if (this.chars.slice(this.at, this.at + text.length).join("") !== text) return false;
    this.at += text.length;
    return true;
  }

  private match(shape: RegExp): RegExpExecArray | undefined {
    const found = shape.exec(this.chars.slice(this.at, this.at + 80).join(""));
    if (found === null) return undefined;
    this.at += [...found[0]].length;
    return found;
  }

  /** `(?i)`: holds up to the end of the group it stands in. */
  private inlineFlags(flags: Flags): Flags | undefined {
    const found = this.match(/^\(\?([ims]*)(?:-([ims]+))?\)/);
    return found === undefined ? undefined : withFlags(flags, found[1] ?? "", found[2] ?? "");
  }

  private repeated(flags: Flags, depth: number): Node {
    let part = this.atom(flags, depth);
    for (;;) {
      const found = this.match(/^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})[?]?/);
      if (found === undefined) return part;
      const [min, max] = bounds(found);
      if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT)) {
        throw new SyntaxProblem(`a repetition of more than ${MAX_REPEAT}`);
      }
      if (max < min) throw new SyntaxProblem("a repetition whose end is before its start");
      part = { kind: "repeat", part, min, max };
    }
  }

  private atom(flags: Flags, depth: number): Node {
    if (this.peek() === "(") return this.group(flags, depth);
    if (this.peek() === "[") return this.charClass(flags);
    if (this.peek() === "\\") return this.escape(flags);
    const char = this.peek();
    this.at += 1;
    switch (char) {
      case ".":
        return { kind: "char", test: (point) => flags.s || point !== 10 };
      case "^":
        return { kind: "assert", holds: (before) => before < 0 || (flags.m && before === 10) };
      case "$":
        return { kind: "assert", holds: (_before, after) => after < 0 || (flags.m && after === 10) };
      case "*":
      case "+":
      case "?":
        throw new SyntaxProblem(`nothing to repeat before ${char}`);
      default:
        return literal(char, flags);
    }
  }

  private group(flags: Flags, depth: number): Node {
    let inner = flags;
    const marked = this.match(/^\((?:\?(?:([ims]*)(?:-([ims]+))?:|P?<[A-Za-z_]\w*>))?/);
    if (this.peek() === "?") throw new SyntaxProblem("look-around and other (? groups are not supported");
    if (marked?.[1] !== undefined) inner = withFlags(flags, marked[1], marked[2] ?? "");
    const node = this.either(inner, depth + 1);
    if (!this.take(")")) throw new SyntaxProblem("a group is not closed");
    return node;
  }

  private charClass(flags: Flags): Node {
    let source = this.take("[^") ? "[^" : this.take("[") ? "[" : "";
    if (this.take("]")) source += "\\]";
    while (!this.atEnd() && this.peek() !== "]") {
      if (this.peek() === "[" || this.match(/^&&/) !== undefined) {
        throw new SyntaxProblem("write [ inside a class as \\[; nested classes are not supported");
      }
      const escaped = this.match(/^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/su);
      source += escaped?.[0].replace(/^\\([^\w\s^$\\.*+?()[\]{}|/-])$/u, "$1") ?? this.peek();
      if (escaped === undefined) this.at += 1;
    }
    if (!this.take("]")) throw new SyntaxProblem("a class is not closed");
    return native(`${source}]`, flags);
  }

  private escape(flags: Flags): Node {
    const found = this.match(/^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/su);
    const text = found?.[0];
    if (text === undefined) throw new SyntaxProblem("the pattern ends with a backslash");
    switch (text) {
      case "\\b":
        return { kind: "assert", holds: (before, after) => isWord(before) !== isWord(after) };
      case "\\B":
        return { kind: "assert", holds: (before, after) => isWord(before) === isWord(after) };
      case "\\A":
        return { kind: "assert", holds: (before) => before < 0 };
      case "\\z":
        return { kind: "assert", holds: (_before, after) => after < 0 };
      default:
        if (/^\\[1-9k]$/.test(text)) throw new SyntaxProblem("back-references are not supported");
        if (/^\\[^A-Za-z0-9]$/su.test(text)) return literal(text.slice(1), flags);
        return native(text, flags);
    }
  }
}

function withFlags(flags: Flags, on: string, off: string): Flags {
  const flag = (name: "i" | "m" | "s") => (flags[name] || on.includes(name)) && !off.includes(name);
  return { i: flag("i"), m: flag("m"), s: flag("s") };
}

function bounds(found: RegExpExecArray): readonly [number, number] {
  const infinite = Number.POSITIVE_INFINITY;
  if (found[1] === "*") return [0, infinite];
  if (found[1] === "+") return [1, infinite];
  if (found[1] === "?") return [0, 1];
  const min = Number(found[2]);
  if (found[3] === undefined) return [min, min];
  return [min, found[4] === "" ? infinite : Number(found[4])];
}

function literal(char: string, flags: Flags): Node {
  if (flags.i) return native(char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags);
  const wanted = char.codePointAt(0);
  return { kind: "char", test: (point) => point === wanted };
}

/** One character by the language's own rules; a single character can never backtrack. */
function native(source: string, flags: Flags): Node {
  let shape: RegExp;
  try {
    shape = new RegExp(`^${source}$`, flags.i ? "iu" : "u");
  } catch {
    throw new SyntaxProblem(`cannot read ${source}`);
  }
  const known: (boolean | undefined)[] = [];
  return {
    kind: "char",
    test: (point) => {
      const answer = known[point] ?? shape.test(String.fromCodePoint(point));
      if (point < 128) known[point] = answer;
      return answer;
    },
  };
}

function isWord(point: number): boolean {
  return point >= 0 && /^\w$/.test(String.fromCodePoint(point));
}
