import type { AttemptId, SessionId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { RunningProcess } from "../ports/process.ts";
import type { ChainHead, SessionLease } from "../ports/store.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Baseline } from "../verify/types.ts";
import { Chain, ChainStopped } from "./chain.ts";
import type { RunOptions, RunPorts } from "./ports.ts";
import type { SessionState } from "./state.ts";

/** One session in the hands of this process: its chain, its workspace and what is going on right now. */
export class SessionRun {
  readonly ports: RunPorts;
  readonly options: RunOptions;
  readonly chain: Chain;
  readonly workspace: Workspace;
  /** Running agents by attempt, so that a stop reaches them. */
  readonly processes = new Map<AttemptId, RunningProcess>();
  /** Running checks, so that a stop does not wait for the slowest of them. */
  readonly checks = new Set<RunningProcess>();
  /** In full, with test ids; the state holds a summary. */
  baseline: Baseline | undefined;
  /** False after a takeover: the head that the dead process wrote last is not known. */
  headKnown = true;
  readonly #tasks = new Map<string, Promise<void>>();
  #line: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #crash: unknown;

  constructor(
    ports: RunPorts,
    options: RunOptions,
    workspace: Workspace,
    lease: SessionLease,
    state: SessionState,
    head: ChainHead,
  ) {
    this.ports = ports;
    this.options = options;
    this.workspace = workspace;
    this.chain = new Chain(ports, lease, state, head, (event, next) => {
      options.onProgress?.({ kind: "event", event, state: next });
      this.wake();
    });
    options.onOpen?.(this);
  }

  get session(): SessionId {
    return this.chain.session;
  }
  get state(): SessionState {
    return this.chain.state;
  }
  now(): string {
    return instant(this.ports.clock.now());
  }

  /** The folder that in-place attempts and gates work in. */
  get workDir(): string {
    return this.state.spec.sessionWorktree
      ? this.ports.files.worktreeDir(this.session, "session")
      : this.workspace.root;
  }

  /** Runs something beside the loop; its end wakes the loop, its exception stops it. */
  spawnTask(name: string, work: () => Promise<void>): void {
    if (this.#tasks.has(name)) return;
    const task = work()
      .catch((error: unknown) => {
        if (!(error instanceof ChainStopped)) this.#crash ??= error;
      })
      .finally(() => {
        this.#tasks.delete(name);
        this.wake();
      });
    this.#tasks.set(name, task);
  }

  /** Runs pieces of work that must not overlap, in the order asked for. */
  oneAtATime(work: () => Promise<void>): Promise<void> {
    const turn = this.#line.then(work);
    this.#line = turn.catch(() => undefined);
    return turn;
  }

  hasTask(name: string): boolean {
    return this.#tasks.has(name);
  }

  /** True once a stop has ended checks: what they came to is no verdict. */
  checksCanceled = false;
  cancelChecks(): void {
    this.checksCanceled = true;
    for (const check of this.checks) check.stop("cancel");
  }

  /** Another process holds the session now: nothing of ours may go on. */
  leaseLost(): void {
    for (const process of this.processes.values()) process.stop("force");
    this.wake();
  }

  /** Lets every task end. */
  async settle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks.values());
  }

  /** @throws what a task has thrown: a bug of ours, never an expected failure. */
  throwIfCrashed(): void {
    if (this.#crash !== undefined) throw this.#crash;
  }

  wake(): void {
    this.#wake();
  }

  /** Sleeps until woken or `ms` have passed. */
  async rest(ms: number): Promise<void> {
    const abort = new AbortController();
    this.#wake = () => abort.abort();
    await this.ports.clock.sleep(ms, abort.signal);
    this.#wake = () => undefined;
  }
}
