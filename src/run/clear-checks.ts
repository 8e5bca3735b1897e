import type { SessionId } from "../core/ids.ts";
import { ok, type Result } from "../core/result.ts";
import type { Workspace } from "../ports/workspace.ts";
import { checksFolder } from "../verify/run-command.ts";
import type { RunPorts } from "./ports.ts";

export interface Cleared {
  readonly reapedProcesses: number;
  /** Paths that somebody edited while protected ones were restored; their edits stay. */
  readonly restoredPaths: readonly string[];
}

/**
 * Ends what still runs of the checks of a dead process, then puts back what they were given in place: a check that
 * lives on would see its files change, or change them again.
 */
export async function clearChecks(
  ports: Pick<RunPorts, "files" | "process" | "rooms">,
  session: SessionId,
  workspace: Workspace,
): Promise<Result<Cleared>> {
  const scratch = ports.files.scratchDir(session);
  let reapedProcesses = 0;
  for (const nonce of await ports.files.names(checksFolder(scratch))) {
    const orphan = await ports.process.findOrphan({ dir: `${checksFolder(scratch)}/${nonce}`, nonce });
    if (orphan.kind === "alive") reapedProcesses += await ports.process.reap({ nonce, graceMs: 0 });
  }
  const restored = await ports.rooms.recover(scratch, workspace);
  return restored.ok ? ok({ reapedProcesses, restoredPaths: restored.value }) : restored;
}
