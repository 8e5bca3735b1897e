import fc from "fast-check";
import { expect, test } from "vitest";
import { parseResetMs } from "./reset-time.ts";

const NOW = Date.parse("2026-11-30T10:33:34Z");
const at = (text: string, zone = "UTC", nowMs = NOW) => {
  const ms = parseResetMs(text, nowMs, zone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test.each([
  ["Claude AI usage limit reached|1796042014", "2026-11-30T12:33:34.000Z"],
  ["Claude AI usage limit reached|1796042014000", "2026-11-30T12:33:34.000Z"],
  ["You've hit your limit · resets 12:33pm (UTC)", "2026-11-30T12:34:00.000Z"],
  ["You've hit your session limit · resets 3pm (America/Chicago)", "2026-11-30T21:01:00.000Z"],
  ["Claude usage limit reached. Your limit will reset at 9am (America/Chicago).", "2026-11-30T15:01:00.000Z"],
  ["You've hit your weekly limit · resets Dec 5, 3pm (UTC)", "2026-12-05T15:01:00.000Z"],
  ["You've hit your weekly limit · resets Jan 2 at 8am (UTC)", "2027-01-02T08:01:00.000Z"],
  ["You’ve hit your usage limit. Upgrade to Pro or try again at 12:35 PM.", "2026-11-30T12:36:00.000Z"],
  ["… or try again at Dec 5th, 2026 1:41 AM.", "2026-12-05T01:42:00.000Z"],
  ["… or try again in 2 days 17 hours 14 minutes.", "2026-12-03T03:47:34.000Z"],
  ["Please try again in 6m0s.", "2026-11-30T10:39:34.000Z"],
  ["Please try again in 1.5s", "2026-11-30T10:33:35.500Z"],
  ["retry-after: 3600", "2026-11-30T11:33:34.000Z"],
])("the end of a limit is read from: %s", (text, expected) => {
  expect(at(text)).toBe(expected);
});

test.each([
  "try again later",
  "You’ve hit your usage limit. Visit the settings page.",
  "resets soon",
  "resets 3pm (Nowhere/Land)",
  "try again at 10 de jul. de 2026, 11:52",
])("a text without a time that we can read gives none: %s", (text) => {
  expect(at(text)).toBeUndefined();
});

test("a time of day that has gone means tomorrow, one just past means now", () => {
  expect(at("resets 8am (UTC)")).toBe("2026-12-01T08:01:00.000Z");
  expect(at("resets 10:32am (UTC)")).toBe("2026-11-30T10:33:00.000Z");
});

test("a time without a zone is meant on this machine's clock", () => {
  expect(at("try again at 7:00 PM.", "Asia/Tokyo")).toBe("2026-11-30T10:01:00.000Z");
});

test("clock changes are crossed rightly", () => {
  const beforeChange = Date.parse("2026-10-24T20:00:00Z");
  expect(at("resets Oct 25, 9am (Europe/Berlin)", "UTC", beforeChange)).toBe("2026-10-25T08:01:00.000Z");
});

test("midnight and noon are told apart", () => {
  expect(at("resets 12am (UTC)")).toBe("2026-12-01T00:01:00.000Z");
  expect(at("resets 12pm (UTC)")).toBe("2026-11-30T12:01:00.000Z");
});

test("a time of day never lies more than an hour back or a day ahead", () => {
  const zones = fc.constantFrom(
    "UTC",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Pacific/Kiritimati",
    "Australia/Lord_Howe",
  );
  const time = fc.record({ hour: fc.integer({ min: 1, max: 12 }), minute: fc.integer({ min: 0, max: 59 }) });
  fc.assert(
    fc.property(time, zones, fc.constantFrom("am", "pm"), ({ hour, minute }, zone, half) => {
      const text = `resets ${hour}:${String(minute).padStart(2, "0")}${half} (${zone})`;
      const ahead = (parseResetMs(text, NOW) ?? Number.NaN) - NOW;
      expect(ahead).toBeGreaterThan(-3_600_000);
      expect(ahead).toBeLessThanOrEqual(86_400_000 + 60_000);
    }),
  );
});
