/** What the store makes durable in one step each: a committed transaction or a renamed file. */
export const WRITES = [
  "migrate",
  "create-session",
  "append",
  "lease",
  "checkout",
  "command",
  "run",
  "recommendation",
  "loop-records",
  "blob",
  "claim",
  "heartbeat",
  "complete",
  "cancel",
  "revoke",
] as const;
export type WriteName = (typeof WRITES)[number];
export type WritePoint = `${WriteName}:before` | `${WriteName}:after`;

/** Every moment at which a crash test can end the process: just before and just after each durable step. */
export const WRITE_POINTS: readonly WritePoint[] = WRITES.flatMap((name): WritePoint[] => [
  `${name}:before`,
  `${name}:after`,
]);
