import type { Json, JsonObject } from "../../core/canonical-json.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { asTable, type Findings, isFraction, TableReader } from "./findings.ts";
import { defaultRule } from "./roles.ts";
import { REDO_USUAL } from "./shapes.ts";
import type { WorkflowControl, WorkflowGate, WorkflowPiece, WorkflowRescue } from "./types.ts";

const WORDS: Readonly<Record<string, WorkflowRescue>> = {
  redo_usual: REDO_USUAL,
  person: { kind: "person", extra: {} },
  none: { kind: "none", extra: {} },
};

/** Who judges, how often work goes back, and what happens after the last round. */
export function readControl(
  reader: TableReader | undefined,
  pieces: readonly WorkflowPiece[],
  findings: Findings,
  numbers: NumberTexts,
  source: JsonObject,
): WorkflowControl {
  if (reader === undefined) return { gates: [], rounds: 1, rescue: REDO_USUAL, extra: {} };
  const rounds = reader.count("budget_rounds", 1, isFraction(numbers, source, "budget_rounds"));
  const gates = reader.tables("gates").flatMap((gate) => readGate(gate, pieces, findings));
  const rescue = readRescue(reader.take("rescue"), reader.at("rescue"), findings);
  return { gates, rounds, rescue, extra: reader.extra };
}

function readGate(
  reader: TableReader,
  pieces: readonly WorkflowPiece[],
  findings: Findings,
): readonly WorkflowGate[] {
  const after = reader.text("after");
  if (after === undefined) {
    findings.error(reader.path, `${reader.path} must say after which piece it stands`);
    return [];
  }
  const role = pieces.find(({ id }) => id === after)?.role;
  const onFail = reader.text("on_fail");
  const id = reader.text("id") ?? `g_${after}`;
  const rule = reader.text("rule") ?? defaultRule(role);
  return [{ id, after, rule, ...(onFail !== undefined && { onFail }), extra: reader.extra }];
}

function readRescue(value: Json | undefined, path: string, findings: Findings): WorkflowRescue {
  if (value === undefined) return REDO_USUAL;
  if (typeof value === "string") {
    const known = WORDS[value];
    if (known !== undefined) return known;
    findings.error(path, `rescue "${value}" is none of redo_usual, person, none`);
    return REDO_USUAL;
  }
  const table = asTable(value);
  const reader = table === undefined ? undefined : new TableReader(table, path, findings);
  const kind = reader?.text("kind");
  if (reader === undefined || kind === undefined) {
    findings.error(path, "rescue must be a word or a table with a kind");
    return REDO_USUAL;
  }
  const ref = reader.text("ref");
  const costUsd = reader.take("cost_usd");
  if (costUsd !== undefined && (typeof costUsd !== "number" || costUsd < 0)) {
    findings.error(reader.at("cost_usd"), "rescue.cost_usd must be a number of at least 0");
  }
  return {
    kind,
    ...(ref !== undefined && { ref }),
    ...(typeof costUsd === "number" && { costUsd }),
    extra: reader.extra,
  };
}
