import { fail, ok, type Result } from "../core/result.ts";
import type { Instant } from "../core/time.ts";
import type { OcpDocument, OcpPiece, OcpSetting } from "../formats/ocp/index.ts";
import type { CAUSES } from "./words.ts";

/** An agent's session that belongs to the run, perhaps to a named piece of it. */
export interface SessionToMap {
  readonly session: string;
  readonly piece?: string;
  readonly harness: string;
  readonly models: readonly string[];
  readonly startedAt: Instant;
  readonly lastAt: Instant;
}

export interface MappedSession extends SessionToMap {
  readonly piece: string;
  readonly how: "named" | "model" | "harness" | "order" | "round";
  readonly round: number;
  readonly cause: (typeof CAUSES)[number];
}

interface Slot {
  readonly piece: OcpPiece;
  readonly setting: OcpSetting | undefined;
  free: number;
}

/**
 * Says which piece each session worked on. Named ones first; the others by time of start: a free copy of a piece with
 * the same model, else the same harness, else the next free piece; when none is free, a later round of the piece with
 * that model, else of the implementer. Problem: `unknown-piece`.
 */
export function mapSessions(
  { run }: OcpDocument,
  sessions: readonly SessionToMap[],
): Result<readonly MappedSession[]> {
  const workflow = run.configuration?.workflow;
  const pieces = workflow !== undefined && "pieces" in workflow ? workflow.pieces : [];
  const slots = pieces.map((piece) => ({
    piece,
    setting: run.configuration?.settings?.[piece.id],
    free: piece.width ?? 1,
  }));
  const placed: {
    readonly session: SessionToMap;
    readonly piece: string;
    readonly how: MappedSession["how"];
  }[] = [];
  const inTime = [...sessions].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  for (const session of [
    ...inTime.filter(({ piece }) => piece !== undefined),
    ...inTime.filter(({ piece }) => piece === undefined),
  ]) {
    const place = placeOf(session, slots);
    if (place === undefined) {
      const known = pieces.map(({ id }) => id).join(", ");
      return fail(
        "unknown-piece",
        `run ${run.id} has no piece ${session.piece ?? "at all"}; it has ${known}`,
      );
    }
    place.slot.free -= 1;
    placed.push({ session, piece: place.slot.piece.id, how: place.how });
  }
  return ok(withRounds(placed, slots));
}

function placeOf(
  { piece, models, harness }: SessionToMap,
  slots: readonly Slot[],
): { readonly slot: Slot; readonly how: MappedSession["how"] } | undefined {
  if (piece !== undefined) {
    const slot = slots.find((one) => one.piece.id === piece);
    return slot && { slot, how: "named" };
  }
  const hasModel = ({ setting }: Slot): boolean =>
    models.includes(setting?.model?.id ?? setting?.model?.raw ?? "");
  const free = slots.filter((slot) => slot.free > 0);
  const byModel = free.find(hasModel);
  if (byModel !== undefined) return { slot: byModel, how: "model" };
  const byHarness = free.find(({ setting }) => setting?.harness === harness);
  if (byHarness !== undefined) return { slot: byHarness, how: "harness" };
  const [next] = free;
  if (next !== undefined) return { slot: next, how: "order" };
  const again = slots.find(hasModel) ?? slots.find((slot) => slot.piece.role === "implementer") ?? slots[0];
  return again && { slot: again, how: "round" };
}

/**
 * Sessions of one piece that overlap share a round, up to its width; a later one opens the next round, sent back when a
 * reviewer began in between.
 */
function withRounds(
  placed: readonly {
    readonly session: SessionToMap;
    readonly piece: string;
    readonly how: MappedSession["how"];
  }[],
  slots: readonly Slot[],
): readonly MappedSession[] {
  const widthOf = new Map(slots.map(({ piece }) => [piece.id, piece.width ?? 1]));
  const reviewers = new Set(
    slots.filter(({ piece }) => piece.role === "reviewer").map(({ piece }) => piece.id),
  );
  const done: MappedSession[] = [];
  for (const { session, piece, how } of [...placed].sort((a, b) =>
    a.session.startedAt < b.session.startedAt ? -1 : 1,
  )) {
    const mine = done.filter((one) => one.piece === piece);
    const latest = Math.max(0, ...mine.map(({ round }) => round));
    const together = mine.filter(({ round }) => round === latest);
    const shares =
      together.length < (widthOf.get(piece) ?? 1) &&
      together.some(({ lastAt }) => lastAt > session.startedAt);
    const round = latest === 0 ? 1 : shares ? latest : latest + 1;
    const before = together.at(-1);
    const wasSentBack =
      before !== undefined &&
      placed.some(
        (other) =>
          reviewers.has(other.piece) &&
          other.session.startedAt >= before.startedAt &&
          other.session.startedAt <= session.startedAt,
      );
    const cause = round === 1 ? "initial" : wasSentBack ? "sent_back" : "followup";
    done.push({ ...session, piece, how, round, cause });
  }
  return done;
}
