import { stringify, type TomlValue } from "smol-toml";
import type { Json, JsonObject } from "../../core/canonical-json.ts";
import { InvariantError } from "../../core/result.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { defaultRule } from "./roles.ts";
import type {
  Setting,
  Workflow,
  WorkflowControl,
  WorkflowFile,
  WorkflowPiece,
  WorkflowRescue,
} from "./types.ts";

/** The file as TOML text. Reading it again gives the same workflow, settings, unknown keys and configuration id. */
export function formatWorkflow(file: WorkflowFile): string {
  const settings = Object.entries(file.settings).map(([piece, one]) => [piece, settingTable(one)] as const);
  const table = workflowTable(file.workflow);
  const all = settings.length === 0 ? table : { ...table, settings: Object.fromEntries(settings) };
  return `${stringify(toToml(all, file.numbers), { numbersAsFloat: true }).trimEnd()}\n`;
}

function workflowTable(workflow: Workflow): JsonObject {
  const { id, version, title, pieces, artifacts, edges, control, extra } = workflow;
  return {
    id,
    version,
    ...(title !== undefined && { title }),
    edges: edges.map(([from, to]) => `${from} -> ${to}`),
    ...extra,
    pieces: pieces.map(pieceTable),
    artifacts: artifacts.map((artifact) => ({ id: artifact.id, kind: artifact.kind, ...artifact.extra })),
    control: controlTable(control, pieces),
  };
}

function pieceTable({ id, role, width, nested, extra }: WorkflowPiece): JsonObject {
  return {
    id,
    ...(role !== undefined && { role }),
    ...(width !== 1 && { width }),
    ...extra,
    ...(nested !== undefined && {
      workflow:
        "ref" in nested
          ? { ref: nested.ref, ...(nested.version !== undefined && { version: nested.version }) }
          : workflowTable(nested.workflow),
    }),
  };
}

function controlTable(control: WorkflowControl, pieces: readonly WorkflowPiece[]): JsonObject {
  const roleOf = (piece: string): string | undefined => pieces.find(({ id }) => id === piece)?.role;
  return {
    budget_rounds: control.rounds,
    rescue: rescueValue(control.rescue),
    ...control.extra,
    ...(control.gates.length > 0 && {
      gates: control.gates.map(({ id, after, rule, onFail, extra }) => ({
        after,
        ...(id !== `g_${after}` && { id }),
        ...(rule !== defaultRule(roleOf(after)) && { rule }),
        ...(onFail !== undefined && { on_fail: onFail }),
        ...extra,
      })),
    }),
  };
}

function rescueValue({ kind, ref, costUsd, extra }: WorkflowRescue): Json {
  const isPlain = costUsd === undefined && Object.keys(extra).length === 0;
  if (isPlain && kind === "configuration" && ref === "usual") return "redo_usual";
  if (isPlain && ref === undefined && (kind === "person" || kind === "none")) return kind;
  return {
    kind,
    ...(ref !== undefined && { ref }),
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...extra,
  };
}

function settingTable({ harness, model, effort, contextPolicy, options }: Setting): JsonObject {
  return {
    harness,
    ...(model !== undefined && { model }),
    effort,
    ...(contextPolicy !== "fresh" && { context_policy: contextPolicy }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/** Whole numbers as big integers, which TOML writes without a point; what was written as a fraction stays one. */
function toToml(value: Json, numbers: NumberTexts, written?: string): TomlValue {
  if (typeof value === "number") {
    if (written !== undefined) return /^-?\d+$/.test(written) ? BigInt(written) : value;
    return Number.isInteger(value) ? BigInt(value) : value;
  }
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (value === null) throw new InvariantError("TOML knows no null, and none can have been read");
  const texts = numbers.get(value);
  if (Array.isArray(value)) {
    return value.map((item, index) => toToml(item, numbers, texts?.get(String(index))));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[key, toToml(item, numbers, texts?.get(key))]],
    ),
  );
}
