/** Where time and chance come from, so that tests can move the one and fix the other. */
export interface Clock {
  /** Milliseconds since the epoch. May jump: for labels and deadlines that outlive the process. */
  now(): number;
  /** Milliseconds from an arbitrary start that never goes back: for measuring. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Entropy {
  bytes(count: number): Uint8Array;
}
