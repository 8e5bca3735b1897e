import { type Fields, parseFields } from "./fields.ts";
import { addDamage, LINE_CAP_BYTES } from "./lines.ts";
import { noPlainFacts, type PlainFacts } from "./plain-calls.ts";

/** Reads a file that is one JSON document. A document above the cap on a line is not held. */
export class WholeDocument {
  readonly facts: PlainFacts;
  readonly #read: (document: Fields, facts: PlainFacts) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(path: string, read: (document: Fields, facts: PlainFacts) => void) {
    this.facts = noPlainFacts(path);
    this.#read = read;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > LINE_CAP_BYTES) this.#chunks = [];
    else this.#chunks.push(Buffer.from(chunk));
  }

  finish(): PlainFacts {
    const { facts } = this;
    const isTooLong = this.#bytes > LINE_CAP_BYTES;
    const document = isTooLong ? "broken" : parseFields(Buffer.concat(this.#chunks).toString("utf8"));
    if (document === undefined || document === "broken") {
      const reason = isTooLong ? `longer than ${LINE_CAP_BYTES} bytes` : "broken JSON";
      addDamage(facts.damaged, { path: facts.path, line: 1, reason });
    } else this.#read(document, facts);
    return facts;
  }
}
