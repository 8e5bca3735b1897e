/** A moment as ISO 8601 in UTC with milliseconds, e.g. `2026-11-30T10:00:00.000Z`. */
export type Instant = string;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export function instant(epochMs: number): Instant {
  return new Date(epochMs).toISOString();
}

/** Reads `90s`, `15m`, `4h`, `2d`, `1h30m` or plain seconds; undefined when it is none of them. */
export function parseDurationMs(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  const unitMs: Record<string, number> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: 24 * HOUR_MS };
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(part[1]) * (unitMs[part[2] ?? ""] ?? 0);
  }
  return Math.round(total);
}

/** `950ms`, `42s`, `3m 07s`, `2h 05m`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)}ms`;
  const seconds = Math.floor(ms / SECOND_MS);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}
