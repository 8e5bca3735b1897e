import { fail, ok, type Problem, type Result } from "../core/result.ts";
import { didYouMean } from "../formats/loop/did-you-mean.ts";
import { readStoredOcp } from "../formats/ocp/index.ts";
import {
  CATALOGUE_IDS,
  configurationIdOf,
  fromOcp,
  namedWorkflow,
  parseWorkflow,
  type WorkflowFile,
} from "../formats/workflow/index.ts";
import type { Store } from "../ports/store.ts";
import type { CommandContext } from "./types.ts";

export type WorkflowOrigin = "catalog" | "composed" | "user" | "file" | "store";

export interface FoundWorkflow {
  readonly origin: WorkflowOrigin;
  readonly file: WorkflowFile;
  /** Where its file is; absent for the catalogue. */
  readonly path?: string;
  readonly warnings: readonly Problem[];
}

/** A file in the user's folder of workflows, readable or not. */
export type UserWorkflow = { readonly path: string; readonly stem: string } & (
  | { readonly found: FoundWorkflow }
  | { readonly problems: readonly Problem[] }
);

export function workflowsFolder(context: Pick<CommandContext, "home">): string {
  return `${context.home}/workflows`;
}

type Finder = Pick<CommandContext, "home" | "listFiles" | "readText" | "readStore">;

/**
 * The workflow that a person means: a TOML file by its path, one of the user's by id or file name, one of the
 * catalogue, a composed name such as `plan_team`, or the configuration `cfg_...` of one of the user's files or of a
 * recorded run. Problems: `no-such-workflow`, `no-such-file`, or the first mistake of the file with the count of the
 * others.
 */
export async function findWorkflow(context: Finder, name: string): Promise<Result<FoundWorkflow>> {
  if (/[/\\]|\.toml$/.test(name)) return first(await readWorkflowFile(context, name));
  if (/^cfg_[0-9a-f]{12}$/.test(name)) return configured(context, name);
  const own = (await userWorkflows(context)).find((one) => one.stem === name || idOf(one) === name);
  if (own !== undefined) return first(own);
  const named = namedWorkflow(name);
  if (named !== undefined) {
    const file = { workflow: named.workflow, settings: {}, numbers: new WeakMap() };
    return ok({ origin: named.origin, file, warnings: [] });
  }
  const near = didYouMean(name, CATALOGUE_IDS);
  return fail("no-such-workflow", `there is no workflow "${name}"`, {
    hint: near === undefined ? "see `loopwright workflows list`" : `did you mean "${near}"?`,
  });
}

async function configured(context: Finder, id: string): Promise<Result<FoundWorkflow>> {
  for (const one of await userWorkflows(context)) {
    if ("found" in one && configurationIdOf(one.found.file) === id) return ok(one.found);
  }
  const store = await context.readStore();
  if (!store.ok) return store;
  const rows = await store.value?.runs({ configuration: id, limit: 1 });
  if (rows !== undefined && !rows.ok) return rows;
  const run = rows?.value[0]?.run;
  const text = run === undefined ? undefined : await store.value?.runDocument(run);
  if (text !== undefined && !text.ok) return text;
  const file = text?.value === undefined ? undefined : fileOfDocument(text.value);
  if (file !== undefined) return ok({ origin: "store", file, warnings: [] });
  const shown = await recommended(store.value, id);
  if (!shown.ok) return shown;
  if (shown.value !== undefined) return ok({ origin: "store", file: shown.value, warnings: [] });
  return fail("no-such-workflow", `no file, run or recommendation of yours has the configuration ${id}`, {
    hint: "see `loopwright runs` and `loopwright workflows list`",
  });
}

/** A configuration that has not run yet, as the newest recommendation that shows it has it. */
async function recommended(store: Store | undefined, id: string): Promise<Result<WorkflowFile | undefined>> {
  const text = await store?.recommendationOf(id);
  if (text === undefined || !text.ok) return text ?? ok(undefined);
  if (text.value === undefined) return ok(undefined);
  const { readStored } = await import("../formats/recommendation/read-stored.ts");
  const stored = readStored(text.value);
  if (!stored.ok) return stored;
  const configuration = stored.value.configurations[id];
  return ok(configuration === undefined ? undefined : fromOcp(configuration, new WeakMap()));
}

function fileOfDocument(text: string): WorkflowFile | undefined {
  const read = readStoredOcp(text);
  const configuration = read.ok ? read.value.document.run.configuration : undefined;
  return read.ok && configuration !== undefined ? fromOcp(configuration, read.value.numbers) : undefined;
}

function idOf(one: UserWorkflow): string | undefined {
  return "found" in one ? one.found.file.workflow.id : undefined;
}

function first(one: UserWorkflow): Result<FoundWorkflow> {
  if ("found" in one) return ok(one.found);
  const [problem, ...more] = one.problems;
  if (problem === undefined) return fail("bad-input", `${one.path} cannot be read`);
  if (more.length === 0) return { ok: false, problem };
  const hint = `${more.length} more: loopwright workflows validate ${one.path}`;
  return {
    ok: false,
    problem: { ...problem, hint: problem.hint === undefined ? hint : `${problem.hint}; ${hint}` },
  };
}

/** Every file of the user's folder, by name. */
export async function userWorkflows(
  context: Pick<CommandContext, "home" | "listFiles" | "readText">,
): Promise<readonly UserWorkflow[]> {
  const folder = workflowsFolder(context);
  const names = (await context.listFiles(folder)).filter((name) => name.endsWith(".toml"));
  return Promise.all(names.map((name) => readWorkflowFile(context, `${folder}/${name}`, "user")));
}

/** Reads one file. In the user's folder an id of the catalogue is a mistake: two workflows would share a name. */
export async function readWorkflowFile(
  context: Pick<CommandContext, "readText">,
  path: string,
  origin: "user" | "file" = "file",
): Promise<UserWorkflow> {
  const stem = (path.split(/[/\\]/).at(-1) ?? path).replace(/\.toml$/, "");
  const text = await context.readText(path);
  if (!text.ok) return { path, stem, problems: [text.problem] };
  const parsed = parseWorkflow(text.value, path);
  if (!parsed.ok) return { path, stem, problems: parsed.problems };
  const { file, warnings } = parsed.value;
  if (origin === "user" && CATALOGUE_IDS.includes(file.workflow.id)) {
    const message = `the id "${file.workflow.id}" belongs to the catalogue; choose another`;
    return { path, stem, problems: [{ code: "bad-id", message, at: path }] };
  }
  return { path, stem, found: { origin, file, path, warnings } };
}
