import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "vite";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** A child process of a test and what it has said so far, a line each. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves when it has said a line that starts like this; rejects when it ends before. */
  said(start: string): Promise<void>;
  /** How it ended: exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Bundles store-child.ts once per test file, so that plain Node runs it, and gives a function that starts it. The
 * bundle lies under node_modules because the SQLite driver is resolved from where it lies.
 */
export function storeChildren(): (...args: readonly string[]) => Child {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(ROOT, "node_modules/.store-child-"));
    await build({
      configFile: false,
      logLevel: "error",
      root: ROOT,
      build: {
        ssr: join(import.meta.dirname, "store-child.ts"),
        outDir: folder,
        minify: false,
        rollupOptions: { output: { entryFileNames: "child.mjs" } },
      },
    });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (...args) => start(join(folder, "child.mjs"), args);
}

function start(program: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  const ended = new Promise<number | string>((resolveEnd) => {
    child.on("close", (code, signal) => resolveEnd(code ?? signal ?? "unknown"));
  });
  const said = (start: string): Promise<void> =>
    new Promise((found, reject) => {
      const look = (): void => {
        if (lines.some((line) => line.startsWith(start))) found();
      };
      waiting.add(look);
      ended.then((how) => reject(new Error(`ended (${how}) before it said ${start}`)));
      look();
    });
  return { process: child, lines, said, ended };
}
