import { readdirSync, readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Within, withinAttempt } from "./adapters/process/ancestry.ts";
import { systemClock, systemEntropy } from "./adapters/system/clock.ts";
import type { CommandContext } from "./commands/types.ts";
import { type CrashPoint, crashPoint } from "./compose-crash.ts";
import { fail, ok, type Result } from "./core/result.ts";
import type { Store } from "./ports/store.ts";
import type { UserFiles } from "./ports/user-files.ts";
import type { RunPorts } from "./run/ports.ts";

/** What the entry point knows of the process; the rest of the program gets it from here. */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string | undefined;
  readonly version: string;
  readonly nodeVersion: string;
  readonly yes: boolean;
  readonly talk: CommandContext["talk"];
  readonly emit: CommandContext["emit"];
  readonly confirm: CommandContext["confirm"];
  readonly choose?: CommandContext["choose"];
  readonly progress: CommandContext["progress"];
  readonly onInterrupt: CommandContext["onInterrupt"];
}

/** Puts the real adapters behind the ports. Each is loaded only when a command needs it. */
export function compose(process: Process): CommandContext {
  const home = homeOf(process);
  const open = new Opened();
  const point = crashPoint(process.env);
  let found: Within | undefined;
  const within = (): Within => {
    found ??= withinAttempt(process.env);
    return found;
  };
  return {
    cwd: process.cwd,
    home,
    env: process.env,
    version: process.version,
    nodeVersion: process.nodeVersion,
    yes: process.yes,
    now: () => systemClock.now(),
    entropy: (count) => systemEntropy.bytes(count),
    sleep: (ms) => systemClock.sleep(ms),
    isKnownDead: async (holder) => {
      const { isKnownDead } = await import("./compose-holder.ts");
      return isKnownDead(holder, process.env["PATH"] ?? "");
    },
    talk: process.talk,
    emit: process.emit,
    onInterrupt: process.onInterrupt,
    ...(process.confirm === undefined ? {} : { confirm: process.confirm }),
    ...(process.choose === undefined ? {} : { choose: process.choose }),
    ...(process.progress === undefined ? {} : { progress: process.progress }),
    get insideAttempt() {
      return within().isInside;
    },
    get attemptSessions() {
      return within().sessions;
    },
    readStore: () => open.once("read", () => readStore(home)),
    writeStore: async () => {
      const store = await open.once("write", () => writeStore(home, point));
      return store.ok ? ok(store.value.store) : store;
    },
    engine: () => open.once("engine", () => engine(process, home, open, point)),
    detectProviders: async () => {
      const { providersOf } = await import("./compose-providers.ts");
      return providersOf(process.env).detect(process.env["PATH"] ?? "");
    },
    topLevel: async () => {
      const { topLevelOf } = await import("./adapters/git/discover.ts");
      const top = topLevelOf(process.cwd);
      return top.ok ? ok(top.value.path) : top;
    },
    logs: async () => {
      const { logAccess } = await import("./compose-logs.ts");
      return logAccess({ home, cwd: process.cwd, env: process.env });
    },
    timers: async () => {
      const { timerSystem } = await import("./adapters/system/timers.ts");
      return timerSystem(process.env);
    },
    listen: async (request) => {
      const { listenForWebhooks } = await import("./adapters/webhook/index.ts");
      return listenForWebhooks(request, () => systemClock.now());
    },
    prepareDemo: async () => {
      const { prepareDemo } = await import("./compose-demo.ts");
      return prepareDemo(process.env);
    },
    inFolder: (cwd, innerHome) => compose({ ...process, cwd, home: innerHome }),
    fits: async () => {
      const { fitStore } = await import("./adapters/fit-store/index.ts");
      return fitStore(join(home, "cache", "fit"));
    },
    fitThread: async () => {
      const { fitThread } = await import("./adapters/fit-thread/index.ts");
      return fitThread(new URL("./fit-thread.cjs", import.meta.url));
    },
    files: lazyFiles(process.cwd),
    skillFolders: async () => {
      const { createSkillFolders } = await import("./adapters/skill-folders/index.ts");
      return createSkillFolders(process.cwd, process.env);
    },
    history: async () => {
      const { createCommitHistory } = await import("./adapters/git-history/index.ts");
      return createCommitHistory(process.env);
    },
    usage: async () => {
      const { usageOf } = await import("./compose-usage.ts");
      return usageOf(process, home);
    },
    listFiles: (path) => Promise.resolve(listFiles(process.cwd, path)),
    readText: (path) => Promise.resolve(readText(process.cwd, path)),
    close: () => open.close(),
  };
}

