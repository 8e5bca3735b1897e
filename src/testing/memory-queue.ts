import { storedJson } from "../core/chain.ts";
import type { AttemptId } from "../core/ids.ts";
import { InvariantError, ok } from "../core/result.ts";
import type { AttemptQueue, Claim, QueueRow } from "../ports/queue.ts";
import type { QueuedAttempt } from "../ports/store.ts";

interface Entry {
  readonly order: QueuedAttempt;
  readonly row: QueueRow;
}

/** The queue of a memory store; the store enqueues and acknowledges through it. */
export class MemoryQueue implements AttemptQueue {
  readonly #entries = new Map<AttemptId, Entry>();

  async claim(request: Parameters<AttemptQueue["claim"]>[0]) {
    const claims: Claim[] = [];
    while (claims.length < request.max) {
      const best = this.#claimable(request)[0];
      if (best === undefined) break;
      const { attempt, session, assignment } = best.order;
      const { worker, leaseUntil } = request;
      const fence = best.row.fence + 1;
      this.#update(best, { state: "claimed", fence, worker, leaseUntil });
      claims.push({ attempt, session, worker, fence, assignment, leaseUntil });
    }
    return ok(claims);
  }

  async heartbeat(claim: Claim, leaseUntil: string) {
    const entry = this.#held(claim.attempt, claim.fence);
    if (entry === undefined) return ok("lost" as const);
    this.#update(entry, { leaseUntil });
    return ok(entry.row.cancelRequested ? ("canceled" as const) : ("ok" as const));
  }

  async complete(claim: Claim, result: NonNullable<QueueRow["result"]>) {
    const entry = this.#held(claim.attempt, claim.fence);
    if (entry === undefined || entry.order.assignment !== claim.assignment) return ok(false);
    const { leaseUntil: _, ...row } = entry.row;
    this.#entries.set(claim.attempt, {
      ...entry,
      row: { ...row, state: "settled", result: storedJson(result) },
    });
    return ok(true);
  }

  async cancel(attempt: AttemptId) {
    const entry = this.#entries.get(attempt);
    if (entry?.row.state === "ready") this.#update(entry, { state: "canceled", cancelRequested: true });
    else if (entry?.row.state === "claimed") this.#update(entry, { cancelRequested: true });
    return ok(undefined);
  }

  async revoke(attempt: AttemptId, fence: number) {
    const entry = this.#held(attempt, fence);
    if (entry === undefined) return ok(false);
    const { leaseUntil: _, worker: __, ...row } = entry.row;
    this.#entries.set(attempt, { ...entry, row: { ...row, state: "canceled", fence: fence + 1 } });
    return ok(true);
  }

  async list(session: QueueRow["session"]) {
    return ok([...this.#entries.values()].map((entry) => entry.row).filter((row) => row.session === session));
  }

  /** @throws InvariantError as the embedded store does, before anything has changed */
  check(enqueue: readonly QueuedAttempt[], acknowledge: readonly AttemptId[]): void {
    const known = new Set(this.#entries.keys());
    for (const attempt of acknowledge) {
      const state = this.#entries.get(attempt)?.row.state;
      if (state === "ready" || state === "claimed")
        throw new InvariantError(`attempt ${attempt} is still ${state}`);
      known.delete(attempt);
    }
    for (const { attempt } of enqueue) {
      if (known.has(attempt)) throw new InvariantError(`attempt ${attempt} is queued already`);
      known.add(attempt);
    }
  }

  apply(enqueue: readonly QueuedAttempt[], acknowledge: readonly AttemptId[]): void {
    for (const attempt of acknowledge) this.#entries.delete(attempt);
    for (const order of enqueue) {
      const { attempt, session, key } = order;
      const row: QueueRow = { attempt, session, key, state: "ready", fence: 0, cancelRequested: false };
      this.#entries.set(attempt, { order, row });
    }
  }

  #claimable(request: Parameters<AttemptQueue["claim"]>[0]): readonly Entry[] {
    const entries = [...this.#entries.values()];
    const busy = new Set(entries.filter(({ row }) => row.state === "claimed").map(({ row }) => row.key));
    return entries
      .filter(
        ({ order, row }) => row.state === "ready" && order.notBefore <= request.now && !busy.has(row.key),
      )
      .filter(({ order }) => request.capabilities.includes(order.capability))
      .filter(({ order }) => request.session === undefined || order.session === request.session)
      .filter(({ order }) => order.dependsOn.every((needed) => this.#isBehind(needed)))
      .sort((a, b) => b.order.priority - a.order.priority);
  }

  #isBehind(needed: AttemptId): boolean {
    const state = this.#entries.get(needed)?.row.state;
    return state === undefined || state === "settled";
  }

  #held(attempt: AttemptId, fence: number): Entry | undefined {
    const entry = this.#entries.get(attempt);
    return entry?.row.state === "claimed" && entry.row.fence === fence ? entry : undefined;
  }

  #update(entry: Entry, change: Partial<QueueRow>): void {
    this.#entries.set(entry.order.attempt, { ...entry, row: { ...entry.row, ...change } });
  }
}
