import { isSame, type ProcessEntry, type ProcessTable } from "./process-table.ts";
import { NONCE_VARIABLE } from "./shim.ts";

export interface FamilyMarks {
  readonly nonce: string;
  /** The process that we started, leader of its group and session. */
  readonly root?: ProcessEntry;
  readonly streamPaths: readonly string[];
}

/**
 * The processes that came from one start. A process belongs when it descends from one that belongs, as far as that
 * was seen; when it is in the root's group or session; when its environment carries the nonce; when it writes to the
 * stream files. In a pid namespace descent alone is complete, because orphans go to its pid 1.
 * We and our ancestors never belong: a nested run carries the nonce of the outer one.
 */
export class Family {
  readonly #table: ProcessTable;
  readonly #marks: FamilyMarks;
  readonly #known = new Map<number, ProcessEntry>();
  readonly #excluded: ReadonlySet<number>;

  constructor(table: ProcessTable, marks: FamilyMarks) {
    this.#table = table;
    this.#excluded = lineage(table);
    const { root, ...others } = marks;
    if (root === undefined || this.#excluded.has(root.pid)) {
      this.#marks = others;
      return;
    }
    this.#marks = marks;
    this.#known.set(root.pid, root);
  }

  /** Follows the children of known members and answers with the living ones. Cheap: reads only the tree. */
  descend(): readonly ProcessEntry[] {
    const open = [...this.#known.keys()];
    const seen = new Set<number>();
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      if (seen.has(pid) || this.#excluded.has(pid)) continue;
      seen.add(pid);
      const entry = this.#table.entry(pid);
      const known = this.#known.get(pid);
      if (entry === undefined || (known !== undefined && !isSame(entry, known))) {
        this.#known.delete(pid);
        continue;
      }
      this.#known.set(pid, entry);
      open.push(...this.#table.childrenOf(pid));
    }
    return [...this.#known.values()];
  }

  /** All living members by every mark. Reads all processes of the machine. */
  search(): readonly ProcessEntry[] {
    this.descend();
    const groupIsOurs = this.#groupIsOurs();
    for (const entry of this.#table.all()) {
      if (this.#known.has(entry.pid) || this.#excluded.has(entry.pid) || !this.#couldBe(entry)) continue;
      if ((groupIsOurs && this.#isInGroup(entry)) || this.#isMarked(entry)) this.#known.set(entry.pid, entry);
    }
    return this.descend();
  }

  /** The kernel gives a group's number to no new process while the group has members, but to one after that. */
  #groupIsOurs(): boolean {
    const { root } = this.#marks;
    if (root === undefined) return false;
    const leader = this.#table.entry(root.pid);
    return leader === undefined || isSame(leader, root);
  }

  #couldBe(entry: ProcessEntry): boolean {
    const rootStart = Number(this.#marks.root?.startTicks ?? Number.NaN);
    return !(Number(entry.startTicks) < rootStart);
  }

  #isInGroup(entry: ProcessEntry): boolean {
    const id = this.#marks.root?.pid;
    return entry.groupId === id || entry.sessionId === id;
  }

  #isMarked(entry: ProcessEntry): boolean {
    return (
      this.#table.hasVariable(entry.pid, `${NONCE_VARIABLE}=${this.#marks.nonce}`) ||
      this.#table.writesTo(entry.pid, this.#marks.streamPaths)
    );
  }
}

function lineage(table: ProcessTable): ReadonlySet<number> {
  const pids = new Set<number>();
  for (let pid = process.pid; pid > 0 && !pids.has(pid); pid = table.entry(pid)?.parentPid ?? 0)
    pids.add(pid);
  return pids;
}
