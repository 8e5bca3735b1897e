import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkspaceProvider } from "../adapters/git/index.ts";
import { createProcessRunner } from "../adapters/process/index.ts";
import { createCheckRooms } from "../adapters/rooms/index.ts";
import { must, type Result } from "../core/result.ts";
import type { CheckRooms, FrozenEnvironment, GateLevel, Room, RoomRequest } from "../ports/check-rooms.ts";
import type { ProcessRunner } from "../ports/process.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import { type InlineFiles, type InlineFolder, inlineFolder, inlineRepo } from "./inline-repo.ts";
import { systemClock } from "./process-lab.ts";

/** A working folder, its workspace and check rooms over real git, real processes and temporary folders. */
export interface RoomLab {
  readonly folder: InlineFolder;
  readonly workspace: Workspace;
  readonly rooms: CheckRooms;
  readonly scratch: string;
  readonly cacheDir: string;
  /** Freezes the environment of the session; later rooms use it. */
  freeze(more?: {
    readonly setup?: readonly string[];
    readonly envFiles?: readonly string[];
  }): Promise<FrozenEnvironment>;
  snapshot(): Promise<TreeId>;
  /** Opens a room for what is there now, with `protect` restored from the base tree. */
  open(level: GateLevel, more?: OpenOptions): Promise<Result<Room>>;
  dispose(): void;
}

export interface OpenOptions {
  readonly protect?: readonly string[];
  readonly omit?: readonly string[];
  readonly approved?: boolean;
  readonly instance?: number;
  readonly rooms?: CheckRooms;
}

export interface RoomLabOptions {
  readonly plainFolder?: boolean;
  /** The PATH at session start, given the working folder. */
  readonly toolPath?: (dir: string) => string;
  /** A cache that outlives the lab, as sessions share one. */
  readonly cacheDir?: string;
}

export async function roomLab(files: InlineFiles, options: RoomLabOptions = {}): Promise<RoomLab> {
  const folder = options.plainFolder === true ? inlineFolder(files) : inlineRepo(files);
  const ours = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-rooms-")));
  const provider = createWorkspaceProvider({ environment: process.env });
  const workspace = must(await provider.open(folder.dir, join(ours, "store")));
  const scratch = join(ours, "scratch");
  const cacheDir = options.cacheDir ?? join(ours, "cache");
  const rooms = labRooms(cacheDir, options.toolPath?.(folder.dir));
  let frozen: { readonly base: TreeId; readonly environment: FrozenEnvironment } | undefined;
  const snapshot = async (): Promise<TreeId> => must(await workspace.snapshot());
  const freeze: RoomLab["freeze"] = async (more = {}) => {
    const base = await snapshot();
    frozen = { base, environment: must(await rooms.freeze({ workspace, base, scratch, ...more })) };
    return frozen.environment;
  };
  const open: RoomLab["open"] = async (level, more = {}) => {
    if (frozen === undefined) await freeze();
    if (frozen === undefined) throw new Error("not frozen");
    const request = await requestFor(workspace, scratch, frozen, level, await snapshot(), more);
    return (more.rooms ?? rooms).open(request);
  };
  const dispose = (): void => {
    folder.dispose();
    rmSync(ours, { recursive: true, force: true });
  };
  return { folder, workspace, rooms, scratch, cacheDir, freeze, snapshot, open, dispose };
}

async function requestFor(
  workspace: Workspace,
  scratch: string,
  frozen: { readonly base: TreeId; readonly environment: FrozenEnvironment },
  level: GateLevel,
  found: TreeId,
  more: OpenOptions,
): Promise<RoomRequest> {
  const restore = { from: frozen.base, paths: more.protect ?? [] };
  const judged = must(await workspace.compose(found, { restore, omit: more.omit ?? [], replace: [] }));
  return {
    level,
    workspace,
    workDir: workspace.root,
    found,
    judged,
    base: frozen.base,
    environment: frozen.environment,
    scratch,
    approvedDependencyChange: more.approved ?? false,
    instance: more.instance ?? 0,
  };
}

/** Check rooms of another process of ours over the same cache. */
export function labRooms(cacheDir: string, toolPath = process.env["PATH"] ?? ""): CheckRooms {
  return createCheckRooms({
    process: labProcess(toolPath),
    clock: systemClock,
    entropy: { bytes: (count) => randomBytes(count) },
    toolPath,
    cacheDir,
    toolEnv: machineEnv(),
  });
}

function labProcess(toolPath: string): ProcessRunner {
  return createProcessRunner({ clock: systemClock, host: hostname(), toolPath });
}

/** Certificates and proxies of this machine, without which nothing can be downloaded. */
function machineEnv(): Readonly<Record<string, string>> {
  const wanted = /^(.*_CERT_FILE|.*_CA_CERTS|.*_CA_BUNDLE|PIP_CERT|PIP_FIND_LINKS|https?_proxy|no_proxy)$/i;
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && wanted.test(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Runs a command line in a room as a check does: the room's environment and nothing else. */
export function runIn(
  room: Room,
  line: string,
): { readonly exitCode: number | null; readonly output: string } {
  const ran = spawnSync("/bin/sh", ["-c", line], { cwd: room.dir, env: room.env, encoding: "utf8" });
  return { exitCode: ran.status, output: `${ran.stdout}${ran.stderr}`.trim() };
}

/** Whether a tool of this machine runs; says loudly when tests are skipped for lack of it. */
export function hasTool(command: string, ...args: readonly string[]): boolean {
  const ran = spawnSync(command, args, { stdio: "ignore" });
  if (ran.status === 0) return true;
  process.stderr.write(`\nSKIPPED for lack of \`${command}\`: tests of check rooms that need it\n`);
  return false;
}
