import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "./core/result.ts";
import type { PriceTable } from "./formats/prices/index.ts";
import { type CallPrices, createPrices, loadCatalogue } from "./logs/prices/index.ts";

/** What calls cost on this machine: by the user's table, else ours, else the catalogue's. */
export async function pricesOf(home: string): Promise<Result<CallPrices>> {
  const own = await ownTable({ home });
  return own.ok ? ok(createPrices(own.value, await loadCatalogue())) : own;
}

/** The user's own price table: a file that must be there, or the one in the home folder, which need not. */
export async function ownTable(
  where: { readonly home: string } | { readonly file: string },
): Promise<Result<PriceTable | undefined>> {
  const path = "file" in where ? where.file : join(where.home, "prices.toml");
  if ("home" in where && !existsSync(path)) return ok(undefined);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return fail("no-such-file", `cannot read ${path}: ${String(error)}`);
  }
  const { parsePrices } = await import("./formats/prices/index.ts");
  const parsed = parsePrices(text, path);
  if (parsed.ok) return parsed;
  const [problem] = parsed.problems;
  return fail("bad-input", problem?.message ?? "no price table", {
    ...(problem?.at === undefined ? { at: path } : { at: problem.at }),
    hint: `loopwright prices validate --prices ${path}`,
  });
}
