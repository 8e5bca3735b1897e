import { sha256 } from "../core/hash.ts";
import { ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { HarnessRow, HarnessRows } from "../formats/harness-rows/index.ts";
import type {
  OcpAttempt,
  OcpCost,
  OcpDocument,
  OcpRun,
  OcpSignal,
  TerminalStatus,
} from "../formats/ocp/index.ts";
import { type AcceptanceRule, DEFAULT_RULE, parseRule } from "../formats/rule/index.ts";
import { HARNESS_EXT } from "./harness.ts";
import { titleOf } from "./labels.ts";

export interface RowContext {
  readonly version: string;
  /** Stands for the moment of a row that names none. */
  readonly nowMs: number;
  /** Dollars for tokens; undefined where the model, or a class of its tokens, has no price. */
  usd(model: string, cost: OcpCost, atMs: number): number | undefined;
}

export interface ConvertedRows {
  readonly documents: readonly OcpDocument[];
  readonly refused: HarnessRows["refused"];
  /** Rows whose dollars nobody knows. */
  readonly noCost: readonly string[];
  /** Pairs whose rows do not do one task from one commit: no slate is made of them. */
  readonly unpaired: readonly string[];
}

const PIECE = "implement";
const ATTEMPT = `${PIECE}.a1`;
const GOOD = ["accept", "pass"];

/** Rollouts as finished runs of one piece each, for `run import`. */
export function harnessRuns(read: HarnessRows, context: RowContext): ConvertedRows {
  const idOf = (row: HarnessRow): string => `hr_${sha256(`${read.schema}\n${row.id}`).slice(0, 16)}`;
  const pairs = byPair(read.rows);
  const isSlate = (rows: readonly HarnessRow[]): boolean =>
    rows.every(({ task }) => task.id === rows[0]?.task.id && commitOf(task) === commitOf(rows[0]?.task));
  const documents: OcpDocument[] = [];
  const refused = [...read.refused];
  const noCost: string[] = [];
  for (const row of read.rows) {
    const rule = ruleOf(row);
    if (!rule.ok) {
      refused.push({ line: row.line, error: rule.problem.message });
      continue;
    }
    const others = pairs.get(row.pair ?? "") ?? [];
    const slate = isSlate(others) ? others.map(idOf) : [];
    const document = documentOf(idOf(row), row, rule.value, slate, context);
    if (document.attempts?.[0]?.cost?.usd === undefined) noCost.push(row.id);
    documents.push(document);
  }
  return {
    documents,
    refused: refused.sort((a, b) => a.line - b.line),
    noCost,
    unpaired: [...pairs].flatMap(([pair, rows]) => (isSlate(rows) ? [] : [pair])),
  };
}

function byPair(rows: readonly HarnessRow[]): ReadonlyMap<string, readonly HarnessRow[]> {
  const pairs = new Map<string, HarnessRow[]>();
  for (const row of rows) {
    if (row.pair === undefined) continue;
    const others = pairs.get(row.pair);
    if (others === undefined) pairs.set(row.pair, [row]);
    else others.push(row);
  }
  return pairs;
}

function commitOf(task: HarnessRow["task"] | undefined): string | undefined {
  return task !== undefined && "base_commit" in task ? task.base_commit : undefined;
}

/** Its own rule, else that its tests pass, else that every verdict it has is good. */
function ruleOf({ rule, verdicts = {} }: HarnessRow): Result<AcceptanceRule> {
  if (rule !== undefined) return parseRule(rule, typeof rule === "string" ? undefined : "row");
  const names = Object.keys(verdicts);
  return names.length === 0 || names.includes("tests")
    ? ok(DEFAULT_RULE)
    : parseRule({ requires: names }, names.join("+").slice(0, 200));
}

function documentOf(
  id: string,
  row: HarnessRow,
  rule: AcceptanceRule,
  slate: readonly string[],
  context: RowContext,
): OcpDocument {
  const attempt = attemptOf(row, context);
  const { harness = "", model, effort } = attempt;
  const setting = { harness, ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
  const ext = harnessExt(row, harness);
  const commit = commitOf(row.task);
  const run: OcpRun = {
    id,
    ...("title" in row.task && row.task.title !== undefined && { title: titleOf(row.task.title) }),
    ...(row.started_at !== undefined && { started_at: row.started_at }),
    ...(row.ended_at !== undefined && { ended_at: row.ended_at }),
    labels: labelsOf(row),
    task: { ...row.task, source: { kind: "benchmark", ref: row.id } },
    configuration: {
      workflow: { ref: "solo", version: 1 },
      settings: { [PIECE]: setting },
      source: "designed",
    },
    provenance: { kind: "designed", chooser: "planner" },
    acceptance_rule: rule,
    signals: signalsOf(row, context),
    ...(slate.length > 0 &&
      row.pair !== undefined && {
        slate: {
          id: `slt_${row.pair}`,
          members: slate,
          ...(commit !== undefined && { base_commit: commit }),
        },
      }),
    ...(ext !== undefined && { ext }),
  };
  return {
    ocp: "0.3",
    producer: { name: "loopwright/harness-runs", version: context.version },
    privacy: { profile: "metadata_only" },
    run,
    nodes: [{ id: PIECE, kind: "impl", state: attempt.status, vertex: PIECE }],
    edges: [],
    attempts: [attempt],
    artifacts: [],
    events: [],
  };
}

function labelsOf({ arm, replicate }: HarnessRow): Readonly<Record<string, string>> {
  return {
    ...(arm !== undefined && { arm }),
    ...(replicate !== undefined && { replicate: String(replicate) }),
  };
}

function attemptOf(row: HarnessRow, context: RowContext): OcpAttempt {
  const status = row.status ?? statusOf(row);
  const cost = costOf(row, context);
  return {
    id: ATTEMPT,
    node: PIECE,
    n: 1,
    vertex: PIECE,
    harness: row.harness?.label ?? "claude-code",
    ...(row.model !== undefined && { model: { raw: row.model, id: row.model } }),
    ...(row.effort !== undefined && { effort: row.effort }),
    status,
    ...(row.started_at !== undefined && { started_at: row.started_at }),
    ...(row.ended_at !== undefined && { ended_at: row.ended_at }),
    outcome: { result: status, evidence: "reported" },
    ...(cost !== undefined && { cost }),
    ...(row.session !== undefined && { session: row.session }),
  };
}

function statusOf({ verdicts = {} }: HarnessRow): TerminalStatus {
  const values = Object.values(verdicts).map(verdictWord);
  if (values.length === 0) return "settled_unverified";
  return values.every((value) => GOOD.includes(value)) ? "done" : "failed";
}

function costOf({ cost, model, ended_at, started_at }: HarnessRow, context: RowContext): OcpCost | undefined {
  if (cost === undefined) return undefined;
  const stated = { ...cost, basis: cost.basis ?? "measured" };
  if (cost.usd !== undefined || model === undefined) return stated;
  const usd = context.usd(model, stated, Date.parse(ended_at ?? started_at ?? "") || context.nowMs);
  return { ...stated, ...(usd !== undefined && { usd }) };
}

function signalsOf(row: HarnessRow, context: RowContext): readonly OcpSignal[] {
  const observed_at = row.ended_at ?? row.started_at ?? instant(context.nowMs);
  const tier = row.tier ?? "reported";
  const common = { at_attempt: ATTEMPT, observed_at, source: { kind: "orchestrator" }, tier } as const;
  const verdicts = Object.entries(row.verdicts ?? {}).map(([name, value]) => ({
    ...common,
    kind: "verdict" as const,
    name,
    value: verdictWord(value),
  }));
  const scores = Object.entries(row.scores ?? {}).map(([name, score]) => ({
    ...common,
    kind: "score" as const,
    name,
    ...(typeof score === "object" && score !== null ? score : { value: score }),
  }));
  const events = (row.events ?? []).map(({ name, ref, at }) => ({
    ...common,
    kind: "event" as const,
    name,
    value: ref ?? name,
    observed_at: at ?? observed_at,
  }));
  return [...verdicts, ...scores, ...events].map((signal, index) => ({ id: `sig_${index + 1}`, ...signal }));
}

function verdictWord(value: string | boolean): string {
  if (typeof value === "string") return value;
  return value ? "pass" : "fail";
}

function harnessExt({ harness }: HarnessRow, label: string): OcpRun["ext"] {
  const { digest, parts } = { digest: undefined, parts: undefined, ...harness };
  if (digest === undefined && parts === undefined) return undefined;
  const names = (parts ?? []).map((part) => (typeof part === "string" ? part : part.id));
  return { [HARNESS_EXT]: { ...(digest !== undefined && { digest }), parts: { [label]: names } } };
}
