import { fail, ok, type Result } from "../core/result.ts";
import type { HarnessFile, HarnessRecord } from "../formats/harness/index.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { StartRequest } from "../run/start.ts";
import { readConfig } from "./home-config.ts";
import type { CommandContext, FlagSpec } from "./types.ts";

export const HARNESS_FLAG = {
  kind: "text",
  brief: "Record what shaped the agents: in the tree they worked in (auto), nothing (none), in this tree",
  placeholder: "auto|none|DIR",
} as const satisfies FlagSpec;

type Context = Pick<CommandContext, "files" | "home" | "cwd" | "talk">;

const MOST_FILES = 2000;
const LARGEST_BYTES = 1024 * 1024;

/**
 * The record of the harness that a run's agents had, if one is asked for: by the flag, else by the configuration. A run
 * without a tree, or with several, has none; a note tells of several.
 */
export async function harnessFor(
  context: Context,
  document: OcpDocument,
  flag: string | undefined,
): Promise<Result<HarnessRecord | undefined>> {
  const config = flag === undefined ? await readConfig(context) : undefined;
  if (config?.ok === false) return config;
  const wanted = flag ?? config?.value.values.get("harness.record") ?? "none";
  if (typeof wanted !== "string" || wanted === "none") return ok(undefined);
  const tree = wanted === "auto" ? await treeOf(context, document) : await namedTree(context, wanted);
  if (!tree.ok) return tree;
  return ok(tree.value === undefined ? undefined : await harnessOf(context, tree.value));
}

/** The request of a session with that record of its own tree, where the configuration asks for it. */
export async function withHarnessOfTree(
  context: Context,
  request: StartRequest,
): Promise<Result<StartRequest>> {
  const config = await readConfig(context);
  if (!config.ok) return config;
  const tree =
    config.value.values.get("harness.record") === "auto" ? await workTree(context, request.dir) : undefined;
  const harness = tree === undefined ? undefined : await harnessOf(context, tree);
  return ok(harness === undefined ? request : { ...request, spec: { ...request.spec, harness } });
}

/** What shapes an agent in this tree; undefined when nothing does. */
async function harnessOf(
  { files }: Pick<Context, "files">,
  tree: string,
): Promise<HarnessRecord | undefined> {
  const { HARNESS_PLACES, readHarness } = await import("../formats/harness/index.ts");
  const below = await Promise.all(
    HARNESS_PLACES.folders.map(async (folder) =>
      (await files.below(`${tree}/${folder}`, MOST_FILES)).map((path) => `${folder}/${path}`),
    ),
  );
  const found: HarnessFile[] = [];
  for (const path of [...HARNESS_PLACES.files, ...below.flat()]) {
    if ((await files.kind(`${tree}/${path}`)) !== "file") continue;
    const bytes = await files.read(`${tree}/${path}`, LARGEST_BYTES);
    if (bytes.ok) found.push({ path, text: new TextDecoder().decode(bytes.value) });
  }
  return readHarness(found);
}

/** What shapes an agent in a folder that a person named. */
export async function harnessOfFolder(
  context: Context,
  folder: string,
): Promise<Result<HarnessRecord | undefined>> {
  const tree = await namedTree(context, folder);
  return tree.ok ? ok(await harnessOf(context, tree.value)) : tree;
}

async function namedTree({ files, cwd }: Context, folder: string): Promise<Result<string>> {
  if ((await files.kind(folder)) === "folder") return ok(folder);
  return fail("no-such-file", `there is no folder ${folder} under ${cwd}`, {
    hint: "--harness takes auto, none or a folder",
  });
}

/** The git work tree of all attempts; that of the current folder when none names a folder. */
async function treeOf(context: Context, { attempts = [] }: OcpDocument): Promise<Result<string | undefined>> {
  const folders = new Set(attempts.flatMap(({ cwd }) => cwd ?? []));
  const trees = new Set<string>();
  for (const folder of folders.size === 0 ? [context.cwd] : folders) {
    const tree = await workTree(context, folder);
    if (tree !== undefined) trees.add(tree);
  }
  const [only, ...others] = trees;
  if (others.length === 0) return ok(only);
  context.talk(`note: the attempts worked in ${trees.size} trees; no harness is recorded`);
  return ok(undefined);
}

async function workTree(context: Context, folder: string): Promise<string | undefined> {
  const steps = folder.split(/[/\\]/);
  for (let length = steps.length; length > 0; length -= 1) {
    const at = steps.slice(0, length).join("/");
    if ((await context.files.kind(`${at}/.git`)) !== "none") return at;
  }
  return undefined;
}
