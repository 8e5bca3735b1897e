import { type Fields, fields } from "../fields.ts";
import { behindMark, FIRST_LINE, type LinePlace } from "../line-frame.ts";
import { BROKEN, BROKEN_JSON, NO_JSON, parseJson } from "../lines.ts";
import { LineResult, type LineRows, type PassedLines, SiftMachine } from "./machine.ts";
import { LineMembers, type Member, memberOf, nodesOf, type WantedMembers } from "./members.ts";
import { idleRules, type PassRule, rulesOf } from "./rules.ts";
import { LineWindow, type MachineReader } from "./window.ts";

export type { LineRows, PassedLines } from "./machine.ts";
export type { LineMembers, Member } from "./members.ts";
export { columnsOf } from "./rules.ts";

export interface SiftedKind<Name extends string, Rule extends string> extends WantedMembers<Name | "type"> {
  /** Types of records, as their outermost `type` says, that are left out. */
  readonly idle: ReadonlySet<string>;
  /** Which records say nothing new beside an earlier one, so that they need only be counted. */
  readonly passed: Readonly<Record<Rule, PassRule<NoInfer<Name> | "type">>>;
}

export interface RecordVisitor {
  /** A record with all its members. */
  record(fields: Fields, lineNumber: number): void;
  /**
   * The short way, by the members that are wanted: what it does with a line must be what `record` would do. False
   * leaves it to `record`.
   */
  take?(lineNumber: number): boolean;
  /** Before any later line is told: records that were passed over because a rule was settled. */
  passed?(lines: PassedLines): void;
  /** After that: those of them that became rows, in their order. */
  rows?(rows: LineRows): void;
  damage(lineNumber: number, reason: string): void;
}

/** What all readings of one kind of log share on a thread. It keeps nothing of a line for another reading. */
export class Sift<Name extends string, Rule extends string> {
  readonly idle: ReadonlySet<string>;
  readonly machine: SiftMachine;
  readonly line: LineMembers;
  readonly members: Readonly<Record<Name | "type", Member>>;
  /** The numbers by which lines and rows name their rules. */
  readonly rules: Readonly<Record<Rule, number>>;
  #reader: MachineReader | undefined;

  constructor(kind: SiftedKind<Name, Rule>) {
    const nodes = nodesOf(kind);
    const nodeOf = (name: Name | "type"): number => nodes.get(kind.paths[name])?.node ?? 0;
    const idle = idleRules(kind.idle, nodeOf("type"));
    this.idle = kind.idle;
    this.machine = new SiftMachine(
      [...nodes.values()],
      [...idle, ...rulesOf(kind.passed, nodeOf, idle.length)],
    );
    this.line = new LineMembers(this.machine, nodes.size);
    this.members = mapped(kind.paths, (name) => memberOf(nodeOf(name)));
    const names = Object.keys(kind.passed);
    this.rules = mapped(kind.passed, (name) => idle.length + names.indexOf(name));
  }

  /** Rules that another reading settled say nothing about this one's lines, and its bytes go out of the way. */
  begin(reader: MachineReader): void {
    if (this.#reader === reader) return;
    this.#reader?.giveWay();
    this.#reader = reader;
    this.machine.unsettle();
    this.machine.forgetPassed();
    reader.goOn();
  }

  /** From here on records like the one that is being told are passed over. */
  settle(rule: Rule): void {
    this.machine.settle(this.rules[rule]);
  }

  /** Until another reading, or a line that is parsed whole: what this rule passes over says nothing more. */
  mute(rule: Rule): void {
    this.machine.mute(this.rules[rule]);
  }
}

function mapped<Name extends string>(
  record: Readonly<Record<Name, unknown>>,
  numberOf: (name: Name) => number,
): Record<Name, number> {
  const numbers: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(record) as Name[]) numbers[name] = numberOf(name);
  return numbers as Record<Name, number>;
}

/** What the reading itself asks for. */
type LineSift = Pick<Sift<"type", never>, "idle" | "machine" | "line" | "members" | "begin">;

/**
 * Records of a JSON-lines log with their wanted members, in any chunking. Every line is checked to the letter, so that
 * a visitor is told the same as if each had been parsed whole.
 */
export class SiftedLines extends LineWindow {
  readonly #sift: LineSift;
  readonly #visitor: RecordVisitor;

  constructor(sift: LineSift, visitor: RecordVisitor, from: LinePlace = FIRST_LINE) {
    super(sift, from);
    this.#sift = sift;
    this.#visitor = visitor;
  }

  protected override damaged(reason: string): void {
    this.#visitor.damage(this.number, reason);
  }

  protected override read(start: number, end: number): void {
    const { machine } = this.#sift;
    let at = this.number === 0 ? behindMark(machine.bytes, start) : start;
    while (at < end) {
      const result = machine.readLines(at, end, this.number);
      this.number = machine.number;
      if (machine.hasPassed) {
        this.#visitor.passed?.(machine);
        if (machine.rows > 0) this.#visitor.rows?.(machine);
        machine.forgetPassed();
      }
      if (result === LineResult.end) return;
      at = result === LineResult.full ? machine.position : this.#tell(result) + 1;
    }
  }

  /** Tells of the line that the machine stopped at, and returns the place of its newline. */
  #tell(result: number): number {
    const { machine, idle, line, members } = this.#sift;
    const { begin, position } = machine;
    if (result === LineResult.broken) return this.#damage(position, BROKEN_JSON);
    if (result !== LineResult.valid) return this.#readWhole(begin, position);
    // Written plainly it was passed over.
    if (line.isEscaped(members.type) && idle.has(line.text(members.type) ?? "")) return position;
    return this.#visitor.take?.(this.number) === true ? position : this.#readWhole(begin, position);
  }

  /** Nothing known of the line ends it before `reached`. */
  #readWhole(start: number, reached: number): number {
    const { machine } = this.#sift;
    const { bytes } = machine;
    const end = bytes.indexOf(NEWLINE, reached);
    const value = parseJson(bytes.toString("utf8", start, end));
    if (value === BROKEN) {
      return this.#damage(end, bytes[start] === OPEN ? BROKEN_JSON : NO_JSON);
    }
    // What it changes is more than rules look at.
    machine.unsettle();
    const record = fields(value);
    if (record !== undefined) this.#deliver(record);
    return end;
  }

  #deliver(record: Fields): void {
    const type = record["type"];
    if (typeof type === "string" && this.#sift.idle.has(type)) return;
    this.#visitor.record(record, this.number);
  }

  #damage(reached: number, reason: string): number {
    const { bytes } = this.#sift.machine;
    const end = bytes.indexOf(NEWLINE, reached);
    this.damaged(reason);
    return end;
  }
}

const NEWLINE = 0x0a;
const OPEN = 0x7b;
