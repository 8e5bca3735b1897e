import {
  basisText,
  chanceText,
  costText,
  explorationText,
  items,
  member,
  percent,
  usd,
} from "../../commands/recommend-words.ts";
import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { clip } from "../text.ts";
import type { RenderOptions } from "./index.ts";
import { plural } from "./records.ts";

type Members = JsonObject;

/** One answer, one reason, one command; the rest where a flag asked for it. */
export function renderRecommendation(json: Members, options: RenderOptions): readonly string[] {
  const pick = member(json["pick"]);
  const fit = member(json["fit"]);
  const show = member(json["show"]);
  const pair = member(json["pair"]);
  const lines = [
    String(pick["name"]),
    `  ${chanceText(pick, json["success_from"])}`,
    `  ${costText(pick)}`,
    `why  ${String(json["why"])}`,
    `from ${basisText(fit)}`,
    ...tieLines(items(json["ties"])),
    ...(Array.isArray(json["notes"]) ? json["notes"].map((note) => `note ${String(note)}`) : []),
  ];
  const clipped = lines.flatMap((line) => wrapped(line, options.columns));
  const commands =
    json["reason"] === "cheapest-without-a-chance" && typeof pair["command"] === "string"
      ? [
          "",
          `it and ${String(pair["other"])} would teach most, about ${usd(pair["cost_usd"])} together:`,
          ...commandLines(String(pair["command"]), options.columns),
        ]
      : ["", ...commandLines(String(pick["command"]), options.columns)];
  return [
    ...clipped,
    ...commands,
    ...(show["curve"] === true ? ["", ...curveLines(json, options)] : []),
    ...(show["explore"] === true ? ["", ...exploreLines(json)] : []),
    ...variantLines(items(json["harness_variants"]), options),
    ...(typeof json["page"] === "string" ? ["", `page ${json["page"]}`] : []),
    ...(typeof json["rec"] === "string" ? ["", `rec ${json["rec"]}`] : []),
  ];
}

function variantLines(variants: readonly Members[], options: RenderOptions): readonly string[] {
  if (variants.length === 0) return [];
  const lines = variants.flatMap((variant) => {
    const parts = Array.isArray(variant["parts"]) ? variant["parts"].join(" ") : "";
    const head = `  ${parts === "" ? "nothing" : parts} (${plural(variant["runs"], "run")})`;
    return [clip(head, options.columns), clip(`    ${variantText(variant)}`, options.columns)];
  });
  return ["", "what shapes the agents, against the bare harness:", ...lines];
}

function variantText(variant: Members): string {
  if (typeof variant["not_priced"] === "string") return `not priced: ${variant["not_priced"]}`;
  const [gain, ratio] = [member(variant["chance_gain"]), member(variant["cost_ratio"])];
  const points = (value: Json | undefined) =>
    `${Number(value) < 0 ? "" : "+"}${Math.round(100 * Number(value))}`;
  const times = (value: Json | undefined) => `x${Number(value).toFixed(2)}`;
  return `${points(gain["mean"])} points (80 % ${points(gain["lo"])} to ${points(gain["hi"])}), cost ${times(ratio["mean"])} (${times(ratio["lo"])} to ${times(ratio["hi"])}), on ${String(variant["on"])}`;
}

const SHOWN_TIES = 2;

function tieLines(ties: readonly Members[]): readonly string[] {
  if (ties.length === 0) return [];
  const names = ties.slice(0, SHOWN_TIES).map((tie) => String(tie["name"]));
  const rest = ties.length - names.length;
  return [`as good as far as is known: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`];
}

/** Breaks a line between words; what follows is indented under its text. */
function wrapped(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const cut = rest.lastIndexOf(" ", columns);
    if (cut <= 6) break;
    lines.push(rest.slice(0, cut));
    rest = `     ${rest.slice(cut + 1)}`;
  }
  return [...lines, rest];
}

