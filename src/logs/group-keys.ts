/** Names something that ties a group to others, by the hash of its id. */
export type AddKey = (key: number) => void;

/** Hashes of keys, each once. Where two keys collide, groups are merged that need not be, and nothing else. */
export function packKeys(name: (add: AddKey) => void): string {
  const hashes = new Set<number>();
  name((key) => hashes.add(key));
  const packed = new Float64Array(hashes.size);
  let at = 0;
  for (const hash of hashes) {
    packed[at] = hash;
    at += 1;
  }
  return Buffer.from(packed.buffer).toString("base64");
}

const BYTES_OF_KEY = 8;
let scratch = Buffer.from(new ArrayBuffer(64 * BYTES_OF_KEY));

/** Valid until the next call. */
export function unpackKeys(text: string): Float64Array {
  const most = Math.ceil(text.length / 4) * 3;
  if (scratch.length < most)
    scratch = Buffer.from(new ArrayBuffer(most + BYTES_OF_KEY - (most % BYTES_OF_KEY)));
  const length = scratch.write(text, 0, "base64");
  return new Float64Array(scratch.buffer, 0, length / BYTES_OF_KEY);
}
