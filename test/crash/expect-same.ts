import { expect } from "vitest";
import type { Survived } from "./crash.ts";
import type { Found } from "./projection.ts";

/** What was cut off and gone on with is whole, and came to what the undisturbed run came to. Goes on after a failure. */
export function expectSameEnd(what: string, survived: Survived, calm: Found): void {
  const { faults, crashed, last, projection } = survived;
  const said = faults.length === 0 ? "" : `${last.exit} ${last.stdout}${last.stderr}`;
  expect.soft({ what, faults, crashed, said }).toEqual({ what, faults: [], crashed: true, said: "" });
  expect.soft(projection, what).toEqual(calm.projection);
}
