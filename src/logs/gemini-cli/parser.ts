import { BadCount, fields, list, parseFields, text, timeMs } from "../fields.ts";
import { addDamage, LINE_CAP_BYTES } from "../lines.ts";
import { noPlainFacts, type PlainFacts } from "../plain-calls.ts";
import { readGeminiCall } from "./schema.ts";

/** Reads one session document of Gemini CLI. A document above the cap on a line is not held. */
export class GeminiParser {
  readonly facts: PlainFacts;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.facts = noPlainFacts(path);
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > LINE_CAP_BYTES) this.#chunks = [];
    else this.#chunks.push(Buffer.from(chunk));
  }

  finish(): PlainFacts {
    const { facts } = this;
    const whole = Buffer.concat(this.#chunks).toString("utf8");
    const parsed = this.#bytes > LINE_CAP_BYTES ? "broken" : parseFields(whole);
    if (parsed === undefined || parsed === "broken") {
      const reason = this.#bytes > LINE_CAP_BYTES ? `longer than ${LINE_CAP_BYTES} bytes` : "broken JSON";
      addDamage(facts.damaged, { path: facts.path, line: 1, reason });
      return facts;
    }
    const id = text(parsed["sessionId"]);
    const startMs = timeMs(parsed["startTime"]);
    const lastAtMs = timeMs(parsed["lastUpdated"]);
    if (id !== undefined) facts.session = id;
    if (startMs !== undefined) facts.startMs = startMs;
    if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
    for (const [i, entry] of list(parsed["messages"]).entries()) this.#message(entry, i);
    return facts;
  }

  #message(entry: unknown, i: number): void {
    const message = fields(entry);
    if (message === undefined) return;
    if (message["type"] === "error") this.facts.errors += 1;
    try {
      const call = readGeminiCall(message);
      if (call !== undefined) this.facts.calls.push(call);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`message ${i + 1}: ${error.message}`);
    }
  }
}
