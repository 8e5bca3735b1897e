import type { Result } from "../core/result.ts";

/** How surely every descendant ends with the process: a pid namespace, or a process group with nonce and ancestry. */
export type Containment = "namespace" | "group";

/** Who a process is, so that a reused pid is never taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly host: string;
}

/** Restricts what the process sees of the file system (bubblewrap). Everything else is readable. */
export interface Sandbox {
  readonly writable: readonly string[];
  /** The same for what may not exist. */
  readonly writableWhereThere?: readonly string[];
  /** What must stay as it is inside of what is writable, where it exists. */
  readonly readOnlyWhereThere?: readonly string[];
  /** A hidden folder is empty inside, may be written to, and is gone afterwards. */
  readonly hidden: readonly string[];
  readonly network: boolean;
  /** Mounts `from` at `to` inside. */
  readonly binds?: readonly { readonly from: string; readonly to: string; readonly writable: boolean }[];
}

export interface ProcessRequest {
  /** `argv[0]` is an absolute path, or a bare name that is looked up in `env.PATH`. Never a shell line. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. The runner adds `LOOPWRIGHT_NONCE`. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for stdin; absent closes it. */
  readonly stdin?: string;
  /** A folder of ours, made by the runner: `stdout`, `stderr`, `exit` are written there by the process side. */
  readonly dir: string;
  readonly nonce: string;
  readonly wallMs?: number;
  /** Stalled when neither stream grows for this long and `touch()` is not called. */
  readonly idleMs?: number;
  readonly graceMs: number;
  /** Kept per stream; more is counted and dropped. */
  readonly streamCapBytes: number;
  readonly containment: "strongest" | "group";
  readonly sandbox?: Sandbox;
  /**
   * Live chunks in order, never before `start` has resolved, also of what lies beyond the cap; a slow consumer never
   * grows our memory, but once it is a cap behind it misses what the disk could not keep for it. A chunk is valid during
   * the call only.
   */
  readonly onOutput?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

export type ProcessEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  /** Died by a signal, or ended with 128 and its number, as a shell reports one. */
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out"; readonly wallMs: number }
  | { readonly kind: "stalled"; readonly idleMs: number }
  | { readonly kind: "canceled" };

export interface ProcessOutcome {
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly containment: Containment;
  readonly killedForcefully: boolean;
  /** Descendants that were still alive when the main process ended, and were killed. */
  readonly survivorsKilled: number;
  /** Descendants seen that shed group, nonce and ancestry and could not be killed (containment `group` only). */
  readonly escaped: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

export interface RunningProcess {
  readonly identity: ProcessIdentity;
  readonly containment: Containment;
  /** Resolves once every process of it is gone. Never rejects. */
  readonly outcome: Promise<ProcessOutcome>;
  /** TERM to all, then KILL after the grace; `force` goes to KILL at once. Idempotent. */
  stop(how: "cancel" | "stalled" | "force"): void;
  /** Tells that the process is alive in a way the streams do not show (a new tool call): resets the idle clock. */
  touch(): void;
}

/** What is found of a process that an earlier, dead process of ours had started. */
export type OrphanState =
  | { readonly kind: "gone" }
  | { readonly kind: "finished"; readonly exitCode: number }
  | { readonly kind: "alive"; readonly identities: readonly ProcessIdentity[] };

export interface ProcessRunner {
  /** Problems: `command-not-found`, `spawn-failed`. When it resolves, the process has its identity. */
  start(request: ProcessRequest): Promise<Result<RunningProcess>>;
  /** Looks by identity when there is one, else by nonce in the environments of this user's processes. */
  findOrphan(search: {
    readonly dir: string;
    readonly nonce: string;
    readonly identity?: ProcessIdentity;
  }): Promise<OrphanState>;
  /** Kills verified identities and what carries the nonce; resolves with how many were killed. */
  reap(search: {
    readonly nonce: string;
    readonly identity?: ProcessIdentity;
    readonly graceMs: number;
  }): Promise<number>;
  isAlive(identity: ProcessIdentity): boolean;
  /** The identity of our own process. */
  self(): ProcessIdentity;
  /** Absolute path of a command as the given PATH finds it now. */
  which(command: string, path: string): string | undefined;
  /** Names on this PATH that lead to another program now than when it was first asked about in this process. Sorted. */
  changedTools(path: string): readonly string[];
  /** What this machine offers: `namespace` with bubblewrap or unshare, else `group`. */
  readonly strongest: Containment;
  readonly canSandbox: boolean;
}
