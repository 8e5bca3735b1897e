import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { LoopTrigger, MissedRuns, TriggerEvent } from "../formats/loop/index.ts";
import {
  admit,
  type Due,
  due,
  type Facts,
  isWatchable,
  nextDue,
  nextLook,
  type Remembered,
  remembering,
} from "./index.ts";

const NOTHING: Facts = { changedAt: () => 0, isSatisfied: () => false, callsOf: () => [] };
const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");

function aTrigger(on: TriggerEvent, missed: MissedRuns = "once"): LoopTrigger {
  return { on, isEnabled: true, missed };
}
const cron = (expr: string, timezone = "UTC", missed: MissedRuns = "once") =>
  aTrigger({ type: "cron", expr, timezone }, missed);

/** Looks at these times, one after the other. */
function looks(
  trigger: LoopTrigger,
  times: readonly number[],
  facts: (now: number) => Facts = () => NOTHING,
) {
  const seen: Due[] = [];
  let last: Remembered | undefined;
  for (const now of times) {
    const found = due(trigger, last, now, facts(now));
    seen.push(found);
    last = found.remembered;
  }
  return seen;
}

function firedAt(trigger: LoopTrigger, times: readonly number[]): readonly string[] {
  return looks(trigger, times).flatMap(({ firings }) => firings.map((firing) => iso(firing.at)));
}

function every(stepMs: number, from: string, to: string): readonly number[] {
  const count = Math.floor((at(to) - at(from)) / stepMs) + 1;
  return Array.from({ length: count }, (_, index) => at(from) + index * stepMs);
}

