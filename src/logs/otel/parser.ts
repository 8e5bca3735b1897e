import { optional, parseFields } from "../fields.ts";
import { addDamage, LINE_CAP_BYTES, LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { type Span, spansOf } from "./span.ts";

/** Reads traces as OTLP JSON: one export request a line as a collector writes them, or one document over many lines. */
export class OtelParser implements LineVisitor {
  readonly #path: string;
  readonly #scanner = new LineScanner([], this);
  readonly #spans = new Map<string, Span>();
  /** Lines that are no request by themselves: nothing wrong in a document over many lines. */
  readonly #damage: PlainFacts;
  readonly #refused: PlainFacts;
  /** Kept until a line turns out to be a request by itself. */
  #document: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#damage = noPlainFacts(path);
    this.#refused = noPlainFacts(path);
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > LINE_CAP_BYTES) this.#document = undefined;
    this.#document?.push(Buffer.from(chunk));
    this.#scanner.push(chunk);
  }

  finish(): readonly PlainFacts[] {
    this.#scanner.finish();
    const document = this.#document === undefined ? "" : Buffer.concat(this.#document).toString("utf8");
    const isOneDocument = document !== "" && this.#readText(document, 1);
    const spans = [...this.#spans.values()];
    return [...sessionsOf(this.#path, spans), this.#refused, ...(isOneDocument ? [] : [this.#damage])];
  }

  damage(line: number, reason: string): void {
    addDamage(this.#damage.damaged, { path: this.#path, line, reason });
  }

  line(line: MarkedLine): void {
    if (this.#readText(line.text(), line.number)) this.#document = undefined;
    else this.damage(line.number, "broken JSON");
  }

  #readText(request: string, line: number): boolean {
    const parsed = parseFields(request);
    if (parsed === undefined || parsed === "broken") return false;
    const refuse = (reason: string): void => {
      addDamage(this.#refused.damaged, { path: this.#path, line, reason });
    };
    for (const span of spansOf(parsed, refuse)) this.#spans.set(`${span.trace} ${span.id}`, span);
    return true;
  }
}

/** Spans below a span of another session were launched by it: the trace says so itself. */
function sessionsOf(path: string, spans: readonly Span[]): PlainFacts[] {
  const byId = new Map(spans.map((span) => [`${span.trace} ${span.id}`, span]));
  const sessions = new Map<string, PlainFacts>();
  for (const span of spans) {
    const facts = sessions.get(span.session) ?? noPlainFacts(path);
    facts.session = span.session;
    sessions.set(span.session, facts);
    addSpan(facts, span);
    const above = byId.get(`${span.trace} ${span.parent ?? ""}`);
    if (above !== undefined && above.session !== span.session) facts.parent ??= above.session;
  }
  return [...sessions.values()];
}

function addSpan(facts: PlainFacts, span: Span): void {
  const { startMs, endMs, usage } = span;
  if (startMs !== undefined) facts.startMs = Math.min(facts.startMs ?? startMs, startMs);
  if (endMs !== undefined) facts.lastAtMs = Math.max(facts.lastAtMs ?? endMs, endMs);
  if (usage === undefined) return;
  if (span.hasFailed) facts.errors += 1;
  facts.calls.push({
    key: `${span.trace} ${span.id}`,
    model: span.model ?? "unknown",
    atMs: endMs ?? startMs,
    usage,
    ...optional("recordedUsd", span.statedUsd),
    ...optional("subagent", span.agent),
  });
}
