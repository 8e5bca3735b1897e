import { makeId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import { runBaseline } from "../verify/baseline.ts";
import type { Baseline, Check } from "../verify/types.ts";
import { lockCheckout } from "./checkout.ts";
import type { RunPorts } from "./ports.ts";
import { freezeFrom } from "./start.ts";
import { verifyPorts } from "./verify-ports.ts";

export interface FolderRequest {
  readonly dir: string;
  readonly checks: readonly Check[];
  readonly level?: GateLevel;
}

/**
 * What the checks say of a folder as it is now, advisory ones too, at the strongest level that works here. There is no
 * session: nothing is written down, and the folder is held only while they run. Problem: `checkout-busy`.
 */
export async function judgeFolder(
  ports: RunPorts,
  { dir, checks, level }: FolderRequest,
): Promise<Result<Baseline>> {
  const top = await ports.workspaces.topLevel(dir);
  if (!top.ok) return top;
  const workspace = await ports.workspaces.open(top.value.path, ports.files.workspaceStore(top.value.path));
  if (!workspace.ok) return workspace;
  const session = makeId("session", ports.clock.now(), ports.entropy.bytes(10));
  const locked = await lockCheckout(ports, workspace.value, session);
  if (!locked.ok) return locked;
  try {
    const request = {
      // The base run asks blocking checks alone.
      checks: checks.map((check) => ({ ...check, blocking: true })),
      protection: { protect: [], unprotect: [], allowTests: false },
      guard: false,
      flakyRetries: 0,
      spec: { goals: [] },
      ...(level !== undefined && { level }),
    };
    const frozen = await freezeFrom(ports, request, workspace.value, session);
    if (!frozen.ok) return frozen;
    return await runBaseline(verifyPorts({ ports, checks: new Set() }), frozen.value.gate, {
      workspace: workspace.value,
      workDir: workspace.value.root,
      scratch: ports.files.scratchDir(session),
    });
  } finally {
    await ports.store.unlockCheckout(workspace.value.root, session);
    await ports.files.discard(session);
  }
}
