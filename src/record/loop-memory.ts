import { byCodePoint } from "../core/canonical-json.ts";
import { instant } from "../core/time.ts";
import type { LoopMemory, MemoryNamespace } from "../formats/loop/index.ts";
import type { LoopRecord, LoopRecordKey } from "../ports/store.ts";

/** What a run says of a key. A claim: no check and no gate ever reads it. */
export interface Said {
  readonly namespace: MemoryNamespace;
  readonly key: string;
  readonly content: string;
  /** Where it shows, by whoever said it. */
  readonly provenance?: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** What is known of a key over all runs. */
export interface Fact extends Said {
  /** Sessions that said the same; one that said it twice is one. */
  readonly runs: readonly string[];
  /** How many other sessions said something else of the key. */
  readonly otherwise: number;
  readonly lastAt: string;
  /** Who made it stand; absent while it rests on runs alone. */
  readonly by?: string;
  readonly isPromoted: boolean;
}

type Scope = Pick<LoopRecord, "topLevel" | "loop">;
type Policies = LoopMemory["namespaces"];

const DAY_MS = 24 * 60 * 60_000;
const MOST_RECORDS = 500;

export function memoryRecords(
  scope: Scope,
  session: string,
  at: string,
  said: readonly Said[],
): readonly LoopRecord[] {
  return said.map(({ namespace, key, content, provenance, confidence }) => ({
    ...scope,
    kind: "memory",
    key: `${namespace}/${key}`,
    part: session,
    at: instant(Date.parse(at)),
    document: { content, confidence, ...(provenance !== undefined && { provenance }) },
  }));
}

/** A person's word for what a key holds: later runs neither change nor revoke it. */
export function standingRecord(scope: Scope, fact: Fact, by: string, at: string): LoopRecord {
  const { namespace, key, content, provenance } = fact;
  return {
    ...scope,
    kind: "standing",
    key: `${namespace}/${key}`,
    part: "",
    at: instant(Date.parse(at)),
    document: { content, by, ...(provenance !== undefined && { provenance }) },
  };
}

/** What is too old to be kept, and the oldest beyond what one loop may hold. Of records that come newest first. */
export function outdated(
  records: readonly LoopRecord[],
  retentionDays: Readonly<Partial<Record<MemoryNamespace, number>>>,
  nowMs: number,
): readonly LoopRecordKey[] {
  return records
    .filter(({ kind }) => kind === "memory")
    .filter((record, index) => {
      const [namespace] = placeOf(record);
      return index >= MOST_RECORDS || isExpired(record.at, namespace && retentionDays[namespace], nowMs);
    });
}

/** Newest first. What several runs say of a key goes by the newest: one that says otherwise takes back what was confirmed. */
export function factsOf(records: readonly LoopRecord[], policies: Policies, nowMs: number): readonly Fact[] {
  const byKey = new Map<string, LoopRecord[]>();
  for (const record of records) {
    if (record.kind !== "memory" && record.kind !== "standing") continue;
    byKey.set(record.key, [...(byKey.get(record.key) ?? []), record]);
  }
  return [...byKey.values()]
    .flatMap((same) => factOf(same, policies, nowMs))
    .sort((a, b) => byCodePoint(b.lastAt, a.lastAt) || byCodePoint(a.key, b.key));
}

/** What a run is told: promoted, sure enough, newest first, and no more than it may be. */
export function recalled(facts: readonly Fact[], memory: LoopMemory): readonly Fact[] {
  return facts
    .filter(({ namespace, isPromoted, confidence }) => {
      const { isEnabled, minConfidence } = memory.namespaces[namespace];
      return isEnabled && isPromoted && confidence >= minConfidence;
    })
    .slice(0, memory.maxRetrieved);
}

function factOf(same: readonly LoopRecord[], policies: Policies, nowMs: number): readonly Fact[] {
  const [first] = same;
  const [namespace, key] = first === undefined ? [undefined, ""] : placeOf(first);
  if (namespace === undefined) return [];
  const policy = policies[namespace];
  const standing = same.find(({ kind }) => kind === "standing");
  const runs = same.filter(
    ({ kind, at }) => kind === "memory" && !isExpired(at, policy.retentionDays, nowMs),
  );
  const lead = standing ?? runs.toSorted((a, b) => byCodePoint(b.at, a.at))[0];
  if (lead === undefined) return [];
  const content = textOf(lead, "content");
  const agreeing = runs.filter((one) => meaning(textOf(one, "content")) === meaning(content));
  const confidence = lead.document["confidence"];
  const provenance = textOf(lead, "provenance");
  const sessions = [...new Set(agreeing.map(({ part }) => part))];
  return [
    {
      namespace,
      key,
      content,
      ...(provenance !== "" && { provenance }),
      confidence: standing !== undefined ? 1 : typeof confidence === "number" ? confidence : 0,
      runs: sessions,
      otherwise: new Set(runs.map(({ part }) => part)).size - sessions.length,
      lastAt: lead.at,
      ...(standing !== undefined && { by: textOf(standing, "by") }),
      isPromoted: standing !== undefined || isConfirmed(policy.promotion, sessions.length),
    },
  ];
}

function isConfirmed(promotion: Policies[MemoryNamespace]["promotion"], runs: number): boolean {
  switch (promotion.rule) {
    case "automatic":
      return true;
    case "repeated_validation":
      return runs >= promotion.times;
    case "never":
    case "human_approval":
      return false;
  }
}

/** Two wordings that differ in case, spaces or the last stop say the same. */
function meaning(content: string): string {
  return content
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "");
}

const NAMESPACES: readonly MemoryNamespace[] = ["episodic", "semantic", "procedural", "failure"];

function placeOf({ key }: LoopRecord): readonly [MemoryNamespace | undefined, string] {
  const [name = "", ...rest] = key.split("/");
  return [NAMESPACES.find((known) => known === name), rest.join("/")];
}

function isExpired(at: string, days: number | undefined, nowMs: number): boolean {
  return days !== undefined && Date.parse(at) + days * DAY_MS < nowMs;
}

function textOf({ document }: LoopRecord, member: string): string {
  const value = document[member];
  return typeof value === "string" ? value : "";
}
