import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRecord } from "./shim.ts";

test("a record is ended only when its last line is complete", () => {
  expect(parseRecord("")).toEqual({ state: "absent" });
  expect(parseRecord("start")).toEqual({ state: "absent" });
  expect(parseRecord("started\n")).toEqual({ state: "started" });
  expect(parseRecord("started\n12")).toEqual({ state: "started" });
  expect(parseRecord("started\n127 0")).toEqual({ state: "started" });
  expect(parseRecord("started\n127 0\n")).toEqual({ state: "ended", exitCode: 127, survivors: 0 });
});

test("no proper beginning of a record says that the process ended", () => {
  fc.assert(
    fc.property(fc.nat(255), fc.nat(5000), fc.nat(), (exitCode, survivors, cut) => {
      const whole = `started\n${exitCode} ${survivors}\n`;
      expect(parseRecord(whole)).toEqual({ state: "ended", exitCode, survivors });
      expect(parseRecord(whole.slice(0, cut % whole.length)).state).not.toBe("ended");
    }),
  );
});
