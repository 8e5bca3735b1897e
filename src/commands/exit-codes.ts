/** How every command ends. The meaning of each number is part of the product. */
export const ExitCode = {
  /** Done; for `go`, `loop start`, `loop resume` and `gate`: the gate says that the goal is satisfied. */
  ok: 0,
  /** A flag, a file or a request that we refuse. */
  userError: 1,
  /** The run, workflow or session that was named does not exist. */
  notFound: 2,
  notImplemented: 3,
  /** Another process holds the store or the checkout; the message names it. */
  locked: 4,
  noFit: 5,
  /** The answer is no: stopped by a limit other than money or by no progress; `gate` says no. */
  notSatisfied: 10,
  /** A person must decide; the message gives the command. */
  awaitingApproval: 11,
  /** Cannot go on without help: uncheckable, unresolvable, tampered. */
  blocked: 12,
  /** Stopped by a spend ceiling before the goal. */
  budgetExhausted: 13,
  /** Our bug. */
  internal: 70,
  /** A rate limit or an outage; `--json` carries `retryAt`. */
  tryAgainLater: 75,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