/** A command that can be pasted: broken before flags, as a shell goes on after a backslash. */
function commandLines(command: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = " ";
  for (const word of command.match(/--\S+(?: (?:"(?:[^"\\]|\\.)*"|(?!--)\S+))?|"(?:[^"\\]|\\.)*"|\S+/g) ??
    []) {
    if (word.startsWith("--") && line.length + word.length + 3 > columns) {
      lines.push(`${line} \\`);
      line = "   ";
    }
    line = `${line} ${word}`;
  }
  return [...lines, line];
}

function curveLines(json: Members, options: RenderOptions): readonly string[] {
  const rows = items(json["curve"]).map((row) => {
    const choice = member(row["choice"]);
    const cost = member(choice["expected_cost_usd"]);
    const chance = choice["chance_known"] === true ? percent(member(choice["success"])["mean"]) : "?";
    return clip(
      `  ${chance.padStart(5)}  ${usd(cost["mean"]).padStart(8)}  ${String(choice["name"])}`,
      options.columns,
    );
  });
  return ["chance  cost", ...rows];
}

function exploreLines(json: Members): readonly string[] {
  const picks = items(json["explorations"]);
  if (picks.length === 0) return ["nothing is worth trying for its price"];
  return picks.flatMap((pick) => [
    `try ${String(member(pick["choice"])["name"])}, ${explorationText(pick)}`,
    `  ${String(member(pick["choice"])["command"])}`,
  ]);
}

/** What was learned, as lines. */
export function renderLearner(name: string, json: Members, options: RenderOptions): readonly string[] {
  switch (name) {
    case "fit":
      return fitLines(json);
    case "posterior":
      return posteriorLines(json, options);
    case "prior":
      return priorLines(json);
    case "experiment-start":
      return planLines(json);
    case "experiment-status":
    case "experiment-decide":
      return standingLines(json);
    case "experiment-compare":
      return [...items(json["arms"]).map(armLine), ...standingLines(json)];
    default:
      return reportLines(json);
  }
}

function fitLines(json: Members): readonly string[] {
  return [
    `${plural(json["runs"], "run")}, prior ${String(json["prior_version"])} (${String(json["fit"])})`,
    ...items(json["heads"]).map(
      (head) =>
        `  ${String(head["head"]).padEnd(8)} ${String(head["rows"]).padStart(6)} rows  ${String(head["effects"]).padStart(4)} effects  published figures weigh ${percent(head["prior_weight"])}`,
    ),
    ...(Number(json["unknown_cost_attempts"]) > 0
      ? [`  ${String(json["unknown_cost_attempts"])} attempts of unknown cost taught the cost nothing`]
      : []),
  ];
}

function posteriorLines(json: Members, options: RenderOptions): readonly string[] {
  const effects = items(json["effects"]);
  if (effects.length === 0) return ["nothing is learned yet: no finished run with an outcome"];
  const isRatio = json["unit"] !== "log-odds";
  const shown = (value: Json | undefined): string => {
    if (typeof value !== "number") return "?";
    return isRatio ? `x${value.toFixed(2)}` : `${value > 0 ? "+" : ""}${value.toFixed(0)}`;
  };
  const width = Math.max(...effects.map(({ node }) => String(node).length));
  const lines = effects.map((effect) => {
    const units = member(isRatio ? effect["ratio"] : effect["points"]);
    const range =
      effect["not_identified"] === true
        ? "the data cannot separate it"
        : `${shown(units["lo"])} to ${shown(units["hi"])}`;
    return clip(
      `${String(effect["node"]).padEnd(width)}  ${shown(units["mean"]).padStart(6)}  ${range}`,
      options.columns,
    );
  });
  const unit = isRatio ? "times" : `points at ${percent(json["at"])} accepted`;
  return [
    `${String(json["head"])}, ${unit}; whatever the true effect is, 80 % of such ranges hold it`,
    ...lines,
  ];
}

function priorLines(json: Members): readonly string[] {
  return [
    `prior ${String(json["version"])}: ${String(json["built_by"])}`,
    ...items(json["heads"]).map(
      (head) =>
        `  ${String(head["head"]).padEnd(8)} ${String(head["effects"]).padStart(4)} effects, ${String(head["figures"])} from figures; weighs ${percent(head["weight"])} now`,
    ),
    ...items(json["effects"]).map(
      (effect) =>
        `  ${String(effect["node"])} ${Number(effect["mean"]).toFixed(2)} ± ${Number(effect["sd"]).toFixed(2)}`,
    ),
  ];
}

function reportLines(json: Members): readonly string[] {
  const success = member(json["success"]);
  const cost = member(json["cost"]);
  const word = (value: Json | undefined): string =>
    value === null ? "too few to say whether it holds" : value === "yes" ? "holds" : "does NOT hold";
  const score = (value: Json | undefined): string => (typeof value === "number" ? value.toFixed(3) : "?");
  return [
    `${plural(json["runs"], "run")}: ${String(json["foretold"])} foretold at their time, the others predicted from the runs before them`,
    `chance: ${String(success["scored"])} with an outcome; log score ${score(success["mean_log_score"])} (the plain rate: ${score(success["base_rate_log_score"])}); ${word(success["calibrated"])}`,
    `cost: ${String(cost["inside"])} of ${String(cost["scored"])} inside their 80 % range; ${word(cost["calibrated"])}`,
  ];
}

function planLines(json: Members): readonly string[] {
  const rule = member(json["rule"]);
  const gain = json["smallest_detectable"];
  const plan = items(json["plan"]);
  return [
    `${String(json["candidate"])} against ${String(json["base"])}: at most ${plural(rule["max_pairs"], "pair")}, false adoption at most ${percent(rule["alpha"])}`,
    gain === null
      ? "so few pairs can detect no gain; allow more with --pairs"
      : `finds a gain of ${Math.round(100 * Number(gain))} points four times in five`,
    ...plan
      .slice(0, 8)
      .map(
        (pair) =>
          `  ${String(pair["slate"])}: first ${String(pair["first"])}, then ${String(pair["second"])}`,
      ),
    ...(plan.length > 8 ? [`  and ${plan.length - 8} more with --json`] : []),
  ];
}

function armLine(arm: Members): string {
  const acceptance = member(arm["acceptance"]);
  const chance =
    arm["acceptance"] === null
      ? "no outcome is known"
      : `${String(arm["accepted"])} of ${String(arm["judged"])} accepted (80 %: ${percent(acceptance["lo"])} to ${percent(acceptance["hi"])})`;
  return `${String(arm["arm"])}: ${plural(arm["runs"], "run")}, ${chance}, ${usd(arm["mean_cost_usd"])} a run, ${usd(arm["cost_per_accepted_usd"])} an accepted result`;
}

function standingLines(json: Members): readonly string[] {
  const words: Readonly<Record<string, string>> = {
    adopt: "adopt the candidate",
    reject: "reject the candidate",
    unresolved: "keep the base: nothing was resolved",
    undecided: `not decided: the next look is at ${plural(json["next_look"], "pair")}`,
  };
  const unpaired = Array.isArray(json["unpaired"]) ? json["unpaired"].length : 0;
  return [
    words[String(json["verdict"])] ?? String(json["verdict"]),
    `  ${plural(json["pairs"], "pair")}: ${String(json["wins"])} only the candidate, ${String(json["losses"])} only the base; evidence ${Number(json["evidence"]).toFixed(2)}`,
    ...(unpaired > 0 ? [`  without a partner, so not counted: ${plural(unpaired, "run")}`] : []),
  ];
}
