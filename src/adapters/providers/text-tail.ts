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
      const news = chunk.subarray(-keepBytes);
      const old = kept.subarray(Math.max(0, kept.length + news.length - keepBytes));
      kept = new Uint8Array(old.length + news.length);
      kept.set(old);
      kept.set(news, old.length);
    },
    get bytes() {
      return bytes;
    },
    text,
    lastLine: () => text().trimEnd().split("\n").at(-1)?.trim() ?? "",
  };
}
