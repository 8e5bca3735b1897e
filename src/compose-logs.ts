import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Worker } from "node:worker_threads";
import manifest from "../package.json" with { type: "json" };
import { keptText, logCache } from "./adapters/log-cache/index.ts";
import type { LogAccess } from "./commands/log-access.ts";
import type { BatchWork } from "./compose-batches.ts";
import { ownTable } from "./compose-prices.ts";
import { logSource } from "./compose-sources.ts";
import { ok } from "./core/result.ts";
import { rememberedPrices } from "./logs/prices/remembered.ts";
import type { ScanPorts } from "./logs/summary-scan.ts";
import { textHash } from "./logs/text-hash.ts";
import type { LogCache, LogReaders, LogSet } from "./ports/log-source.ts";

const CATALOGUE_VERSION = manifest.devDependencies["@pydantic/genai-prices"];
/** Less than this is read sooner here than it takes to start a thread. */
const WORTH_A_THREAD_BYTES = 24e6;
const BATCH_BYTES = 4e6;
/** Records live for one file only: with room for them few are copied by the collector. */
const YOUNG_MB = 24;

/** Log files of this machine. `roots` names where they are looked for: each place has a cache of its own. */
export function logPorts(home: string, roots: string, useCache: boolean): ScanPorts {
  optimiseLater();
  const name = textHash(roots).toString(16);
  const cacheDir = useCache ? join(home, "cache", "logs", name) : undefined;
  const cache = cacheDir === undefined ? undefined : logCache(cacheDir);
  return {
    source: logSource(),
    readers: readers(cacheDir, cache),
    ...(cache === undefined ? {} : { cache }),
  };
}

function readers(cacheDir: string | undefined, cache: LogCache | undefined): LogReaders {
  let second: SecondThread | undefined;
  return {
    prepare: () => {
      second ??= new SecondThread(cacheDir);
    },
    read: async function* (sets) {
      if (sets.length === 0) return;
      const bytes = sets.reduce((sum, set) => sum + bytesOf(set), 0);
      if (bytes < WORTH_A_THREAD_BYTES && second?.isWarm !== true) {
        yield* readHere([sets], oneAfterTheOther(), cache);
        return;
      }
      second ??= new SecondThread(cacheDir);
      const batches = batchesOf(sets);
      const next = new Int32Array(new SharedArrayBuffer(4));
      const answer = second.read({ batches, next });
      const taken = new Set<number>();
      const take = (): number => {
        const batch = Atomics.add(next, 0, 1);
        taken.add(batch);
        return batch;
      };
      yield* readHere(batches, take, cache);
      const lines = await answer;
      if (lines !== undefined) yield lines;
      else
        yield* readHere(
          batches.filter((_, batch) => !taken.has(batch)),
          oneAfterTheOther(),
          cache,
        );
    },
    close: () => {
      second?.end();
      second = undefined;
    },
  };
}

/** The readers are loaded when there is something to read. */
async function* readHere(
  batches: BatchWork["batches"],
  take: () => number,
  cache: LogCache | undefined,
): AsyncGenerator<readonly string[]> {
  const { readBatches } = await import("./compose-batches.ts");
  yield* readBatches(batches, take, cache);
}

function bytesOf(set: LogSet): number {
  let bytes = 0;
  for (const { files } of set) for (const file of files) bytes += file.sizeBytes;
  return bytes;
}

function oneAfterTheOther(): () => number {
  let next = 0;
  return () => next++;
}

/** Takes the next batch when it is done with the last, as does the thread that started it. */
class SecondThread {
  readonly #worker: Worker;
  readonly #failure: Promise<undefined>;
  /** It has read before: from here on little is worth handing over. */
  isWarm = false;

  constructor(cacheDir: string | undefined) {
    // Loaded where a second thread is wanted only.
    const threads = process.getBuiltinModule("node:worker_threads");
    this.#worker = new threads.Worker(new URL("./log-reader.cjs", import.meta.url), {
      workerData: cacheDir,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#failure = new Promise((resolve) => {
      this.#worker.once("error", () => resolve(undefined));
      this.#worker.once("exit", () => resolve(undefined));
    });
    // Until it is asked for something, nobody waits for it.
    this.#worker.unref();
  }

  /** The lines of all batches that it takes; undefined when it fails, which costs time only. */
  read(work: BatchWork): Promise<readonly string[] | undefined> {
    const worker = this.#worker;
    this.isWarm = true;
    const lines = new Promise<readonly string[]>((resolve) => worker.once("message", resolve));
    worker.ref();
    worker.postMessage(work);
    return Promise.race([lines, this.#failure]);
  }

  end(): void {
    void this.#worker.terminate();
  }
}

/**
 * Node 20 knows no quick optimising compiler: on each thread it hands warm functions to the slow one, which takes a quarter
 * of a scan. Six times the patience leaves it the hot ones. Later engines do not know the setting and need none.
 */
function optimiseLater(): void {
  if (!process.versions.v8.startsWith("11.")) return;
  process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=400000");
}

/** The largest first, so that the threads end together. */
function batchesOf(sets: readonly LogSet[]): LogSet[][] {
  const sorted = sets.map((set) => ({ set, bytes: bytesOf(set) })).sort((a, b) => b.bytes - a.bytes);
  const batches: LogSet[][] = [];
  let bytes = BATCH_BYTES;
  for (const entry of sorted) {
    if (bytes >= BATCH_BYTES || (batches.at(-1)?.length ?? 0) >= 500) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(entry.set);
    bytes += entry.bytes;
  }
  return batches;
}

/** Access to the logs for commands. Relative price files are looked for in `cwd`. */
export function logAccess(parts: {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): LogAccess {
  const { home, cwd, env } = parts;
  const environment = { homeDir: env["HOME"] ?? homedir(), variables: env };
  const places = [
    "HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "OPENCODE_DB",
  ];
  const roots = places.map((name) => `${name}=${env[name] ?? ""}`).join("\n");
  return {
    env: environment,
    ports: (useCache) => logPorts(home, roots, useCache),
    prices: async (models, file) => {
      const table = await ownTable(file === undefined ? { home } : { file: resolve(cwd, file) });
      if (!table.ok) return table;
      const memory = keptText(join(home, "cache", "prices"));
      return ok(await rememberedPrices(models, table.value, memory, CATALOGUE_VERSION));
    },
  };
}
