import { expect, test } from "vitest";
import { parseBill } from "./bill.ts";

test("a bill is read by the names of its columns, quotes and currency signs included", () => {
  const text =
    '\uFEFFusage_date_utc,workspace,model,cost_usd\r\n2026-11-01,"a, b",claude-opus-5-5,"$1,234.50"\r\n';
  expect(parseBill(text, "bill.csv")).toEqual({
    ok: true,
    value: [{ day: "2026-11-01", model: "claude-opus-5-5", microUsd: 1_234_500_000 }],
  });
});

test("a bill may count its days in seconds and name no models", () => {
  expect(parseBill("start_time,amount_value\n1793491200,0.5\n", "b")).toEqual({
    ok: true,
    value: [{ day: "2026-11-01", microUsd: 500_000 }],
  });
});

test("a bill without a cost says what is missing and where", () => {
  expect(parseBill("date,model\n2026-11-01,m\n", "b.csv")).toMatchObject({ problem: { at: "b.csv:1" } });
  expect(parseBill("date,cost\n2026-11-01,much\n", "b.csv")).toMatchObject({ problem: { at: "b.csv:2" } });
});
