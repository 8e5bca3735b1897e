import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpConfiguration } from "../formats/ocp/index.ts";
import type { StoredOption, StoredRecommendation } from "../formats/recommendation/read-stored.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import { beforeDocument } from "../plan/receipt-document.ts";
import type { Store } from "../ports/store.ts";
import { readFlags } from "./flag-values.ts";
import { CHOICE_EXT } from "./keep-recommendation.ts";
import type { CommandInput } from "./types.ts";

type Member = StoredOption["members"][number];

/** The recommendation that a run follows, and what of it. */
export interface Followed {
  readonly stored: StoredRecommendation;
  /** Absent when a run is only bound to a recommendation and says itself what runs. */
  readonly option?: StoredOption;
}

const SAID_BY_CHOICE = ["config", "workflow", "set", "taskFile", "source"];

/** What `--rec` and `--choice` name; undefined without them. Problems: `no-such-recommendation`, `bad-flag`. */
export async function followedBy(store: Store, input: CommandInput): Promise<Result<Followed | undefined>> {
  const flags = readFlags(input);
  const rec = flags.text("rec");
  const choice = flags.text("choice");
  if (rec === undefined) {
    return choice === undefined ? ok(undefined) : fail("bad-flag", "--choice needs --rec");
  }
  const { readStored } = await import("../formats/recommendation/read-stored.ts");
  const text = await store.recommendation(rec);
  if (!text.ok) return text;
  if (text.value === undefined) {
    return fail("no-such-recommendation", `there is no recommendation ${rec}`, {
      hint: "`loopwright recommend` makes one and ends with its id",
    });
  }
  const stored = readStored(text.value);
  if (!stored.ok || choice === undefined) return stored.ok ? ok({ stored: stored.value }) : stored;
  const said = SAID_BY_CHOICE.find((name) => input.flags[name] !== undefined);
  if (said !== undefined)
    return fail("bad-flag", `--choice says already what --${said === "taskFile" ? "task-file" : said} says`);
  const { optionNamed } = await import("../plan/options.ts");
  const option = optionNamed(stored.value.options, choice);
  if (option !== undefined) return ok({ stored: stored.value, option });
  const known = stored.value.options.map((one) => `${one.option} (${one.key})`).join(", ");
  return fail("bad-flag", `the recommendation ${rec} has no choice "${choice}"`, { hint: `it has ${known}` });
}

/** How a member of an option is done. */
export function configurationOfMember({ stored }: Followed, { config }: Member): Result<OcpConfiguration> {
  const found = stored.configurations[config];
  return found === undefined ? fail("store-damaged", `${stored.rec} does not hold ${config}`) : ok(found);
}

/**
 * What a run document keeps of the recommendation that it follows: which option was taken, with what propensity,
 * and the forecast. A configuration that was not an option has neither.
 */
export function followedExt(
  { stored, option }: Followed,
  configuration: string | undefined,
  chosenBy: "person" | "policy",
): JsonObject | undefined {
  const from = option ?? stored.options.find(({ members }) => members[0]?.config === configuration);
  const member = from?.members.find(({ config }) => config === configuration);
  if (from === undefined || member === undefined) return undefined;
  return {
    [CHOICE_EXT]: {
      option: from.option,
      key: from.key,
      propensity: chosenBy === "policy" ? 1 : from.propensity,
      chosen_by: chosenBy,
    },
    [RECEIPT_EXT]: {
      before: beforeDocument(member.predicted, {
        rec: stored.rec,
        fit: stored.fit.id,
        madeAt: stored.created_at,
        ...(from.members.length > 1 && {
          gainUsd: from.gain_per_run_usd,
          priceUsd: from.price_usd,
          paybackRuns: from.payback_runs,
        }),
      }),
    },
  };
}
