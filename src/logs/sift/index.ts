import { type Fields, fields } from "../fields.ts";
import { FIRST_LINE, LineFrame, type LinePlace } from "../line-frame.ts";
import { BROKEN, BROKEN_JSON, NO_JSON, parseJson } from "../lines.ts";
import { INPUT, LineResult, SiftMachine } from "./machine.ts";
import { LineMembers, type Member, memberOf, nodesOf, type WantedMembers } from "./members.ts";

export type { LineMembers, Member } from "./members.ts";

export interface SiftedKind<Name extends string> extends WantedMembers<Name | "type"> {
  /** Types of records, as their outermost `type` says, that are left out. */
  readonly idle: ReadonlySet<string>;
}

export interface RecordVisitor {
  /** A record with all its members. */
  record(fields: Fields, lineNumber: number): void;
  /**
   * The short way, by the members that are wanted: what it does with a line must be what `record` would do. False
   * leaves it to `record`.
   */
  take?(lineNumber: number): boolean;
  damage(lineNumber: number, reason: string): void;
}

/** What all readings of one kind of log share on a thread. It keeps nothing of a line after the call. */
export class Sift<Name extends string> {
  readonly idle: ReadonlySet<string>;
  readonly machine: SiftMachine;
  readonly line: LineMembers;
  readonly members: Readonly<Record<Name | "type", Member>>;

  constructor(kind: SiftedKind<Name>) {
    const nodes = nodesOf(kind);
    this.idle = kind.idle;
    this.machine = new SiftMachine([...nodes.values()]);
    this.line = new LineMembers(this.machine, nodes.size);
    this.members = placesOf(kind.paths, (path) => memberOf(nodes.get(path)?.node ?? 0));
  }
}

/** What the reading itself asks for. */
type LineSift = Pick<Sift<"type">, "idle" | "machine" | "line" | "members">;

function placesOf<Name extends string>(
  paths: Readonly<Record<Name, string>>,
  placeOf: (path: string) => Member,
): Record<Name, Member> {
  const places: Partial<Record<Name, Member>> = {};
  for (const name of Object.keys(paths) as Name[]) places[name] = placeOf(paths[name]);
  return places as Record<Name, Member>;
}

/**
 * Records of a JSON-lines log with their wanted members, in any chunking. Every line is checked to the letter, so that
 * a visitor is told the same as if each had been parsed whole.
 */
export class SiftedLines extends LineFrame {
  readonly #sift: LineSift;
  readonly #visitor: RecordVisitor;

  constructor(sift: LineSift, visitor: RecordVisitor, from: LinePlace = FIRST_LINE) {
    super(from);
    this.#sift = sift;
    this.#visitor = visitor;
  }

  protected override damaged(reason: string): void {
    this.#visitor.damage(this.number, reason);
  }

  protected override read(pieces: readonly Uint8Array[]): void {
    const { machine } = this.#sift;
    const end = machine.load(pieces);
    let at = INPUT;
    while (at < end) {
      this.number += 1;
      at = this.#readLine(at) + 1;
    }
  }

  /** Returns the place of the line's newline. */
  #readLine(from: number): number {
    const { machine } = this.#sift;
    const start = this.startOf(machine.bytes, from);
    const first = machine.bytes[start];
    if (first === NEWLINE) return start;
    if (first !== OPEN) return this.#readWhole(start, start);
    const result = machine.readLine(start);
    if (result === LineResult.broken) return this.#damage(machine.position, BROKEN_JSON);
    if (result === LineResult.unsure) return this.#readWhole(start, machine.position);
    const end = machine.position;
    const { idle, line, members } = this.#sift;
    const type = line.text(members.type);
    if (type !== undefined && idle.has(type)) return end;
    return this.#visitor.take?.(this.number) === true ? end : this.#readWhole(start, end);
  }

  /** Nothing known of the line ends it before `reached`. */
  #readWhole(start: number, reached: number): number {
    const { bytes } = this.#sift.machine;
    const end = bytes.indexOf(NEWLINE, reached);
    const value = parseJson(bytes.toString("utf8", start, end));
    if (value === BROKEN) {
      return this.#damage(end, bytes[start] === OPEN ? BROKEN_JSON : NO_JSON);
    }
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
