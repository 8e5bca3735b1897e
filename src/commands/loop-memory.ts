import { ok, type Result } from "../core/result.ts";
import type { Loop, MemoryNamespace } from "../formats/loop/index.ts";
import type { Fact } from "../record/index.ts";
import type { SessionMemory } from "../run/spec.ts";
import { keptRecords } from "./loop-records.ts";
import type { CommandContext } from "./types.ts";

/** What earlier runs of a loop in this folder left, newest first; empty without a store. */
export async function loopFacts(context: CommandContext, loop: Loop): Promise<Result<readonly Fact[]>> {
  const records = await keptRecords(context, loop.name);
  if (!records.ok) return records;
  const { factsOf } = await import("../record/loop-memory.ts");
  return ok(factsOf(records.value, loop.memory.namespaces, context.now()));
}

/** What a session of the loop is told, and what it may keep. */
export async function sessionMemory(context: CommandContext, loop: Loop): Promise<Result<SessionMemory>> {
  const facts = await loopFacts(context, loop);
  if (!facts.ok) return facts;
  const { recalled } = await import("../record/loop-memory.ts");
  return ok({ told: recalled(facts.value, loop.memory).map(factLine), keeps: keepsOf(loop) });
}

export function factLine({ namespace, key, content }: Fact): string {
  return `[${namespace}] ${key}: ${content}`;
}

const KEPT = ["semantic", "procedural", "failure"] as const satisfies readonly MemoryNamespace[];

function keepsOf({ memory }: Loop): SessionMemory["keeps"] {
  const enabled = KEPT.filter((name) => memory.namespaces[name].isEnabled);
  return Object.fromEntries(
    enabled.map((name) => {
      const { requireProvenance, retentionDays } = memory.namespaces[name];
      return [name, { requireProvenance, ...(retentionDays !== undefined && { retentionDays }) }];
    }),
  );
}
