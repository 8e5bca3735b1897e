/** Loaded by the first who hashes: a command that hashes nothing starts in milliseconds less. */
export function cryptoModule(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** A SHA-256 in 64 lower-case hex digits. */
export type Digest = string & { readonly __brand: "Digest" };

export function sha256(data: string | Uint8Array): Digest {
  return cryptoModule().hash("sha256", data) as Digest;
}

/** The same of many texts one after the other, without a text of them all. */
export function sha256Of(texts: Iterable<string>): Digest {
  const sum = cryptoModule().createHash("sha256");
  for (const text of texts) sum.update(text);
  return sum.digest("hex") as Digest;
}

export function parseDigest(text: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Digest) : undefined;
}
