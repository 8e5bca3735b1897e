/** Names something that ties a group to others, by the hash of its id. */
export type AddKey = (key: number) => void;

const BYTES_OF_KEY = 8;
const hashes = new Set<number>();
let scratch = Buffer.from(new ArrayBuffer(64 * BYTES_OF_KEY));
let keys = new Float64Array(scratch.buffer);

/** Hashes of keys, each once. Where two keys collide, groups are merged that need not be, and nothing else. */
export function packKeys(name: (add: AddKey) => void): string {
  hashes.clear();
  name(addHash);
  makeRoom(hashes.size * BYTES_OF_KEY);
  let at = 0;
  for (const hash of hashes) {
    keys[at] = hash;
    at += 1;
  }
  return scratch.toString("base64", 0, at * BYTES_OF_KEY);
}

function addHash(key: number): void {
  hashes.add(key);
}

/** Valid until keys are packed or unpacked again. */
export function unpackKeys(text: string): Float64Array {
  makeRoom(Math.ceil(text.length / 4) * 3);
  const length = scratch.write(text, 0, "base64");
  return new Float64Array(scratch.buffer, 0, length / BYTES_OF_KEY);
}

function makeRoom(bytes: number): void {
  if (scratch.length >= bytes) return;
  scratch = Buffer.from(new ArrayBuffer(bytes + BYTES_OF_KEY - (bytes % BYTES_OF_KEY)));
  keys = new Float64Array(scratch.buffer);
}
