import { BadCount, parseFields, timeMs } from "../fields.ts";
import { addDamage, LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { piGroup, piLauncher } from "./paths.ts";
import { readPiRecord } from "./schema.ts";

/** Reads one session file of pi or omp. Only files with a session header hold a session. */
export class PiParser implements LineVisitor {
  readonly facts: PlainFacts;
  readonly #scanner = new LineScanner(['"usage"', '"type":"session', '"type": "session'], this);

  constructor(path: string) {
    this.facts = noPlainFacts(path);
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): PlainFacts {
    this.#scanner.finish();
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.path, line, reason });
  }

  line(line: MarkedLine): void {
    if (line.marks === 0) return;
    const parsed = parseFields(line.text());
    if (parsed === undefined) return;
    if (parsed === "broken") {
      this.damage(line.number, "broken JSON");
      return;
    }
    const atMs = timeMs(parsed["timestamp"]);
    if (atMs !== undefined) this.facts.lastAtMs = Math.max(this.facts.lastAtMs ?? atMs, atMs);
    try {
      this.#take(readPiRecord(parsed));
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${line.number}: ${error.message}`);
    }
  }

  #take(record: ReturnType<typeof readPiRecord>): void {
    const { facts } = this;
    const launcher = piLauncher(facts.path);
    switch (record.kind) {
      case "session":
        facts.session ??= record.id ?? piGroup(facts.path);
        if (launcher !== undefined && launcher !== facts.session) facts.parent ??= launcher;
        if (record.cwd !== undefined) facts.cwd ??= record.cwd;
        if (record.atMs !== undefined) facts.startMs ??= record.atMs;
        if (record.parent !== undefined) facts.forkedFrom ??= piGroup(record.parent).split("_").at(-1) ?? "";
        return;
      case "call":
        facts.calls.push(record.call);
        return;
      case "error":
        facts.errors += 1;
        return;
      case "other":
    }
  }
}
