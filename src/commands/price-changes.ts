import { fail, ok, type Result } from "../core/result.ts";
import type { PriceTable } from "../formats/prices/index.ts";
import { type PriceSteps, priceSteps } from "../learn/index.ts";
import { BUILTIN_PRICES } from "../logs/prices/builtin.ts";
import type { CommandContext } from "./types.ts";

/** Models whose list price changed, by the user's table, else ours. */
export async function priceChanges(context: CommandContext): Promise<Result<PriceSteps>> {
  const own = await ownPrices(context, `${context.home}/prices.toml`);
  return own.ok ? ok(priceSteps([...own.value, BUILTIN_PRICES])) : own;
}

/** The reader of tables is loaded where there is one. */
async function ownPrices(context: CommandContext, path: string): Promise<Result<readonly PriceTable[]>> {
  const text = await context.readText(path);
  if (!text.ok) return ok([]);
  const { parsePrices } = await import("../formats/prices/index.ts");
  const parsed = parsePrices(text.value, path);
  if (parsed.ok) return ok([parsed.value]);
  const [problem] = parsed.problems;
  return fail("bad-input", problem?.message ?? "no price table", {
    at: problem?.at ?? path,
    hint: "loopwright prices validate",
  });
}
