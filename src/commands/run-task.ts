import { fail, ok, type Result } from "../core/result.ts";
import { HORIZON_EXT } from "../formats/ocp/horizon-ext.ts";
import type { OcpTask } from "../formats/ocp/index.ts";
import { readFlags } from "./flag-values.ts";
import { readConfig } from "./home-config.ts";
import type { CommandContext, CommandInput, FlagSpec } from "./types.ts";

/** The flags that say what the work is. */
export const TASK_FLAGS: Readonly<Record<string, FlagSpec>> = {
  taskFile: {
    kind: "text",
    brief: "The task as JSON, or an answer of `recommend --json`; flags win",
    placeholder: "FILE",
  },
  type: {
    kind: "text",
    brief: "bug_fix, feature, refactor, tests, docs, research, infra or data",
    placeholder: "TYPE",
  },
  repo: {
    kind: "text",
    brief: "Repository (owner/name of the remote origin, else the folder's name)",
    placeholder: "REPO",
  },
  subtype: { kind: "text", brief: "A word of yours for the kind of task", placeholder: "WORD" },
  title: { kind: "text", brief: "Short label", placeholder: "TEXT" },
  task: { kind: "text", brief: "Id of the task, when it has one", placeholder: "ID" },
  feature: {
    kind: "text",
    brief: "What the task is like, e.g. size=s; repeatable",
    placeholder: "KEY=VALUE",
    repeatable: true,
  },
  horizon: { kind: "text", brief: "Time box: 8h, 90m, 2d, or none", placeholder: "TIME" },
  baseCommit: { kind: "text", brief: "Commit that the work starts from (HEAD)", placeholder: "SHA" },
};

/** What an answer of the planner shows beside the task and is not part of it. */
const VIEW_ONLY = ["group_chain", "support", "horizon", "inherited_features", "notes"];

/** The task of the flags, on top of the one of a file. @param id of a task that is named nowhere */
export async function taskOf(
  context: CommandContext,
  input: CommandInput,
  id: string,
  fallback?: OcpTask,
): Promise<Result<OcpTask>> {
  const { isTaskType, TASK_TYPES } = await import("../formats/workflow/task-types.ts");
  const flags = readFlags(input);
  const file = await taskFile(context, flags.text("taskFile"));
  if (!file.ok) return file;
  const base = file.value ?? fallback;
  const type = flags.text("type") ?? base?.type;
  if (type === undefined)
    return fail("bad-flag", "say what kind of task it is with --type", {
      hint: TASK_TYPES.map(({ id: known }) => known).join(", "),
    });
  if (!isTaskType(type)) {
    return fail("bad-flag", `"${type}" is no type of task`, {
      hint: `one of ${TASK_TYPES.map(({ id: known }) => known).join(", ")}`,
    });
  }
  const features = await featuresOf(flags.texts("feature"), base?.features);
  if (!features.ok) return features;
  const horizon = horizonOf(flags.text("horizon"));
  if (!horizon.ok) return horizon;
  const history = await context.history();
  const repo = flags.text("repo") ?? base?.repo ?? (await history.repoName(context.cwd));
  const commit = flags.text("baseCommit") ?? base?.base_commit ?? (await history.head(context.cwd));
  const org = base?.org ?? (await configuredOrg(context));
  const subtype = flags.text("subtype") ?? base?.subtype;
  const title = flags.text("title") ?? base?.title;
  return ok({
    ...base,
    id: flags.text("task") ?? base?.id ?? id,
    type,
    repo: repo.slice(0, 500),
    ...(org !== undefined && { org }),
    ...(subtype !== undefined && { subtype: subtype.slice(0, 500) }),
    ...(title !== undefined && { title: title.replaceAll(/\s+/g, " ").trim().slice(0, 200) }),
    ...(features.value !== undefined && { features: features.value }),
    ...(commit !== undefined && { base_commit: commit }),
    source: base?.source ?? { kind: "live" },
    labeled_by: base?.labeled_by ?? { how: "orchestrator", tier: "reported" },
    ...(horizon.value !== undefined && { ext: { ...base?.ext, [HORIZON_EXT]: horizon.value } }),
  });
}

async function configuredOrg(context: CommandContext): Promise<string | undefined> {
  const config = await readConfig(context);
  const org = config.ok ? config.value.values.get("org") : undefined;
  return typeof org === "string" ? org : undefined;
}

async function taskFile(
  context: CommandContext,
  path: string | undefined,
): Promise<Result<OcpTask | undefined>> {
  if (path === undefined) return ok(undefined);
  const text = await context.readText(path);
  if (!text.ok) return text;
  const { readJson } = await import("../formats/ocp/index.ts");
  const read = readJson(text.value);
  if (!read.ok) return fail("bad-json", `${path} is not JSON: ${read.why}`);
  const top = membersOf(read.value);
  const task = "task" in top ? membersOf(top["task"]) : top;
  const kept = Object.fromEntries(Object.entries(task).filter(([key]) => !VIEW_ONLY.includes(key)));
  const odd = ["id", "type", "repo", "subtype", "title", "base_commit"].find(
    (key) => kept[key] !== undefined && typeof kept[key] !== "string",
  );
  if (odd !== undefined) return fail("bad-input", `"${odd}" of the task in ${path} is not a text`);
  // Checked as a whole with the document that it becomes part of.
  return ok(kept as unknown as OcpTask);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

type Features = NonNullable<OcpTask["features"]>;

/** Known features in the words of the document; others raw, so that a later reading of them applies to old runs. */
async function featuresOf(
  given: readonly string[],
  base: Features | undefined,
): Promise<Result<Features | undefined>> {
  const { documentValue, FEATURES, readFeature } = await import("../formats/workflow/task-types.ts");
  const features: Record<string, boolean | number | string> = { ...base };
  for (const pair of given) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(at, 0)).trim();
    const raw = pair.slice(at + 1).trim();
    if (at < 1 || raw === "" || key === "__proto__")
      return fail("bad-flag", `--feature ${pair} is not KEY=VALUE`);
    const feature = FEATURES.find((one) => one.key === key);
    const { value } = readFeature(key, raw);
    const isKnown = feature !== undefined && value !== "unknown";
    if (isKnown && feature.kind === "bool") features[key] = value === "yes";
    else features[key] = isKnown ? documentValue(key, value) : raw;
  }
  return ok(Object.keys(features).length === 0 ? undefined : features);
}

/** Seconds, or `none` for open-ended work; `3m` is minutes here, for nobody works against a box of months. */
function horizonOf(text: string | undefined): Result<number | "none" | undefined> {
  if (text === undefined) return ok(undefined);
  if (["none", "open", "0"].includes(text)) return ok("none");
  const match = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(text);
  const unitS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
  const seconds = match === null ? Number.NaN : Number(match[1]) * (unitS[match[2] ?? "s"] ?? 1);
  if (!(seconds > 0)) return fail("bad-flag", `--horizon is "${text}", expected 8h, 90m, 2d or none`);
  return ok(Math.round(seconds));
}
