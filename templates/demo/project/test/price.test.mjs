import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePriceList, splitFields, toCents, total } from "../src/price.mjs";

test("a field in quotes may hold a comma", () => {
  assert.deepEqual(splitFields('"nuts, mixed",4.00'), ["nuts, mixed", "4.00"]);
});

test("a price list with quoted names is read item by item", () => {
  assert.deepEqual(
    parsePriceList('bread,3.00\n"nuts, mixed",4.00\n').map((item) => item.name),
    ["bread", "nuts, mixed"],
  );
});

test("prices keep their cents", () => {
  assert.equal(toCents("12.5"), 1250);
  assert.equal(toCents("0.99"), 99);
});

test("the total is the sum of all items", () => {
  assert.equal(total(parsePriceList("bread,3.25\nmilk,1.75\n")), 500);
});
