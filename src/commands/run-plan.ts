import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpConfiguration, OcpSetting, OcpSlate, OcpWorkflow } from "../formats/ocp/index.ts";
import type { StoredOption } from "../formats/recommendation/read-stored.ts";
import type { Store } from "../ports/store.ts";
import type { KnownRun, RunStart } from "../record/index.ts";
import { readFlags } from "./flag-values.ts";
import { configurationOfMember, type Followed, followedBy, followedExt } from "./followed.ts";
import { ruleNamed } from "./home-config.ts";
import { TASK_FLAGS, taskOf } from "./run-task.ts";
import type { CommandContext, CommandInput, FlagSpec } from "./types.ts";

const SOURCES = ["usual", "alternative", "exploration", "user_edit", "habit", "designed"] as const;

/** The flags of every command that begins a run. */
export const START_FLAGS: Readonly<Record<string, FlagSpec>> = {
  ...TASK_FLAGS,
  config: { kind: "text", brief: "Configuration of a recorded run", placeholder: "CFG" },
  workflow: { kind: "text", brief: "Workflow: a name of the catalogue or a TOML file", placeholder: "NAME" },
  set: {
    kind: "text",
    brief: "Who does a piece: PIECE=HARNESS:MODEL:EFFORT; repeatable",
    placeholder: "PIECE=WHO",
    repeatable: true,
  },
  source: { kind: "choice", brief: "Why this configuration runs", choices: SOURCES },
  rec: { kind: "text", brief: "Recommendation that it came from", placeholder: "REC" },
  choice: {
    kind: "text",
    brief: "Which choice of --rec is followed: its number or key",
    placeholder: "N",
  },
  slate: { kind: "text", brief: "Join this slate: same task, same commit", placeholder: "SLATE" },
  newSlate: { kind: "boolean", brief: "Open a slate that other runs of the task can join" },
  rule: {
    kind: "text",
    brief: "Acceptance rule, e.g. tests+review (configured, else tests)",
    placeholder: "RULE",
  },
  label: { kind: "text", brief: "A label of yours; repeatable", placeholder: "NAME=VALUE", repeatable: true },
};

export interface PlannedRun {
  readonly start: RunStart;
  /** Other runs of the slate, which learn of the new member. */
  readonly siblings: readonly KnownRun[];
}

/**
 * Resolves everything that begins a run. Writes nothing: one lookup that fails leaves no trace.
 *
 * @param place of the run in a choice that is a pair, from 0
 */
export async function planRun(
  context: CommandContext,
  store: Store,
  input: CommandInput,
  startMs = context.now(),
  place?: number,
): Promise<Result<PlannedRun>> {
  const flags = readFlags(input);
  const followed = await followedBy(store, input);
  if (!followed.ok) return followed;
  const members = followed.value?.option?.members ?? [];
  if (members.length > 1 && place === undefined)
    return fail("bad-flag", "this choice is a pair of runs", {
      hint: "begin both with `loopwright run start`",
    });
  const member = members[place ?? 0];
  const source = member?.source ?? SOURCES.find((one) => one === flags.text("source"));
  if (source === undefined)
    return fail("bad-flag", "say why this configuration runs with --source", { hint: SOURCES.join(", ") });
  const siblings = await slateRuns(store, input);
  if (!siblings.ok) return siblings;
  const [first] = siblings.value;
  const id = (kind: "run" | "task" | "slate"): string => makeId(kind, startMs, context.entropy(10));
  const asked = followed.value?.stored;
  const task = await taskOf(context, input, id("task"), first?.document.run.task ?? asked?.task);
  if (!task.ok) return task;
  const named = flags.text("rule");
  const rule = asked !== undefined && named === undefined ? ok(asked.rule) : await ruleNamed(context, named);
  if (!rule.ok) return rule;
  const labels = labelsOf(flags.texts("label"));
  if (!labels.ok) return labels;
  const chosen =
    followed.value === undefined || member === undefined
      ? await configurationOf(context, store, input)
      : chosenMember(followed.value, member);
  if (!chosen.ok) return chosen;
  const run = id("run");
  const slate = await slateOf(
    siblings.value,
    flags.is("newSlate") ? id("slate") : undefined,
    run,
    task.value,
  );
  if (!slate.ok) return slate;
  const rec = flags.text("rec");
  const { workflow, settings, id: configuration } = chosen.value;
  const ext = followed.value && followedExt(followed.value, configuration, "person");
  return ok({
    siblings: siblings.value,
    start: {
      run,
      producerVersion: context.version,
      at: instant(startMs),
      task: task.value,
      workflow,
      configuration: {
        ...(configuration !== undefined && { id: configuration }),
        workflow,
        settings,
        source,
        ...(rec !== undefined && { rec }),
      },
      rule: rule.value,
      labels: labels.value,
      ...(slate.value !== undefined && { slate: slate.value }),
      ...(followed.value !== undefined && { isRecommended: true }),
      ...(ext !== undefined && { ext }),
    },
  });
}

/** A configuration of a recommendation, whose workflow is always written out. */
function chosenMember(followed: Followed, member: StoredOption["members"][number]): Result<Chosen> {
  const found = configurationOfMember(followed, member);
  if (!found.ok) return found;
  const { workflow, settings = {} } = found.value;
  if (workflow === undefined || !("pieces" in workflow))
    return fail("store-damaged", `${followed.stored.rec} does not say how ${member.config} works`);
  return ok({ id: member.config, workflow, settings });
}

