import type { Result } from "../core/result.ts";
import type { TreeId, Workspace } from "./workspace.ts";

/** Where a check runs: a property of the evidence, weakest last. */
export const GATE_LEVELS = ["clean", "snapshot", "in-place"] as const;
export type GateLevel = (typeof GATE_LEVELS)[number];

/** Name of the folder in a session's scratch folder that holds what `freeze` copied, for as long as the session is kept. */
export const FROZEN = "frozen";

/** What a session froze about its environment before the first dispatch. */
export interface FrozenEnvironment {
  readonly base: TreeId;
  /** Ignored dependency folders copied at session start, with the hash of a manifest each. */
  readonly snapshots: readonly {
    readonly path: string;
    readonly manifest: string;
    /** Why the folder works only where it is (absolute link, editable install ...): no copy of it was kept. */
    readonly boundBy?: string;
  }[];
  /** Ignored env files copied at session start: names only, content is kept apart with mode 600. */
  readonly envFiles: readonly string[];
  /** Salted hash that proves the kept copies of the env files. */
  readonly envSeal?: string;
  /** Hash of the history that checkouts get; absent for a plain folder and before the first commit. */
  readonly history?: string;
  readonly setup: readonly SetupStep[];
  /** Lock files whose packages were not in the working folder at the start, as in a fresh worktree. */
  readonly notInstalled?: readonly string[];
}

export interface SetupStep {
  readonly manager: string;
  readonly cwd: string;
  readonly argv: readonly string[];
}

export type DependencyChange =
  | { readonly kind: "none" }
  /** Plain additions: `setup` is rerun, and they are shown. */
  | { readonly kind: "additions"; readonly added: readonly string[] }
  /** Uncheckable until a person approves it. */
  | { readonly kind: "needs-approval"; readonly reasons: readonly string[] };

export interface Room {
  readonly level: GateLevel;
  /** The folder in which checks run; holds exactly the judged tree, besides a repository, dependencies and env files. */
  readonly dir: string;
  /** Added to the environment of checks: own HOME, own package stores. */
  readonly env: Readonly<Record<string, string>>;
  readonly setupHash: string;
  /** How the judged tree's dependencies differ from the base tree's. Additions are shown, never hidden. */
  readonly dependencyChange: DependencyChange;
  /** Paths of the judged tree, protected set or dependency manifest that a check has changed since the room was made. */
  altered(): Promise<Result<readonly string[]>>;
  /** Puts everything back (in-place) or throws the folder away. Keeps user edits made meanwhile; returns them. */
  dispose(): Promise<Result<readonly string[]>>;
}

export interface RoomRequest {
  readonly level: GateLevel;
  readonly workspace: Workspace;
  /** The folder the agent worked in (the root, or a worktree). */
  readonly workDir: string;
  /** What is there now. */
  readonly found: TreeId;
  /** `found` with protected paths restored: what must be judged. */
  readonly judged: TreeId;
  readonly base: TreeId;
  readonly environment: FrozenEnvironment;
  /** Session-private scratch folder of ours, outside any checkout. */
  readonly scratch: string;
  readonly approvedDependencyChange: boolean;
  /** Blocking checks run in parallel only in separate rooms. */
  readonly instance: number;
}

/** Makes the places in which checks run, in the strength that is asked for or not at all. */
export interface CheckRooms {
  /** Copies what later rooms need from the working folder as it is now. `scratch` is the one that `open` gets. */
  freeze(request: {
    readonly workspace: Workspace;
    readonly base: TreeId;
    readonly scratch: string;
    /** Command lines of a person, run by `/bin/sh -c` at the root; absent: detected from lock files. */
    readonly setup?: readonly string[];
    /** Paths relative to the root; absent: the ignored `.env*` files. */
    readonly envFiles?: readonly string[];
  }): Promise<Result<FrozenEnvironment>>;
  /** Problems: `level-unavailable`, `setup-failed`, `dependency-change`, `tree-tampered`, `work-conflict` (in place). */
  open(request: RoomRequest): Promise<Result<Room>>;
  /** Puts back what a crash left behind in place, by the journal; only files that still hold our content. */
  recover(scratch: string, workspace: Workspace): Promise<Result<readonly string[]>>;
}
