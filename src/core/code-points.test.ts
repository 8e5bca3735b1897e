import fc from "fast-check";
import { expect, test } from "vitest";
import { byCodePoint } from "./canonical-json.ts";

test("texts are ordered by their code points, pairs of surrogates as the one they are", () => {
  const pointsOf = (text: string) => Array.from(text, (one) => one.codePointAt(0) ?? 0);
  const expected = (a: readonly number[], b: readonly number[]) => {
    const at = a.findIndex((point, index) => point !== b[index]);
    return at < 0 ? a.length - b.length : at >= b.length ? 1 : (a[at] ?? 0) - (b[at] ?? 0);
  };
  const anyText = fc.string({
    unit: fc.constantFrom("a", "b", "\uffff", "\u{10000}", "\u{10ffff}", "\ud800", "\udfff"),
  });
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(expected(pointsOf(a), pointsOf(b))));
    }),
  );
});
