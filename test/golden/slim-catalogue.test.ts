import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { calcPrice } from "@pydantic/genai-prices";
import { afterAll, expect, test } from "vitest";
import { slimCatalogue } from "../../scripts/slim-catalogue.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-catalogue-"));
afterAll(() => rmSync(folder, { recursive: true }));

const code = readFileSync(fileURLToPath(import.meta.resolve("@pydantic/genai-prices")), "utf8");

/** Each model's id, and what its ids begin with: providers are told by parts of names. */
const names = new Set(
  [...code.matchAll(/^ +(?:id|equals|starts_with|ends_with|contains): "([^"]+)"/gm)].flatMap(
    ([, name = ""]) => [name, `${name}-2099-01-01`, ...name.split("/")],
  ),
);

test("the built program's catalogue says of every name what the package says", async () => {
  const path = join(folder, "slim.mjs");
  writeFileSync(path, slimCatalogue(code));
  const slim: { readonly calcPrice: typeof calcPrice } = await import(pathToFileURL(path).href);
  expect(names.size).toBeGreaterThan(1000);
  const timestamp = new Date("2026-12-01T12:00:00Z");
  for (const name of names) {
    const ask = (from: typeof calcPrice) => {
      const found = from({ input_tokens: 0, output_tokens: 0 }, name, { timestamp });
      return found && { id: found.model.id, prices: found.model.prices, price: found.model_price };
    };
    expect(ask(slim.calcPrice), name).toEqual(ask(calcPrice));
  }
});
