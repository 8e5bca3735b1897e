import type { SessionId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { LeaseHolder } from "../ports/store.ts";
import type { Workspace } from "../ports/workspace.ts";
import { clearChecks } from "./clear-checks.ts";
import type { RunPorts } from "./ports.ts";

/** How a checkout came into our hands. */
export type CheckoutTaken = "free" | "left-behind";

/**
 * Makes the session the one writer of the checkout. A lock that a dead process left behind is taken over when nothing
 * can be gone on with: its session is closed, or died before it was written down. What a last check had changed in
 * the folder is put back first. Problem: `checkout-busy`.
 */
export async function lockCheckout(
  ports: RunPorts,
  workspace: Workspace,
  session: SessionId,
): Promise<Result<CheckoutTaken>> {
  const { store, files, holder } = ports;
  const locked = await store.lockCheckout(workspace.root, session, holder);
  if (locked.ok) return ok("free");
  const lock = await store.checkoutLock(workspace.root);
  if (!lock.ok) return lock;
  if (lock.value === undefined || !isDeadHere(ports, lock.value.holder)) return locked;
  const left = lock.value.session;
  const owner = await store.session(left);
  if (!owner.ok) return owner;
  if (owner.value !== undefined && owner.value.state !== "closed") return interrupted(workspace.root, left);
  const cleared = await clearChecks(ports, left, workspace);
  if (!cleared.ok) return cleared;
  await (owner.value === undefined ? files.discard(left) : files.removeScratch(left));
  await store.unlockCheckout(workspace.root, left);
  const again = await store.lockCheckout(workspace.root, session, holder);
  return again.ok ? ok("left-behind") : again;
}

/** True when the holder was a process of this host that is no more; where processes cannot be told apart, never. */
function isDeadHere(ports: Pick<RunPorts, "holder" | "process">, holder: LeaseHolder): boolean {
  if (holder.host !== ports.holder.host || holder.startTicks === "") return false;
  const { pidNamespace } = ports.process.self();
  return !ports.process.isAlive({ ...holder, pidNamespace });
}

function interrupted(root: string, session: SessionId): Result<never> {
  return fail(
    "checkout-busy",
    `${root} belongs to session ${session}, which was cut off and can be gone on with`,
    {
      hint: `\`loopwright loop resume ${session}\`, or add --worktree`,
    },
  );
}
