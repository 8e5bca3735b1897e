/** Keeps the end of a byte stream as text, in bounded memory. */
export interface TextTail {
  push(chunk: Uint8Array): void;
  /** Bytes seen in all. */
  readonly bytes: number;
  text(): string;
  /** The last line that is not blank; empty when there is none. */
  lastLine(): string;
}

export function createTextTail(keepBytes: number): TextTail {
  let kept: Uint8Array = new Uint8Array();
  let bytes = 0;
  const text = () => new TextDecoder().decode(kept);
  return {
    push(chunk) {
      bytes += chunk.length;
      const joined = new Uint8Array(kept.length + chunk.length);
      joined.set(kept);
      joined.set(chunk, kept.length);
      kept = joined.length > keepBytes ? joined.slice(-keepBytes) : joined;
    },
    get bytes() {
      return bytes;
    },
    text,
    lastLine: () => text().trimEnd().split("\n").at(-1)?.trim() ?? "",
  };
}