/** What was opened in this process, each once, so that it can be closed. */
class Opened {
  readonly #made = new Map<string, Promise<Result<unknown>>>();
  readonly #closers: (() => Promise<void>)[] = [];

  once<T>(name: string, make: () => Promise<Result<T>>): Promise<Result<T>> {
    const made = this.#made.get(name) ?? make().then((result) => this.#remember(result));
    this.#made.set(name, made);
    return made as Promise<Result<T>>;
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0)) await closer();
  }

  #remember<T>(result: Result<T>): Result<T> {
    const value: unknown = result.ok ? result.value : undefined;
    const store = hasStore(value) ? value.store : value;
    if (isClosable(store)) this.#closers.push(() => store.close());
    return result;
  }
}

function isClosable(value: unknown): value is { close(): Promise<void> } {
  return typeof value === "object" && value !== null && "close" in value;
}
function hasStore(value: unknown): value is { readonly store: unknown } {
  return typeof value === "object" && value !== null && "store" in value && !("workspaces" in value);
}

function homeOf(process: Process): string {
  const named = process.home ?? process.env["LOOPWRIGHT_HOME"];
  if (named !== undefined && named !== "") return resolve(process.cwd, named);
  return join(process.env["HOME"] ?? homedir(), ".loopwright");
}

async function readStore(home: string): Promise<Result<Store | undefined>> {
  const { hasDatabase, openStore } = await import("./adapters/store-sqlite/index.ts");
  if (!hasDatabase(home)) return ok(undefined);
  let opened = await openStore(home, systemClock, { readOnly: true });
  // Only a writer can bring an old schema up to date; it leaves a copy of the old file.
  if (!opened.ok && opened.problem.code === "store-older") opened = await openStore(home, systemClock);
  return opened.ok ? ok(opened.value.store) : opened;
}

async function writeStore(home: string, point: CrashPoint) {
  const { openStore } = await import("./adapters/store-sqlite/index.ts");
  return openStore(home, systemClock, { onWritePoint: point });
}

async function engine(
  process: Process,
  home: string,
  open: Opened,
  point: CrashPoint,
): Promise<Result<RunPorts>> {
  const opened = await open.once("write", () => writeStore(home, point));
  if (!opened.ok) return opened;
  const { enginePorts } = await import("./compose-engine.ts");
  return enginePorts({
    process,
    home,
    store: opened.value.store,
    queue: opened.value.queue,
    host: hostname(),
    point,
  });
}

/** Loaded when a command first touches a file of the user's. */
function lazyFiles(cwd: string): UserFiles {
  const files = async (): Promise<UserFiles> => {
    const { createUserFiles } = await import("./adapters/user-files/index.ts");
    return createUserFiles(cwd);
  };
  return {
    kind: async (path) => (await files()).kind(path),
    list: async (folder, ending) => (await files()).list(folder, ending),
    below: async (folder, most) => (await files()).below(folder, most),
    read: async (path, maxBytes) => (await files()).read(path, maxBytes),
    write: async (path, text) => (await files()).write(path, text),
    changedAt: async (path, skip) => (await files()).changedAt(path, skip),
  };
}

function listFiles(cwd: string, path: string): readonly string[] {
  try {
    return readdirSync(resolve(cwd, path)).sort();
  } catch {
    return [];
  }
}

function readText(cwd: string, path: string): Result<string> {
  try {
    return ok(readFileSync(path === "-" ? 0 : isAbsolute(path) ? path : resolve(cwd, path), "utf8"));
  } catch (error) {
    return fail(
      "no-such-file",
      `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
