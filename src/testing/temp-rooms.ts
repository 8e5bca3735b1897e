import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fail, ok } from "../core/result.ts";
import type { CheckRooms, GateLevel, RoomRequest } from "../ports/check-rooms.ts";
import type { TreeId } from "../ports/workspace.ts";
import type { TreeWorkspace } from "./tree-workspace.ts";

export interface TempRoomsOptions {
  /** Levels that cannot be had here, with the reason. */
  readonly unavailable?: Partial<Record<GateLevel, string>>;
  /** Files that a room of this level has besides the tree: what an environment may lack elsewhere. */
  readonly besides?: Partial<Record<GateLevel, Readonly<Record<string, string>>>>;
}

export interface TempRooms extends CheckRooms {
  /** Requests in the order in which rooms were opened. */
  readonly opened: readonly RoomRequest[];
}

/** Rooms that are temporary folders with the judged tree in them, whatever the level is called. */
export function tempRooms(workspace: TreeWorkspace, options: TempRoomsOptions = {}): TempRooms {
  const opened: RoomRequest[] = [];
  return {
    opened,
    freeze: async ({ base }) => ok({ base, snapshots: [], envFiles: [], setup: [] }),
    recover: async () => ok([]),
    open: async (request) => {
      const why = options.unavailable?.[request.level];
      if (why !== undefined) return fail("level-unavailable", why);
      opened.push(request);
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-room-")));
      write(workspace, request.judged, dir);
      for (const [path, text] of Object.entries(options.besides?.[request.level] ?? {})) put(dir, path, text);
      return ok({
        level: request.level,
        dir,
        env: { HOME: dir },
        setupHash: "none",
        dependencyChange: { kind: "none" },
        altered: async () => ok(altered(workspace, request.judged, dir)),
        dispose: async () => {
          rmSync(dir, { recursive: true, force: true });
          return ok([]);
        },
      });
    },
  };
}

function write(workspace: TreeWorkspace, tree: TreeId, dir: string): void {
  for (const [path, { mode, text }] of workspace.files(tree)) {
    if (mode === "symlink") {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      symlinkSync(text, join(dir, path));
    } else put(dir, path, text, mode === "executable" ? 0o755 : 0o644);
  }
}

function put(dir: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
  chmodSync(join(dir, path), mode);
}

function altered(workspace: TreeWorkspace, tree: TreeId, dir: string): readonly string[] {
  return [...workspace.files(tree)]
    .filter(([path, { mode, text }]) => {
      if (mode === "symlink") return false;
      return !existsSync(join(dir, path)) || readFileSync(join(dir, path), "utf8") !== text;
    })
    .map(([path]) => path);
}
