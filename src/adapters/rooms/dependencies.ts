import { canonicalJson } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { DependencyChange, RoomRequest } from "../../ports/check-rooms.ts";
import type { TreeId } from "../../ports/workspace.ts";
import { compareDependencies } from "./dependency-change.ts";
import { dependencyPaths, inFolder, missingLock } from "./detect.ts";
import { type Product, type Products, setupHashOf } from "./products.ts";
import { planSetup, type SetupPlan } from "./setup-plan.ts";
import { pathOutside, type Toolbox, type VersionOf } from "./tools.ts";
import { readTreePair, type TreePair } from "./tree-files.ts";

/** How the judged tree's dependencies differ from the base tree's. */
export async function dependencyChangeOf(
  request: RoomRequest,
  tools: Toolbox,
): Promise<Result<{ readonly change: DependencyChange; readonly pair: TreePair }>> {
  const pair = await readTreePair(request.workspace, request.base, request.judged);
  if (!pair.ok) return pair;
  const isTool = (name: string): boolean => tools.process.which(name, tools.toolPath) !== undefined;
  return ok({ change: compareDependencies({ ...pair.value, isTool }), pair: pair.value });
}

export interface Installed {
  readonly product: Product;
  readonly plan: SetupPlan;
  readonly setupHash: string;
}

/**
 * What a clean room's dependencies are, installed at most once. Problems: `dependency-change` (not approved),
 * `level-unavailable` (no lock file, manager not found), `setup-failed`.
 */
export async function installFor(
  request: RoomRequest,
  pair: TreePair,
  change: DependencyChange,
  products: Products,
  tools: Toolbox,
  versionOf: VersionOf,
): Promise<Result<Installed>> {
  if (change.kind === "needs-approval" && !request.approvedDependencyChange) {
    return fail(
      "dependency-change",
      `the change of dependencies needs a person: ${change.reasons.join("; ")}`,
    );
  }
  const plan = planFor(request, pair, change);
  const unusable = whyUnusable(request, pair, plan, tools);
  if (unusable !== undefined) return fail("level-unavailable", unusable);
  const env = {
    ...tools.toolEnv,
    PATH: pathOutside(tools.toolPath, request.workspace.root),
    LANG: "C.UTF-8",
  };
  const setupTree = await composeSetupTree(request, pair, change, plan);
  if (!setupTree.ok) return setupTree;
  const runs = { cwd: request.scratch, env: { ...env, HOME: request.scratch }, logs: request.scratch };
  const versions: string[] = [];
  for (const command of commandsOf(plan)) versions.push(`${command} ${await versionOf(command, runs)}`);
  const key = setupKey(pair, plan, plan.runsProjectCode ? setupTree.value : undefined, versions);
  if (plan.steps.length === 0) return ok(nothing(key, plan));
  const product = await products.get({
    key,
    workspace: request.workspace,
    setupTree: setupTree.value,
    plan,
    env,
  });
  if (!product.ok) return product;
  return ok({ product: product.value, plan, setupHash: setupHashOf(key, product.value) });
}

/** Names everything that the result of a set-up depends on. */
function setupKey(
  pair: TreePair,
  plan: SetupPlan,
  tree: TreeId | undefined,
  versions: readonly string[],
): string {
  const hashes = (files: ReadonlyMap<string, string>): readonly (readonly string[])[] =>
    [...files].map(([path, text]) => [path, sha256(text)]);
  const settings = new Map([...pair.base.text].filter(([path]) => path.endsWith(".npmrc")));
  return sha256(
    canonicalJson({
      steps: plan.steps.map((step) => [step.cwd, ...step.argv]),
      files: hashes(pair.judged.text),
      settings: hashes(settings),
      tree,
      versions,
      platform: `${process.platform}-${process.arch}`,
    }),
  );
}

function nothing(key: string, plan: SetupPlan): Installed {
  const product: Product = { folders: [], stores: [] };
  return { product, plan, setupHash: setupHashOf(key, product) };
}

function planFor(request: RoomRequest, pair: TreePair, change: DependencyChange): SetupPlan {
  const plan = planSetup(pair.base, pair.judged, change);
  if (!isConfigured(request)) return plan;
  const steps = request.environment.setup.map((step) => ({ ...step, optional: false }));
  return { ...plan, steps, extraFiles: [], runsProjectCode: true };
}

function isConfigured(request: RoomRequest): boolean {
  return request.environment.setup.some((step) => step.manager === "configured");
}

function whyUnusable(
  request: RoomRequest,
  pair: TreePair,
  plan: SetupPlan,
  tools: Toolbox,
): string | undefined {
  if (isConfigured(request)) return undefined;
  for (const { manager, lock } of plan.detected) {
    if (tools.process.which(manager.command, tools.toolPath) === undefined) {
      return `${manager.command} is not on the PATH, and ${lock} needs it`;
    }
  }
  return plan.unusable ?? missingLock(pair.judged);
}

/** The base tree with the judged tree's dependency files: what is installed is judged, what runs is the base's. */
function composeSetupTree(
  request: RoomRequest,
  pair: TreePair,
  change: DependencyChange,
  plan: SetupPlan,
): ReturnType<RoomRequest["workspace"]["compose"]> {
  const paths = new Set([...dependencyPaths(pair.base.paths), ...dependencyPaths(pair.judged.paths)]);
  // An approved change is installed as the judged tree says, with its patches and settings.
  if (change.kind === "needs-approval") for (const path of pair.changedPaths) paths.add(path);
  return request.workspace.compose(request.base, {
    restore: { from: request.judged, paths: [...paths].sort() },
    omit: [],
    replace: plan.extraFiles.map(({ path, text }) => ({ path, bytes: Buffer.from(text, "utf8") })),
  });
}

function commandsOf(plan: SetupPlan): readonly string[] {
  const commands = plan.detected.map((one) => one.manager.command);
  const isNode = plan.detected.some((one) => ["npm", "pnpm", "yarn"].includes(one.manager.name));
  return [...new Set([...commands, ...(isNode ? ["node"] : [])])].sort();
}

/** Folders of commands that a set-up brings, which a check finds before those of the PATH. */
export function commandFolders(plan: SetupPlan): readonly string[] {
  return plan.detected
    .filter((one) => ["uv", "poetry", "pip"].includes(one.manager.name))
    .map((one) => inFolder(one.cwd, ".venv/bin"));
}
