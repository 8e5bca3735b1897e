import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { type Shown, storedDocument } from "../plan/stored.ts";
import type { CommandContext } from "./types.ts";

export const CHOICE_EXT = "dev.loopwright.choice";

/** Keeps a recommendation as it is shown, so that a run can follow it and be set against it. */
export async function keepRecommendation(
  context: CommandContext,
  shown: Pick<Shown, "task" | "rule" | "fit" | "found">,
  documents: readonly OcpDocument[],
): Promise<Result<JsonObject>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const earlier = await store.value.recommendations();
  if (!earlier.ok) return earlier;
  const { taken, byPolicy } = takenByPeople(documents);
  const now = context.now();
  const rec = makeId("recommendation", now, context.entropy(10));
  const document = storedDocument({
    ...shown,
    rec,
    at: instant(now),
    taken,
    recommended: Math.max(0, earlier.value.length - byPolicy),
  });
  const { task, found } = shown;
  const row = {
    recommendation: rec,
    at: instant(now),
    taskType: task.type ?? "unknown",
    ...(task.repo !== undefined && { repo: task.repo }),
    pick: found.pick.candidate.id,
  };
  const configurations = Object.keys(Object(document["configurations"]));
  const put = await store.value.putRecommendation(row, JSON.stringify(document), configurations);
  return put.ok ? ok(document) : put;
}

/** What people took of what they were shown. What `--yes` took was shown to nobody and says nothing of what people take. */
export function takenByPeople(documents: readonly OcpDocument[]): {
  readonly taken: ReadonlyMap<string, number>;
  readonly byPolicy: number;
} {
  const taken = new Map<string, number>();
  let byPolicy = 0;
  for (const { run } of documents) {
    const { key, chosen_by } = Object(run.ext?.[CHOICE_EXT]);
    if (typeof key !== "string") continue;
    if (chosen_by === "policy") byPolicy += 1;
    else taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return { taken, byPolicy };
}
