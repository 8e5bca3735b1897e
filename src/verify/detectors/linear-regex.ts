import { type Node, parsePattern } from "./regex-syntax.ts";

/** A compiled pattern. Matching takes time linear in the text, whatever the pattern. */
export type LinearRegex =
  | { readonly ok: true; readonly program: readonly Instruction[] }
  | { readonly ok: false; readonly why: string };

export type Instruction =
  | { readonly op: "char"; readonly test: (codePoint: number) => boolean }
  | { readonly op: "split"; readonly to: readonly [number, number] }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "assert"; readonly holds: (before: number, after: number) => boolean }
  | { readonly op: "match" };

const MAX_INSTRUCTIONS = 5_000;
const MAX_STEPS = 200_000_000;

/**
 * Compiles a pattern (Perl-like syntax without look-around and back-references, the language of Rust's `regex`) to an
 * automaton: K. Thompson, "Regular expression search algorithm", CACM 11 (1968). No input can make it explode.
 */
export function compileRegex(pattern: string): LinearRegex {
  const parsed = parsePattern(pattern);
  if (!parsed.ok) return parsed;
  const program: Instruction[] = [];
  if (!emit(parsed.node, program)) return { ok: false, why: "the pattern is too large" };
  program.push({ op: "match" });
  return { ok: true, program };
}

/** Whether the pattern matches anywhere in the text; undefined when that would take too many steps. */
export function searchLinear(program: readonly Instruction[], text: string): boolean | undefined {
  let current: number[] = [];
  let before = -1;
  let offset = 0;
  const seen = new Int32Array(program.length).fill(-1);
  let step = 0;
  let steps = 0;
  const points = [...text].map((char) => char.codePointAt(0) ?? 0);
  for (; offset <= points.length; offset += 1) {
    const after = points[offset] ?? -1;
    const threads: number[] = [];
    step += 1;
    for (const start of [...current, 0]) {
      if (follow(program, start, before, after, threads, seen, step)) return true;
    }
    steps += threads.length + 1;
    if (steps > MAX_STEPS) return undefined;
    current = [];
    for (const at of threads) {
      const instruction = program[at];
      if (after >= 0 && instruction?.op === "char" && instruction.test(after)) current.push(at + 1);
    }
    before = after;
  }
  return false;
}

/** Follows everything that consumes no character. True when a match is reached. */
function follow(
  program: readonly Instruction[],
  start: number,
  before: number,
  after: number,
  threads: number[],
  seen: Int32Array,
  step: number,
): boolean {
  const stack = [start];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (seen[at] === step) continue;
    seen[at] = step;
    const instruction = program[at];
    if (instruction === undefined) continue;
    switch (instruction.op) {
      case "match":
        return true;
      case "char":
        threads.push(at);
        break;
      case "jump":
        stack.push(instruction.to);
        break;
      case "split":
        stack.push(...instruction.to);
        break;
      case "assert":
        if (instruction.holds(before, after)) stack.push(at + 1);
        break;
    }
  }
  return false;
}

/** Appends the code of a node; false when the program gets too large. */
function emit(node: Node, program: Instruction[]): boolean {
  if (program.length > MAX_INSTRUCTIONS) return false;
  switch (node.kind) {
    case "char":
      program.push({ op: "char", test: node.test });
      return true;
    case "assert":
      program.push({ op: "assert", holds: node.holds });
      return true;
    case "sequence":
      return node.parts.every((part) => emit(part, program));
    case "either":
      return emitEither(node.options, program);
    case "repeat":
      return emitRepeat(node, program);
  }
}

function emitEither(options: readonly Node[], program: Instruction[]): boolean {
  const exits: number[] = [];
  for (const [index, option] of options.entries()) {
    const last = index === options.length - 1;
    const split = program.length;
    if (!last) program.push({ op: "jump", to: 0 });
    if (!emit(option, program)) return false;
    if (last) break;
    exits.push(program.length);
    program.push({ op: "jump", to: 0 });
    program[split] = { op: "split", to: [split + 1, program.length] };
  }
  for (const exit of exits) program[exit] = { op: "jump", to: program.length };
  return true;
}

function emitRepeat(node: Extract<Node, { readonly kind: "repeat" }>, program: Instruction[]): boolean {
  for (let count = 0; count < node.min; count += 1) if (!emit(node.part, program)) return false;
  if (node.max === Number.POSITIVE_INFINITY) {
    const split = program.length;
    program.push({ op: "jump", to: 0 });
    if (!emit(node.part, program)) return false;
    program.push({ op: "jump", to: split });
    program[split] = { op: "split", to: [split + 1, program.length] };
    return true;
  }
  for (let count = node.min; count < node.max; count += 1) {
    const split = program.length;
    program.push({ op: "jump", to: 0 });
    if (!emit(node.part, program)) return false;
    program[split] = { op: "split", to: [split + 1, program.length] };
  }
  return true;
}
