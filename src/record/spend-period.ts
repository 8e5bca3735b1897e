/** The periods that a budget is counted in. */
export const PERIODS = ["week", "month", "none"] as const;
export type Period = (typeof PERIODS)[number];

/** When the running period began in local time: Monday or the first of the month, at midnight. Undefined: always. */
export function periodStart(period: Period, nowMs: number): number | undefined {
  if (period === "none") return undefined;
  const now = new Date(nowMs);
  const day = period === "month" ? 1 : now.getDate() - ((now.getDay() + 6) % 7);
  return new Date(now.getFullYear(), now.getMonth(), day).getTime();
}