async function slateRuns(store: Store, input: CommandInput): Promise<Result<readonly KnownRun[]>> {
  const flags = readFlags(input);
  const slate = flags.text("slate");
  if (slate === undefined) return ok([]);
  if (flags.is("newSlate")) return fail("bad-flag", "--slate and --new-slate exclude each other");
  const { readRun } = await import("../record/index.ts");
  const rows = await store.runs({ slate });
  if (!rows.ok) return rows;
  if (rows.value.length === 0) return fail("no-such-run", `no run belongs to the slate ${slate}`);
  const runs: KnownRun[] = [];
  for (const { run } of [...rows.value].reverse()) {
    const known = await readRun(store, run);
    if (!known.ok) return known;
    runs.push(known.value);
  }
  return ok(runs);
}

async function slateOf(
  siblings: readonly KnownRun[],
  opened: string | undefined,
  run: string,
  task: RunStart["task"],
): Promise<Result<OcpSlate | undefined>> {
  const base = task.base_commit === undefined ? {} : { base_commit: task.base_commit };
  if (opened !== undefined) return ok({ id: opened, members: [run], ...base });
  const [first] = siblings;
  const slate = first?.document.run.slate;
  if (first === undefined || slate === undefined) return ok(undefined);
  const { joinSlate } = await import("../record/index.ts");
  return joinSlate(first.document, slate, run, task);
}

function labelsOf(given: readonly string[]): Result<Readonly<Record<string, string>>> {
  const labels: [string, string][] = [];
  for (const pair of given) {
    const at = pair.indexOf("=");
    if (at < 1 || pair.length - at > 500) return fail("bad-flag", `--label ${pair} is not NAME=VALUE`);
    labels.push([pair.slice(0, at), pair.slice(at + 1)]);
  }
  return ok(Object.fromEntries(labels));
}

interface Chosen {
  readonly id?: string;
  readonly workflow: OcpWorkflow;
  readonly settings: Readonly<Record<string, OcpSetting>>;
}

async function configurationOf(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<Chosen>> {
  const flags = readFlags(input);
  const config = flags.text("config");
  const name = flags.text("workflow");
  if ((config === undefined) === (name === undefined))
    return fail("bad-flag", "say what runs with exactly one of --workflow and --config");
  const known = config === undefined ? ok(undefined) : await recorded(store, config);
  if (!known.ok) return known;
  const { findWorkflow } = await import("./find-workflow.ts");
  const file = name === undefined ? undefined : await findWorkflow(context, name);
  if (file?.ok === false) return file;
  const formats = await import("../formats/workflow/index.ts");
  const settings = new Map(
    Object.entries(known.value?.settings ?? formats.toOcpSettings(file?.value.file.settings ?? {})),
  );
  const workflow =
    known.value?.workflow ??
    (file === undefined ? undefined : formats.toOcpWorkflow(file.value.file.workflow));
  if (workflow === undefined || !("pieces" in workflow))
    return fail("no-such-configuration", `the configuration ${config} is only known by name`);
  for (const text of flags.texts("set")) {
    const set = formats.parseSet(text);
    if (!set.ok) return set;
    const { piece } = set.value;
    if (!workflow.pieces.some(({ id }) => id === piece))
      return fail(
        "unknown-piece",
        `the workflow has no piece ${piece}; it has ${workflow.pieces.map(({ id }) => id).join(", ")}`,
      );
    settings.set(piece, settingOf(set.value, formats.toOcpSetting));
  }
  const bare = workflow.pieces.filter(
    ({ id, workflow: nested }) => nested === undefined && !settings.has(id),
  );
  const [unset] = bare;
  if (unset !== undefined)
    return fail("bad-flag", `nobody does ${bare.map(({ id }) => id).join(", ")}`, {
      hint: `say who: --set ${unset.id}=claude-code:MODEL:high`,
    });
  const { configurationId } = await import("../formats/ocp/index.ts");
  const chosen = { workflow, settings: Object.fromEntries(settings) };
  const id = configurationId(chosen);
  return ok({ ...chosen, ...(id !== undefined && { id }) });
}

type Formats = typeof import("../formats/workflow/index.ts");
type Override = Extract<ReturnType<Formats["parseSet"]>, { readonly ok: true }>["value"];

function settingOf(set: Override, toSetting: Formats["toOcpSetting"]): OcpSetting {
  if ("setting" in set) return toSetting(set.setting);
  return toSetting({
    harness: "command",
    effort: "default",
    contextPolicy: "fresh",
    options: { command: set.commandLine },
  });
}

async function recorded(store: Store, config: string): Promise<Result<OcpConfiguration>> {
  const { readRun } = await import("../record/index.ts");
  const rows = await store.runs({ configuration: config, limit: 1 });
  if (!rows.ok) return rows;
  const [row] = rows.value;
  if (row === undefined)
    return fail("no-such-configuration", `no run was recorded with the configuration ${config}`, {
      hint: "see the configurations with `loopwright runs`, or name a --workflow",
    });
  const known = await readRun(store, row.run);
  return known.ok ? ok(known.value.document.run.configuration ?? {}) : known;
}
