import { fail, ok, type Result } from "../core/result.ts";
import type { SessionSpec } from "../run/spec.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** What to run, and the recommendation that it follows, if it does. */
export interface Advised {
  readonly input: CommandInput;
  readonly followed?: SessionSpec["followed"];
  /** Task of the run, where it is one of several at the same task. */
  readonly taskId?: string;
}

/** Fewer finished runs than this cannot tell a chance, so there is nothing to show. */
export const FEWEST_RUNS = 4;
/** Saying one of these is saying how to work. */
const SAYS_HOW = ["workflow", "provider", "set"];

/**
 * Shows the way of working that `recommend` picks where there is one to show and the user has not said how to work:
 * a person takes it with one key, chooses another way or none; `--yes` takes it. What is taken reaches the run as flags
 * and, for the record, as data. Problems: `needs-answer` where `--recommended` insists and nobody can be asked.
 */
export async function advise(
  context: CommandContext,
  input: CommandInput,
  title: string | undefined,
): Promise<Result<Advised>> {
  const insists = input.flags["recommended"] === true;
  const said = SAYS_HOW.find((name) => input.flags[name] !== undefined);
  if (said !== undefined) {
    return insists
      ? fail("bad-flag", `--recommended and --${said} both say how to work`, { hint: "leave one out" })
      : ok({ input });
  }
  if (!insists) {
    const known = await hasEnoughRuns(context);
    if (!known.ok) return known;
    if (!known.value) return ok({ input });
    if (!context.yes && context.choose === undefined) {
      context.talk("nobody can be asked here, so this works as always; --yes takes the recommended way");
      return ok({ input });
    }
  }
  const { offerWays } = await import("./offer-ways.ts");
  return offerWays(context, input, title, insists);
}

async function hasEnoughRuns(context: CommandContext): Promise<Result<boolean>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const totals = await store.value.runTotals({ state: "finished" });
  return totals.ok ? ok(totals.value.runs >= FEWEST_RUNS) : totals;
}
