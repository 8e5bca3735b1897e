// What the benchmarks share: loading our source, quantiles, bare Node as the yardstick.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const ROOT = resolve(import.meta.dirname, "..");
export const PROGRAM = join(ROOT, "dist/cli.cjs");

let server;

/** Loads a TypeScript module of ours; its own lazy imports keep working until `unload`. */
export async function load(path) {
  const { createServer } = await import("vite");
  server ??= await createServer({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  return server.ssrLoadModule(join(ROOT, path));
}

export async function unload() {
  await server?.close();
}

/** Modules of ours as one bundle, as they ship: `load` makes every call across modules slower. */
export async function bundled(paths) {
  const { file, remove } = await bundle(paths);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    remove();
  }
}

/** The bundle as a file: a process that loads it has not made it. */
export async function bundle(paths) {
  const { build } = await import("vite");
  const at = folder();
  const entry = join(at.path, "entry.ts");
  writeFileSync(entry, paths.map((path) => `export * from ${JSON.stringify(join(ROOT, path))};`).join("\n"));
  const outDir = join(at.path, "out");
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: "entry.mjs" } },
    },
    ssr: { noExternal: true },
  });
  return { file: join(outDir, "entry.mjs"), remove: at.remove };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** One row a result: what, measured, target, and whether it is met here and now. */
export function report(what, value, unit, target) {
  const verdict =
    target === undefined ? "" : value <= target ? `within ${target} ${unit}` : `MISSES ${target} ${unit}`;
  console.log(`${what.padEnd(64)} ${value.toFixed(1).padStart(9)} ${unit}  ${verdict}`);
}

export function machine() {
  console.log(
    `${cpus().length} cores, ${cpus()[0]?.model ?? "?"}, node ${process.version}, ${new Date().toISOString()}`,
  );
}

export function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-bench-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Wall milliseconds of one whole process. */
export function wall(argv, options = {}) {
  const started = process.hrtime.bigint();
  const { status } = spawnSync(argv[0], argv.slice(1), { stdio: "ignore", ...options });
  return { ms: Number(process.hrtime.bigint() - started) / 1e6, status };
}

/** Median of a cold command minus the median of bare Node, measured in turns. */
export function beyondBareNode(args, options, rounds = 21) {
  const ours = [];
  const bare = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(wall([process.execPath, "-e", "0"], options).ms);
    ours.push(wall([process.execPath, PROGRAM, ...args], options).ms);
  }
  return { bare: median(bare), ours: median(ours), beyond: median(ours) - median(bare) };
}
