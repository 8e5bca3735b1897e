import { haveSameInput } from "../call.ts";
import type { CallFact } from "./facts.ts";
import type { AssistantRecord, UserRecord } from "./schema.ts";

interface Place {
  readonly fact: CallFact;
  readonly openTools: Set<string>;
  isOver: boolean;
}

/**
 * Tells calls apart by where their records stand, for gateways that answer every call with one message id: a new call
 * starts after a prompt, or after the tool results that answer the previous call's tool uses.
 */
export class PlaceTracker {
  /** Subagents written into the same file run between the main agent's records: one place each. */
  readonly #current = new Map<string, Place>();
  readonly #byUuid = new Map<number, CallFact>();

  /** The call that this record goes on with; undefined when it starts a new one. */
  find(record: AssistantRecord): CallFact | undefined {
    const repeated = record.uuid === undefined ? undefined : this.#byUuid.get(record.uuid);
    if (repeated !== undefined) return repeated;
    const place = this.#current.get(chainOf(record));
    if (place === undefined || place.fact.messageId !== record.messageId) return undefined;
    const { requestId, uuids, usage } = place.fact;
    if (requestId !== undefined && record.requestId !== undefined) {
      if (requestId !== record.requestId) return undefined;
      // A gateway may repeat this id too, but records of one call say the same of what was sent.
      if (haveSameInput(usage, record.usage)) return place.fact;
    }
    const isChild = record.parentUuid !== undefined && uuids.includes(record.parentUuid);
    return isChild || !place.isOver ? place.fact : undefined;
  }

  assistant(record: AssistantRecord, fact: CallFact): void {
    const chain = chainOf(record);
    const before = this.#current.get(chain);
    const place = before?.fact === fact ? before : { fact, openTools: new Set<string>(), isOver: false };
    for (const tool of record.toolUses) place.openTools.add(tool);
    this.#current.set(chain, place);
    if (record.uuid !== undefined) this.#byUuid.set(record.uuid, fact);
  }

  user(record: UserRecord): void {
    const place = this.#current.get(chainOf(record));
    if (place === undefined) return;
    if (record.isPrompt) place.isOver = true;
    let isAnswer = false;
    for (const tool of record.toolResults) isAnswer = place.openTools.delete(tool) || isAnswer;
    if (isAnswer && place.openTools.size === 0) place.isOver = true;
  }
}

function chainOf(record: Pick<UserRecord, "agentId" | "isSidechain">): string {
  return record.agentId ?? (record.isSidechain ? "sidechain" : "main");
}
