import type { Containment, ProcessEnd } from "../../ports/process.ts";
import type { Family } from "./family.ts";
import { keyOf, type ProcessEntry, type ProcessTable } from "./process-table.ts";
import { signalEntry, signalOwnGroup } from "./signals.ts";

/** After a KILL a process may hang in the kernel; nobody is helped by waiting for it any longer. */
const GIVE_UP_MS = 5000;

type Step =
  | { readonly at: "rest" }
  | { readonly at: "term"; readonly sinceMs: number }
  | { readonly at: "kill"; readonly sinceMs: number };

export type StopCause = Extract<ProcessEnd, { kind: "timed-out" | "stalled" | "canceled" }>;

interface LadderOptions {
  readonly table: ProcessTable;
  readonly family: Family;
  readonly root: ProcessEntry;
  readonly containment: Containment;
  readonly graceMs: number;
}

/** TERM to all, KILL to all after the grace. Climbs only; the first cause stays. */
export class KillLadder {
  readonly #options: LadderOptions;
  readonly #termed = new Set<string>();
  readonly #killed = new Set<string>();
  #step: Step = { at: "rest" };
  #cause: StopCause | undefined;

  constructor(options: LadderOptions) {
    this.#options = options;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  get isForced(): boolean {
    return this.#step.at === "kill";
  }

  begin(cause: StopCause, nowMs: number): void {
    this.#cause ??= cause;
    if (this.#step.at === "rest") this.#step = { at: "term", sinceMs: nowMs };
  }

  force(nowMs: number): void {
    this.#cause ??= { kind: "canceled" };
    if (this.#step.at !== "kill") this.#step = { at: "kill", sinceMs: nowMs };
  }

  /** Signals whom the step asks for, newcomers included. Answers false when nothing more can be done. */
  climb(nowMs: number): boolean {
    if (this.#step.at === "term" && nowMs - this.#step.sinceMs >= this.#graceMs()) this.force(nowMs);
    switch (this.#step.at) {
      case "rest":
        return true;
      case "term":
        this.#term();
        return true;
      case "kill":
        this.#kill();
        return nowMs - this.#step.sinceMs < GIVE_UP_MS;
    }
  }

  /** For use after the main process ended: kills who is left, and answers with who was still there. */
  sweep(): { readonly left: number; readonly newlyKilled: number } {
    const members = this.#options.family.search();
    return { left: members.length, newlyKilled: members.filter((member) => this.#killOne(member)).length };
  }

  /** Windows has no TERM. */
  #graceMs(): number {
    return process.platform === "win32" ? 0 : this.#options.graceMs;
  }

  /** The shim is spared, so that it notes how the command ended; as pid 1 of a namespace it survives a TERM. */
  #term(): void {
    const { table, family, root, containment } = this.#options;
    for (const member of containment === "namespace" ? family.descend() : family.search()) {
      if (member.pid === root.pid || this.#termed.has(keyOf(member))) continue;
      this.#termed.add(keyOf(member));
      signalEntry(table, member, "SIGTERM");
    }
  }

  #kill(): void {
    const { table, family, root, containment } = this.#options;
    if (containment === "group") {
      signalOwnGroup(root.pid, "SIGKILL");
      for (const member of family.search()) this.#killOne(member);
      return;
    }
    // Pid 1 takes its namespace with it, and the wrapper ends when all of it is gone.
    const [init] = table.childrenOf(root.pid);
    const entry = init === undefined ? undefined : table.entry(init);
    if (entry === undefined) signalEntry(table, root, "SIGKILL");
    else this.#killOne(entry);
  }

  /** Answers whether this is the first KILL for it. */
  #killOne(member: ProcessEntry): boolean {
    const isFirst = !this.#killed.has(keyOf(member));
    this.#killed.add(keyOf(member));
    return signalEntry(this.#options.table, member, "SIGKILL") && isFirst;
  }
}
