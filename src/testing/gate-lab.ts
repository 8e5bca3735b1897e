import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCheckFiles } from "../adapters/check-files/index.ts";
import { createWorkspaceProvider } from "../adapters/git/index.ts";
import { createProcessRunner } from "../adapters/process/index.ts";
import { createCheckRooms } from "../adapters/rooms/index.ts";
import { must } from "../core/result.ts";
import type { Workspace } from "../ports/workspace.ts";
import { runBaseline } from "../verify/baseline.ts";
import { type FreezeRequest, freezeGate } from "../verify/freeze.ts";
import { evaluateGate, type GatePorts } from "../verify/gate.ts";
import type { Baseline, Check, FrozenGate, GateResult } from "../verify/types.ts";
import { type InlineFiles, type InlineRepo, inlineRepo } from "./inline-repo.ts";
import { systemClock } from "./process-lab.ts";

const PATH = process.env["PATH"] ?? "";
const entropy = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const runner = createProcessRunner({ clock: systemClock, host: "here", toolPath: PATH });

/** A session on a real repository with one check, frozen and with its base run. */
export interface GateLab {
  readonly repo: InlineRepo;
  readonly workspace: Workspace;
  readonly frozen: FrozenGate;
  readonly baseline: Baseline;
  /** Judges what is in the folder now. */
  gate(): Promise<GateResult>;
  dispose(): void;
}

/** What is written to the repository afterwards is the work. `prepare` fills ignored folders before the freeze. */
export async function gateLab(
  files: InlineFiles,
  line: string,
  more: Partial<FreezeRequest> = {},
  prepare?: (dir: string) => void,
): Promise<GateLab> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-home-")));
  const repo = inlineRepo(files);
  prepare?.(repo.dir);
  const scratch = join(home, "scratch");
  mkdirSync(scratch);
  const provider = createWorkspaceProvider({ environment: { PATH, HOME: home } });
  const workspace = must(await provider.open(repo.dir, join(home, "store")));
  const rooms = createCheckRooms({
    process: runner,
    clock: systemClock,
    entropy,
    toolPath: PATH,
    cacheDir: join(home, "cache"),
  });
  const ports: GatePorts = {
    process: runner,
    rooms,
    clock: systemClock,
    entropy,
    checkFiles: createCheckFiles(),
  };
  const base = must(await workspace.snapshot());
  const environment = must(await rooms.freeze({ workspace, base, scratch }));
  const checks: readonly Check[] = [
    {
      name: "tests",
      target: "goal",
      statement: "the tests pass",
      blocking: true,
      timeoutMs: 300_000,
      detector: { type: "script", command: { line }, expectExit: 0 },
    },
  ];
  const { gate: frozen } = must(
    await freezeGate(workspace, {
      base,
      checks,
      goals: ["goal"],
      environment,
      protect: [],
      unprotect: [],
      allowTests: false,
      guard: false,
      flakyRetries: 0,
      toolPath: PATH,
      ...more,
    }),
  );
  const where = { workspace, workDir: workspace.root, scratch };
  const baseline = must(await runBaseline(ports, frozen, where));
  return {
    repo,
    workspace,
    frozen,
    baseline,
    dispose: () => {
      repo.dispose();
      rmSync(home, { recursive: true, force: true });
    },
    gate: async () =>
      must(
        await evaluateGate(ports, frozen, {
          ...where,
          found: must(await workspace.snapshot()),
          baseline,
          approvedDependencyChange: false,
        }),
      ),
  };
}

/** Whether this machine has a tool; says loudly when it has not, because a test is skipped then. */
export function hasTool(tool: string): boolean {
  const found = runner.which(tool, PATH) !== undefined;
  if (!found) process.stderr.write(`skipped: ${tool} is not on this machine\n`);
  return found;
}
