import type { OcpDocument } from "../formats/ocp/index.ts";

/** The last moment that the document speaks of, as it is written there. */
export function latestTime({ run, attempts, events }: OcpDocument): string | undefined {
  const times = [
    run.started_at,
    ...(attempts ?? []).flatMap(({ started_at, ended_at }) => [started_at, ended_at]),
    ...(events ?? []).map(({ at }) => at),
    ...(run.signals ?? []).map(({ observed_at }) => observed_at),
  ].flatMap((time) => time ?? []);
  return times
    .filter((time) => !Number.isNaN(Date.parse(time)))
    .reduce<string | undefined>(
      (last, time) => (last === undefined || Date.parse(time) > Date.parse(last) ? time : last),
      undefined,
    );
}
