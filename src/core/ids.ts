/** Identifiers: a prefix and a ULID (48 bits of milliseconds, 80 random bits), so that they sort by age. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PREFIXES = {
  session: "ses",
  run: "run",
  attempt: "att",
  command: "cmd",
  signal: "sig",
  task: "tsk",
  slate: "slt",
  preference: "prf",
  recommendation: "rec",
} as const;
export type IdKind = keyof typeof PREFIXES;

export type SessionId = string & { readonly __brand: "SessionId" };
export type RunId = string & { readonly __brand: "RunId" };
export type AttemptId = string & { readonly __brand: "AttemptId" };
interface IdTypes {
  readonly session: SessionId;
  readonly run: RunId;
  readonly attempt: AttemptId;
  readonly command: string;
  readonly signal: string;
  readonly task: string;
  readonly slate: string;
  readonly preference: string;
  readonly recommendation: string;
}

/** @param entropy at least 10 random bytes */
export function makeId<K extends IdKind>(kind: K, nowMs: number, entropy: Uint8Array): IdTypes[K] {
  let bits = BigInt(nowMs);
  for (let i = 0; i < 10; i += 1) bits = (bits << 8n) | BigInt(entropy[i] ?? 0);
  let text = "";
  for (let i = 0; i < 26; i += 1) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return `${PREFIXES[kind]}_${text}` as IdTypes[K];
}

export function parseId<K extends IdKind>(kind: K, text: string): IdTypes[K] | undefined {
  const body = /^([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}$/.exec(text);
  return body?.[1] === PREFIXES[kind] ? (text as IdTypes[K]) : undefined;
}
