/** What one lock file gained, and what about its change a person has to look at. */
export interface LockChange {
  readonly added: readonly string[];
  readonly reasons: readonly string[];
}

export const NO_LOCK_CHANGE: LockChange = { added: [], reasons: [] };

export function needsLook(...reasons: readonly string[]): LockChange {
  return { added: [], reasons };
}

/** A lock file as text in both trees; absent where the tree has none. */
export interface LockPair {
  readonly path: string;
  readonly base: string | undefined;
  readonly judged: string | undefined;
  /** Whether a command of this name exists on the PATH that checks get. */
  readonly isTool: (name: string) => boolean;
}
