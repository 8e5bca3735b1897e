/** Names something that ties a group to others, by the hash of its id. */
export type AddKey = (key: number) => void;

/** Hashes of keys, each once. Where two keys collide, groups are merged that need not be, and nothing else. */
export function packKeys(name: (add: AddKey) => void): string {
  const hashes = new Set<number>();
  name((key) => hashes.add(key));
  return Buffer.from(Float64Array.from(hashes).buffer).toString("base64");
}

export function unpackKeys(text: string): Float64Array {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
