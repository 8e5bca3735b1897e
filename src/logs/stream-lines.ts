import { type Fields, fields, list, parseFields } from "./fields.ts";
import { FIRST_LINE } from "./line-frame.ts";
import { LineScanner, type LineVisitor, type MarkedLine } from "./lines.ts";

const KEPT_CHARS = 4000;
/** Far beyond any message seen; a line is held up to four times while it is read, for each agent that runs. */
const MESSAGE_CAP_BYTES = 16 * 1024 * 1024;

/** The objects on an agent's stdout, in any chunking; other text is kept, cut, for an error message. */
export class StreamLines implements LineVisitor {
  readonly #scanner = new LineScanner([], this, { ...FIRST_LINE, capBytes: MESSAGE_CAP_BYTES });
  readonly #take: (line: Fields) => void;
  #garbage = "";

  constructor(take: (line: Fields) => void) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): void {
    this.#scanner.finish();
  }

  /** The text between the objects; empty when there was none. */
  get plainText(): string {
    return this.#garbage.trim();
  }

  line(line: MarkedLine): void {
    const text = line.text();
    const parsed = parseFields(text);
    if (parsed === "broken") this.garbage(text);
    else if (parsed !== undefined) this.#take(parsed);
  }

  damage(): void {
    // Damaged lines of a live stream have no file to be found in; their text is kept instead.
  }

  /** The end of a run is where its error stands: the last of the text is kept. */
  garbage(text: string): void {
    this.#garbage = `${this.#garbage}${text.slice(-KEPT_CHARS)}\n`.slice(-KEPT_CHARS);
  }

  /** Some outputs are one list of all messages. */
  value(value: unknown): void {
    for (const item of list(value)) {
      const entry = fields(item);
      if (entry !== undefined) this.#take(entry);
    }
  }
}

/** Cut to what a summary may hold. */
export function cut(text: string): string {
  return text.length <= KEPT_CHARS ? text : `${text.slice(0, KEPT_CHARS - 1)}…`;
}