describe("cron", () => {
  test("fires once a minute that fits, not once a look", () => {
    expect(
      firedAt(cron("*/15 * * * *"), every(7 * SECOND_MS, "2026-03-02T09:50:00Z", "2026-03-02T10:31:00Z")),
    ).toEqual(["2026-03-02T10:00:00Z", "2026-03-02T10:15:00Z", "2026-03-02T10:30:00Z"]);
  });

  test("nothing is due at the first look, even in a minute that fits", () => {
    expect(firedAt(cron("0 10 * * *"), [at("2026-03-02T10:00:10Z")])).toEqual([]);
  });

  test("means the time of its zone, in summer and in winter", () => {
    const berlin = cron("0 9 * * *", "Europe/Berlin");
    expect(firedAt(berlin, every(HOUR_MS, "2026-01-15T00:00:00Z", "2026-01-15T23:00:00Z"))).toEqual([
      "2026-01-15T08:00:00Z",
    ]);
    expect(firedAt(berlin, every(HOUR_MS, "2026-07-15T00:00:00Z", "2026-07-15T23:00:00Z"))).toEqual([
      "2026-07-15T07:00:00Z",
    ]);
  });

  test("a time of day that the clocks leave out comes right after it", () => {
    const night = every(10 * MINUTE_MS, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z");
    expect(firedAt(cron("30 2 * * *", "Europe/Berlin"), night)).toEqual([
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
    ]);
  });

  test("a time of day that comes twice counts once", () => {
    const night = every(10 * MINUTE_MS, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z");
    expect(firedAt(cron("30 2 * * *", "Europe/Berlin"), night)).toEqual([
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
    expect(firedAt(cron("30 2,3 * * *", "Europe/Berlin"), night)).toHaveLength(4);
  });

  test("a step goes on through the hour that comes twice, and knows no hour that is left out", () => {
    const autumn = every(5 * MINUTE_MS, "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z");
    expect(firedAt(cron("*/30 * * * *", "Europe/Berlin"), autumn)).toHaveLength(4);
    const spring = every(5 * MINUTE_MS, "2026-03-29T00:00:00Z", "2026-03-29T02:00:00Z");
    expect(firedAt(cron("*/30 * * * *", "Europe/Berlin"), spring)).toHaveLength(4);
  });

  test("either of two restricted day fields may match", () => {
    const march = every(HOUR_MS, "2026-03-01T00:00:00Z", "2026-03-10T00:00:00Z");
    expect(firedAt(cron("0 12 3 * 1"), march)).toEqual([
      "2026-03-02T12:00:00Z",
      "2026-03-03T12:00:00Z",
      "2026-03-09T12:00:00Z",
    ]);
  });

  test("a clock that is set back fires nothing twice", () => {
    const times = ["09:59:00", "10:00:30", "09:58:00", "10:00:40"].map((time) => at(`2026-03-02T${time}Z`));
    expect(firedAt(cron("0 10 * * *"), times)).toEqual(["2026-03-02T10:00:00Z"]);
  });
});

describe("interval", () => {
  const hourly = aTrigger({ type: "interval", intervalMs: HOUR_MS });

  test("waits before the first time, then keeps its beat whenever it is looked at", () => {
    const times = ["00:00:00", "00:59:59", "01:00:20", "01:30:00", "02:00:00", "03:10:00"];
    expect(
      firedAt(
        hourly,
        times.map((time) => at(`2026-03-02T${time}Z`)),
      ),
    ).toEqual(["2026-03-02T01:00:00Z", "2026-03-02T02:00:00Z", "2026-03-02T03:00:00Z"]);
  });

  test("two of the same length have clocks of their own", () => {
    const [, late] = looks(hourly, [at("2026-03-02T00:30:00Z"), at("2026-03-02T01:10:00Z")]);
    expect(late?.firings).toEqual([]);
  });
});

describe("what was missed", () => {
  const asleep = [at("2026-03-02T00:10:00Z"), at("2026-03-02T04:20:00Z")];

  test.each<[MissedRuns, readonly string[], number]>([
    ["skip", [], 4],
    ["once", ["2026-03-02T04:00:00Z"], 3],
    [
      "all",
      ["2026-03-02T01:00:00Z", "2026-03-02T02:00:00Z", "2026-03-02T03:00:00Z", "2026-03-02T04:00:00Z"],
      0,
    ],
  ])("%s", (missed, fired, skipped) => {
    const hours = cron("0 * * * *", "UTC", missed);
    expect(firedAt(hours, asleep)).toEqual(fired);
    expect(looks(hours, asleep).at(-1)?.skipped).toBe(skipped);
  });

  test("what is looked at within the minute was not missed", () => {
    expect(
      firedAt(cron("0 * * * *", "UTC", "skip"), [at("2026-03-02T00:10:00Z"), at("2026-03-02T01:00:59Z")]),
    ).toHaveLength(1);
  });

  test("a year of sleep leads to a day of runs at most", () => {
    const year = [at("2025-03-02T00:00:30Z"), at("2026-03-02T00:00:30Z")];
    expect(firedAt(cron("0 * * * *", "UTC", "all"), year)).toHaveLength(24);
    expect(firedAt(aTrigger({ type: "interval", intervalMs: MINUTE_MS }, "all"), year)).toHaveLength(24);
    expect(firedAt(cron("* * * * *"), year)).toEqual(["2026-03-02T00:00:00Z"]);
    expect(firedAt(cron("0 0 5 3 *"), year)).toEqual(["2025-03-05T00:00:00Z"]);
  });

  test("whenever a watcher looks, every time is fired or counted as skipped, once", () => {
    const steps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 });
    const policies = fc.constantFrom<MissedRuns>("skip", "once", "all");
    fc.assert(
      fc.property(steps, policies, (minutes, missed) => {
        const start = at("2026-03-02T00:00:30Z");
        const times = [start];
        for (const step of minutes) times.push((times.at(-1) ?? start) + step * MINUTE_MS);
        const seen = looks(cron("*/30 * * * *", "UTC", missed), times);
        const keys = seen.flatMap(({ firings }) => firings.map(({ key }) => key));
        const skipped = seen.reduce((sum, one) => sum + one.skipped, 0);
        expect(new Set(keys).size).toBe(keys.length);
        const total =
          Math.floor((times.at(-1) ?? start) / (30 * MINUTE_MS)) - Math.floor(start / (30 * MINUTE_MS));
        expect(keys.length + skipped).toBe(total);
      }),
      { numRuns: 40 },
    );
  });
});

describe("file and goal triggers fire on the edge", () => {
  const files = aTrigger({ type: "file_change", path: "src" });
  const goal = aTrigger({ type: "goal_satisfied", goal: "green", loop: "other" });

  test("a file that changes, once, and not what was there at the start", () => {
    const changes = [5, 5, 9, 9, 0, 9, 12];
    const seen = looks(
      files,
      changes.map((_, index) => index),
      (now) => ({ ...NOTHING, changedAt: () => changes[now] ?? 0 }),
    );
    expect(seen.map(({ firings }) => firings.map(({ key }) => key))).toEqual([
      [],
      [],
      ["file:src:9"],
      [],
      [],
      [],
      ["file:src:12"],
    ]);
  });

  test("a goal that becomes satisfied, not one that is so at the start, and again after it was taken back", () => {
    const states = [true, true, false, true, true, false, true];
    const seen = looks(
      goal,
      states.map((_, index) => index),
      (now) => ({
        ...NOTHING,
        isSatisfied: (name, loop) => name === "green" && loop === "other" && states[now] === true,
      }),
    );
    expect(seen.map(({ firings }) => firings.length)).toEqual([0, 0, 0, 1, 0, 0, 1]);
  });

  test("a goal that was reached while nobody watched fires when what was known is kept", () => {
    const found = due(goal, { lookedAt: 0, wasSatisfied: false }, 9, { ...NOTHING, isSatisfied: () => true });
    expect(found.firings).toEqual([{ key: "goal:other/green:9", at: 9, cause: "goal" }]);
  });
});

test("calls of a webhook are one run or many, as the policy says", () => {
  const calls = [
    { id: "a", at: 1 },
    { id: "b", at: 2 },
  ];
  const facts = { ...NOTHING, callsOf: (name: string) => (name === "deploy" ? calls : []) };
  const keys = (missed: MissedRuns) =>
    due(aTrigger({ type: "webhook", name: "deploy" }, missed), undefined, 5, facts).firings.map(
      ({ key }) => key,
    );
  expect(keys("once")).toEqual(["webhook:deploy:b"]);
  expect(keys("all")).toEqual(["webhook:deploy:a", "webhook:deploy:b"]);
});

test.each<TriggerEvent>([{ type: "manual" }, { type: "interval", intervalMs: 1000 }])(
  "one that is off, or manual, is never due: %j",
  (on) => {
    const off = { ...aTrigger(on), isEnabled: false };
    expect(looks(off, [0, HOUR_MS]).flatMap(({ firings }) => firings)).toEqual([]);
    expect(nextLook([{ trigger: off, last: undefined }], 0)).toBeUndefined();
    expect(isWatchable([off, aTrigger({ type: "manual" })])).toBe(false);
  },
);

describe("admission", () => {
  const SETTINGS = { maxDepth: 3, dedupWindowMs: 5 * MINUTE_MS };
  const file = (changedAt: number) =>
    ({ key: `file:src:${changedAt}`, at: changedAt, cause: "file" }) as const;
  const clock = { key: "cron:x:1", at: 0, cause: "clock" } as const;
  const ran = (depth: number) => ({ startedAt: 1000, endedAt: 2000, depth });

  test("an explicit key turns a burst into one run", () => {
    const keyed = { idempotencyKey: "deploy" };
    const first = admit(keyed, file(1), { admitted: [] }, SETTINGS, 0);
    expect(first).toEqual({ isAdmitted: true, key: "deploy", depth: 0 });
    const admitted = remembering({ admitted: [] }, "deploy", SETTINGS.dedupWindowMs, 0);
    expect(admit(keyed, file(2), { admitted }, SETTINGS, MINUTE_MS)).toMatchObject({ why: "duplicate" });
    expect(admit(keyed, file(3), { admitted }, SETTINGS, 6 * MINUTE_MS)).toMatchObject({ isAdmitted: true });
  });

  test("a chain that a run keeps going by what it writes stops at its greatest depth, and the clock begins a new one", () => {
    const depths = [0, 1, 2].map((depth) =>
      admit({}, file(1500), { admitted: [], lastRun: ran(depth) }, SETTINGS, 9000),
    );
    expect(depths).toMatchObject([{ depth: 1 }, { depth: 2 }, { why: "too-deep" }]);
    expect(admit({}, clock, { admitted: [], lastRun: ran(2) }, SETTINGS, 9000)).toMatchObject({ depth: 0 });
  });

  test("what a run wrote is noticed up to a moment after its end; a person's later file is never held back", () => {
    const history = { admitted: [], lastRun: ran(2) };
    expect(admit({}, file(2000 + 5 * SECOND_MS), history, SETTINGS, 9000)).toMatchObject({ why: "too-deep" });
    expect(admit({}, file(2001 + 5 * SECOND_MS), history, SETTINGS, 9000)).toMatchObject({ depth: 0 });
  });

  test("a reached goal continues the chain of the run before", () => {
    const goal = { key: "goal:g:1", at: 1, cause: "goal" } as const;
    expect(admit({}, goal, { admitted: [] }, SETTINGS, 0)).toMatchObject({ depth: 0 });
    expect(admit({}, goal, { admitted: [], lastRun: ran(1) }, SETTINGS, 0)).toMatchObject({ depth: 2 });
  });

  test("keys are forgotten once they cannot matter", () => {
    const admitted = remembering({ admitted: [{ key: "old", at: 0 }] }, "new", MINUTE_MS, 2 * MINUTE_MS);
    expect(admitted).toEqual([{ key: "new", at: 2 * MINUTE_MS }]);
  });
});

describe("the next look", () => {
  test("is the next time of the clock, and never less than a second away", () => {
    const now = at("2026-03-02T10:00:30Z");
    expect(iso(nextDue(cron("0 * * * *"), undefined, now) ?? 0)).toBe("2026-03-02T11:00:00Z");
    expect(nextLook([{ trigger: cron("0 * * * *"), last: undefined }], now)).toBe(at("2026-03-02T11:00:00Z"));
    const interval = aTrigger({ type: "interval", intervalMs: 1000 });
    expect(nextLook([{ trigger: interval, last: { lookedAt: 0, slotAt: 0 } }], now)).toBe(now + SECOND_MS);
  });

  test("comes every few seconds where only looking tells", () => {
    const files = aTrigger({ type: "file_change", path: "src" });
    const times = [
      { trigger: files, last: undefined },
      { trigger: cron("0 0 1 1 *"), last: undefined },
    ];
    expect(nextLook(times, 0)).toBe(5 * SECOND_MS);
  });
});
