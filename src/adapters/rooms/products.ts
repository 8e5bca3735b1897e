import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { canonicalJson } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TreeId, Workspace } from "../../ports/workspace.ts";
import { boundReason } from "./bound-paths.ts";
import { isDependencyFolder } from "./dependency-folders.ts";
import { removeIfThere, writeSynced } from "./exchange.ts";
import type { FolderStore } from "./frozen-folders.ts";
import type { Store } from "./managers.ts";
import { relocateScripts } from "./relocate.ts";
import type { SetupPlan } from "./setup-plan.ts";
import { runTool, type Toolbox } from "./tools.ts";

const productSchema = v.object({
  /** Folders of the checkout, each the digest of a kept folder. */
  folders: v.array(v.object({ path: v.string(), digest: v.string() })),
  /** Package stores outside the checkout. */
  stores: v.array(v.object({ name: v.string(), variable: v.string(), digest: v.string() })),
});
/** What a set-up made: kept folders, by where they belong. */
export type Product = v.InferOutput<typeof productSchema>;

export interface ProductOrder {
  /** Names everything that the result depends on. */
  readonly key: string;
  readonly workspace: Workspace;
  /** The base tree with the dependency files of the judged tree. */
  readonly setupTree: TreeId;
  readonly plan: SetupPlan;
  readonly env: Readonly<Record<string, string>>;
}

export interface Products {
  /** Returns what the order makes, making it only once. Problems: `setup-failed`, `level-unavailable`, `tree-tampered`. */
  get(order: ProductOrder): Promise<Result<Product>>;
}

/** @param cacheDir a folder of ours, outside any checkout, shared by sessions */
export function createProducts(cacheDir: string, folders: FolderStore, tools: Toolbox): Products {
  const records = join(cacheDir, "setups");
  /** What this process made or used: a record that says something else later was changed by somebody. */
  const known = new Map<string, Promise<Result<Product>>>();
  return {
    get: async (order) => {
      const running = known.get(order.key) ?? getOrMake(records, cacheDir, folders, tools, order);
      known.set(order.key, running);
      const product = await running;
      // A failed set-up may work the next time (a network that was away).
      if (!product.ok) known.delete(order.key);
      return product;
    },
  };
}

async function getOrMake(
  records: string,
  cacheDir: string,
  folders: FolderStore,
  tools: Toolbox,
  order: ProductOrder,
): Promise<Result<Product>> {
  const record = join(records, order.key);
  const kept = v.safeParse(
    v.pipe(v.string(), v.parseJson(), productSchema),
    await readFile(record, "utf8").catch(() => ""),
  );
  if (kept.success) return ok(kept.output);
  const work = join(cacheDir, "work", tools.nonce());
  try {
    const product = await make(work, cacheDir, folders, tools, order);
    if (!product.ok) return product;
    await mkdir(records, { recursive: true, mode: 0o700 });
    const fresh = `${record}.${tools.nonce()}`;
    await removeIfThere(fresh);
    await writeSynced(fresh, JSON.stringify(product.value), 0o600);
    await rename(fresh, record);
    return product;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function make(
  work: string,
  cacheDir: string,
  folders: FolderStore,
  tools: Toolbox,
  order: ProductOrder,
): Promise<Result<Product>> {
  const checkout = join(work, "checkout");
  const stores = storesOf(order.plan);
  for (const dir of ["home", "tmp", ...stores.map((store) => `stores/${store.name}`)]) {
    await mkdir(join(work, dir), { recursive: true, mode: 0o700 });
  }
  const written = await order.workspace.materialise(order.setupTree, checkout);
  if (!written.ok) return written;
  const env = {
    ...order.env,
    ...setupEnv(join(cacheDir, "downloads")),
    ...storeEnv(stores, join(work, "stores")),
    HOME: join(work, "home"),
    TMPDIR: join(work, "tmp"),
  };
  for (const step of order.plan.steps) {
    const cwd = join(checkout, step.cwd);
    const done = await runTool(tools, { argv: step.argv, cwd, env, logs: join(work, "logs") });
    if (!done.ok && !step.optional) return done;
  }
  return collect(work, checkout, stores, folders, order);
}

async function collect(
  work: string,
  checkout: string,
  stores: readonly Store[],
  folders: FolderStore,
  order: ProductOrder,
): Promise<Result<Product>> {
  const listed = await order.workspace.list(order.setupTree);
  if (!listed.ok) return listed;
  const tracked = new Set(listed.value.map((entry) => entry.path.split("/").slice(0, -1).join("/")));
  const product: { folders: Product["folders"]; stores: Product["stores"] } = { folders: [], stores: [] };
  for (const path of await installedFolders(checkout, "", tracked)) {
    const folder = join(checkout, path);
    await relocateScripts(folder, checkout);
    const survey = await folders.survey(folder);
    const bound = await boundReason(checkout, path, survey.manifest);
    if (bound !== undefined) {
      return fail("level-unavailable", `what setup installs works only where it was installed: ${bound}`);
    }
    const kept = await folders.keep(folder, survey);
    if (!kept.ok) return kept;
    product.folders.push({ path, digest: survey.digest });
  }
  for (const { name, variable } of stores) {
    const folder = join(work, "stores", name);
    const survey = await folders.survey(folder);
    const kept = await folders.keep(folder, survey);
    if (!kept.ok) return kept;
    product.stores.push({ name, variable, digest: survey.digest });
  }
  return ok(product);
}

/** Outermost dependency folders on disk that hold nothing of the tree itself. */
async function installedFolders(
  root: string,
  at: string,
  tracked: ReadonlySet<string>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    const holdsTracked = tracked.has(path) || [...tracked].some((dir) => dir.startsWith(`${path}/`));
    if (isDependencyFolder(path) && !holdsTracked) found.push(path);
    else found.push(...(await installedFolders(root, path, tracked)));
  }
  return found;
}

function storesOf(plan: SetupPlan): readonly Store[] {
  const stores = plan.detected.flatMap((one) => one.manager.stores);
  return stores.filter((store, index) => stores.findIndex((other) => other.name === store.name) === index);
}

/** The variables that lead tools to package stores below `dir`. */
export function storeEnv(
  stores: readonly { readonly name: string; readonly variable: string }[],
  dir: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    stores.map(({ name, variable }) =>
      variable === "MAVEN_ARGS"
        ? [variable, `-Dmaven.repo.local=${join(dir, name)}`]
        : [variable, join(dir, name)],
    ),
  );
}

/** Download caches are shared only where the manager proves each package by a hash in the lock. */
function setupEnv(downloads: string): Readonly<Record<string, string>> {
  return {
    npm_config_cache: join(downloads, "npm"),
    npm_config_update_notifier: "false",
    npm_config_store_dir: join(downloads, "pnpm"),
    YARN_CACHE_FOLDER: join(downloads, "yarn"),
    PIP_NO_CACHE_DIR: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    UV_NO_CACHE: "1",
    UV_LINK_MODE: "copy",
    UV_PYTHON_DOWNLOADS: "never",
    POETRY_VIRTUALENVS_IN_PROJECT: "true",
    GOFLAGS: "-modcacherw",
    BUNDLE_FROZEN: "true",
    HUSKY: "0",
  };
}

/** Identifies a set-up: its inputs and what it made. */
export function setupHashOf(key: string, product: Product): string {
  return sha256(`${key}\n${canonicalJson({ folders: product.folders, stores: product.stores })}`);
}
