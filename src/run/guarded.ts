import { ok, type Result } from "../core/result.ts";
import type { Sandbox } from "../ports/process.ts";
import type { SessionFiles } from "../ports/session-files.ts";
import { type GuardPlaces, guardsFor } from "./guards.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionState } from "./state.ts";

const MOST_REFUSALS = 20;

function placesIn(dir: string): GuardPlaces {
  return { bin: `${dir}/guards`, refused: `${dir}/refused` };
}

/** What guards add to an attempt's surroundings. */
interface Guarded {
  readonly env: Readonly<Record<string, string>>;
  readonly binds: NonNullable<Sandbox["binds"]>;
}

export function forbiddenTo({ spec }: SessionState, piece: string): readonly string[] {
  const plan = spec.pieces.find(({ id }) => id === piece);
  return plan?.kind === "agent" ? (plan.forbiddenCommands ?? []) : [];
}

/**
 * Puts the guards of a piece into its attempt's folder and before all else on its PATH; nothing where none of its
 * commands is forbidden. Not for containers, whose programs and PATH are their image's.
 */
export async function guard(
  { state, ports }: SessionRun,
  piece: string,
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<Guarded>> {
  const places = placesIn(dir);
  const guards = guardsFor(forbiddenTo(state, piece), places);
  if (guards.length === 0) return ok({ env, binds: [] });
  const programs = Object.fromEntries(guards.map(({ name, script }) => [name, script]));
  const written = await ports.files.writePrograms(places.bin, programs, places.refused);
  if (!written.ok) return written;
  const { PATH = "" } = env;
  return ok({
    env: { ...env, PATH: `${places.bin}:${PATH}` },
    binds: [
      { from: places.bin, to: places.bin, writable: false },
      { from: places.refused, to: places.refused, writable: true },
    ],
  });
}

/** What the guards of an attempt refused, each once. */
export async function refusedIn(files: SessionFiles, dir: string): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of files.chunks(placesIn(dir).refused)) {
    chunks.push(chunk);
    break; // What comes after the first piece of the file has been said often enough.
  }
  const lines = chunks.flatMap((chunk) => new TextDecoder().decode(chunk).split("\n"));
  return [...new Set(lines.filter((line) => line !== ""))].slice(0, MOST_REFUSALS);
}
