import { ok, type Problem, type Result } from "../core/result.ts";
import type { ContainerWords } from "../ports/containers.ts";
import type { Sandbox } from "../ports/process.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type { Assignment } from "./assignment.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionState } from "./state.ts";

/** Where agents of these kinds keep their own state, below the user's home. */
const OWN_STATE: Readonly<Record<ProviderSpec["kind"], readonly string[]>> = {
  "claude-code": [".claude", ".claude.json"],
  codex: [".codex"],
  acp: [],
  command: [],
};
/** What a commit on the worktree's own detached HEAD writes. Hooks, settings and branches are not among it. */
const GIT_WRITES = [".git/objects", ".git/worktrees"];
/** What git would run or obey for whoever works in the folder next. */
const GIT_KEEPS = [".git/hooks", ".git/config", ".git/info"];

/**
 * The room of a piece that asks for one: everything readable but our own folder, which holds the store; nothing
 * writable but its own folder, what git needs for a commit there, and the agent's own state. Undefined where it asks for
 * none, and where this machine has none.
 */
export function sandboxOf(run: SessionRun, assignment: Assignment): Sandbox | undefined {
  const { sandbox, workDir, provider } = assignment;
  const { process, files, environment } = run.ports;
  if (sandbox === undefined || !process.canSandbox) return undefined;
  const home = environment["HOME"];
  return {
    writable: [workDir],
    writableWhereThere: [
      ...GIT_WRITES.map((path) => `${run.state.spec.topLevel}/${path}`),
      ...(home === undefined ? [] : OWN_STATE[provider.kind].map((path) => `${home}/${path}`)),
    ],
    readOnlyWhereThere: GIT_KEEPS.map((path) => `${run.state.spec.topLevel}/${path}`),
    hidden: [files.home],
    network: sandbox.network,
  };
}

export function noSandbox(): Problem {
  return {
    code: "level-unavailable",
    message: "a sandbox is asked for, and none can be had on this machine",
    hint: "install bubblewrap, or start without --threat sandboxed",
  };
}

/** By the attempt's nonce, which the ledger holds before anything is started. */
export function containerName(nonce: string): string {
  return `loopwright-${nonce}`;
}

/**
 * The container of a piece that names an image; undefined for one that does not, and where neither docker nor podman
 * works. Problem: `container-unavailable` for an image that is not here.
 */
export async function containerOf(
  run: SessionRun,
  { sandbox, workDir }: Assignment,
  nonce: string,
): Promise<Result<ContainerWords | undefined>> {
  const { containers } = run.ports;
  const image = sandbox?.image;
  if (sandbox === undefined || image === undefined) return ok(undefined);
  const runtime = await containers.runtime();
  if (!runtime.ok) return ok(undefined);
  const here = await containers.hasImage(image);
  if (!here.ok) return here;
  const { topLevel } = run.state.spec;
  return containers.words({
    image,
    name: containerName(nonce),
    cwd: workDir,
    writable: [workDir, ...GIT_WRITES.map((path) => `${topLevel}/${path}`)],
    readable: [`${topLevel}/.git`],
    network: sandbox.network,
  });
}

/** Whether no agent of the session could have reached the store when it worked. */
export function threatOf({ attempts }: SessionState): "same-user" | "sandboxed" {
  const worked = attempts.filter(({ startedAt }) => startedAt !== undefined);
  return worked.length > 0 && worked.every(({ isSandboxed }) => isSandboxed === true)
    ? "sandboxed"
    : "same-user";
}
