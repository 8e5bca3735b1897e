import type { Json } from "../core/canonical-json.ts";
import type { SessionId } from "../core/ids.ts";
import { InvariantError, ok, type Problem, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { Append, ChainHead, SessionLease } from "../ports/store.ts";
import { type DatedEvent, fromStored, type SessionEvent, toNewEvent } from "./events.ts";
import { step } from "./fold.ts";
import type { RunPorts } from "./ports.ts";
import type { SessionState } from "./state.ts";

/** Events and the queue effects that must be committed with them. */
export interface Change extends Pick<Append, "enqueue" | "acknowledge" | "answered"> {
  readonly events: readonly SessionEvent[];
}

/** The store refused a write that the session cannot go on without. */
export class ChainStopped extends Error {
  override readonly name = "ChainStopped";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * The one writer of a session's chain in this process. Appends run one after the other, each decided on the state
 * that the one before left, so concurrent tasks never race. A refused append ends the session's run here.
 */
export class Chain {
  #state: SessionState;
  #head: ChainHead;
  #tail: Promise<unknown> = Promise.resolve();
  #stopped: ChainStopped | undefined;
  readonly session: SessionId;
  readonly lease: SessionLease;
  readonly #ports: Pick<RunPorts, "store" | "clock">;
  readonly #listener: (event: DatedEvent, state: SessionState) => void;

  constructor(
    ports: Pick<RunPorts, "store" | "clock">,
    lease: SessionLease,
    state: SessionState,
    head: ChainHead,
    listener: (event: DatedEvent, state: SessionState) => void,
  ) {
    this.#ports = ports;
    this.session = lease.session;
    this.lease = lease;
    this.#state = state;
    this.#head = head;
    this.#listener = listener;
  }

  get state(): SessionState {
    return this.#state;
  }
  get head(): ChainHead {
    return this.#head;
  }
  get stopped(): Problem | undefined {
    return this.#stopped?.problem;
  }

  /**
   * Appends what `decide` makes of the present state; undefined appends nothing.
   * @throws ChainStopped when the store refuses: lease lost, head moved, disk full, damaged.
   */
  commit(decide: (state: SessionState) => Change | undefined): Promise<void> {
    const turn = this.#tail.then(() => this.#append(decide));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** True when the stored head is the one that we wrote last. */
  async headIsOurs(): Promise<Result<boolean>> {
    await this.#tail;
    const stored = await this.#ports.store.head(this.session);
    if (!stored.ok) return stored;
    return ok(stored.value.seq === this.#head.seq && stored.value.hash === this.#head.hash);
  }

  /**
   * Writes on top of a head that is not ours, and brings back our state beside it. Nothing else can be written
   * afterwards. What cannot be written stays unwritten: the chain is lost to us anyway.
   */
  async disown(events: (state: SessionState) => readonly SessionEvent[]): Promise<void> {
    await this.#tail;
    const found = await this.#ports.store.head(this.session);
    if (!found.ok) return;
    this.#head = found.value;
    await this.#write((state) => ({ events: events(state) })).catch((error: unknown) => {
      if (!(error instanceof ChainStopped)) throw error;
    });
  }

  async #append(decide: (state: SessionState) => Change | undefined): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    try {
      await this.#write(decide);
    } catch (error) {
      if (error instanceof ChainStopped) this.#stopped = error;
      throw error;
    }
  }

  async #write(decide: (state: SessionState) => Change | undefined): Promise<void> {
    const change = decide(this.#state);
    if (change === undefined) return;
    const at = instant(this.#ports.clock.now());
    const events = change.events.map((event) => toNewEvent(event, at));
    let next = this.#state;
    change.events.forEach((event, index) => {
      next = step(next, { ...event, at, seq: this.#head.seq + index + 1 });
    });
    const { events: _events, ...effects } = change;
    const written = await this.#ports.store.append({
      session: this.session,
      fence: this.lease.fence,
      expectedHead: this.#head,
      events,
      summary: summaryOf(next),
      ...effects,
    });
    if (!written.ok) throw new ChainStopped(written.problem);
    this.#state = next;
    this.#head = written.value.head;
    for (const stored of written.value.events) {
      const event = fromStored(stored);
      if (!event.ok) throw new InvariantError(event.problem.message);
      this.#listener(event.value, next);
    }
  }
}

/** What lists and `status` show. Long lists are left out, since it is rewritten with each append. */
function viewOf(state: SessionState): SessionState {
  const { spec } = state;
  const protection = { ...spec.gate.protection, paths: [] };
  const environment = { ...spec.gate.environment, snapshots: [] };
  return {
    ...state,
    spec: { ...spec, gate: { ...spec.gate, protection, environment } },
    seenTrees: [],
    seenResults: [],
    gates: state.gates.slice(-1),
  };
}

export function summaryOf(state: SessionState): Append["summary"] {
  return {
    title: state.spec.title,
    state: state.lifecycle,
    ...(state.outcome === undefined ? {} : { outcome: state.outcome }),
    // States are plain and are never changed: what the store writes of one is its copy.
    projection: viewOf(state) as unknown as Json,
  };
}
