import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { asTable, type Findings, TableReader } from "./findings.ts";
import type { Setting, Settings } from "./types.ts";

/** The settings of a file. A command needs no model; an agent's file names one. */
export function readSettings(value: Json | undefined, findings: Findings): Settings {
  if (value === undefined) return {};
  const table = asTable(value);
  if (table === undefined) {
    findings.error("settings", "settings must be tables, one a piece");
    return {};
  }
  const settings: [string, Setting][] = [];
  for (const [piece, item] of Object.entries(table)) {
    const path = `settings.${piece}`;
    const own = asTable(item);
    if (own === undefined) findings.error(path, `${path} must be a table`);
    else settings.push([piece, readSetting(new TableReader(own, path, findings), piece, findings)]);
  }
  return Object.fromEntries(settings);
}

function readSetting(reader: TableReader, piece: string, findings: Findings): Setting {
  const harness = reader.text("harness");
  const model = reader.text("model");
  if (harness === undefined) findings.error(reader.path, `the setting of "${piece}" needs a harness`);
  if (model === undefined && harness !== "command") {
    findings.error(reader.path, `the setting of "${piece}" needs a model`);
  }
  const effort = reader.text("effort") ?? "default";
  const contextPolicy = reader.text("context_policy") ?? "fresh";
  const options: JsonObject = asTable(reader.take("options")) ?? {};
  return { harness: harness ?? "", ...(model !== undefined && { model }), effort, contextPolicy, options };
}

/** One `--set`: who does a piece. Either a setting, or the command line of an agent of the user's own. */
export type SetOverride = { readonly piece: string } & (
  | { readonly setting: Setting }
  | { readonly commandLine: string }
);

/**
 * `PIECE=HARNESS`, `PIECE=HARNESS:MODEL`, `PIECE=HARNESS:MODEL:EFFORT` or `PIECE=command:CMDLINE`. The model may hold
 * colons itself; two parts mean the default effort.
 */
export function parseSet(text: string): Result<SetOverride> {
  const at = text.indexOf("=");
  const piece = text.slice(0, Math.max(at, 0)).trim();
  const what = text.slice(at + 1).trim();
  if (at < 1 || piece === "" || what === "") {
    return fail("bad-flag", `--set ${text} is not PIECE=HARNESS:MODEL:EFFORT`, {
      hint: "e.g. --set review=codex:gpt-6-astra:high",
    });
  }
  const [harness = "", ...rest] = what.split(":");
  if (harness === "command" && rest.join(":").trim() !== "") {
    return ok({ piece, commandLine: rest.join(":").trim() });
  }
  const effort = rest.length > 1 ? rest.at(-1) : undefined;
  const model = (rest.length > 1 ? rest.slice(0, -1) : rest).join(":");
  return ok({
    piece,
    setting: {
      harness,
      ...(model !== "" && { model }),
      effort: effort === undefined || effort === "" ? "default" : effort,
      contextPolicy: "fresh",
      options: {},
    },
  });
}
