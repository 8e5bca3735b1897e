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

function makeRoom(bytes: number): void {
  if (scratch.length >= bytes) return;
  scratch = Buffer.from(new ArrayBuffer(bytes + BYTES_OF_KEY - (bytes % BYTES_OF_KEY)));
  keys = new Float64Array(scratch.buffer);
}

/** The keys of many owners, one owner's behind the other's. */
export interface OwnedKeys {
  readonly keys: Float64Array;
  /** Where each owner's end. */
  readonly ends: Uint32Array;
}

/** @param texts what was packed of each owner */
export function unpackKeys(texts: readonly string[]): OwnedKeys {
  const most = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4) * 3, 0);
  const bytes = Buffer.from(new ArrayBuffer(most + BYTES_OF_KEY - (most % BYTES_OF_KEY)));
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [owner, text] of texts.entries()) {
    if (text !== "") at += bytes.write(text, at, "base64");
    ends[owner] = at / BYTES_OF_KEY;
  }
  return { keys: new Float64Array(bytes.buffer, 0, at / BYTES_OF_KEY), ends };
}
