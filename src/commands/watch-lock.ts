import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { CommandContext } from "./types.ts";

/**
 * Makes this process the one watcher of a loop file; the value gives it up. Two of them would each start what one of
 * them should. One that has died holds nobody up. Problem: `checkout-busy`.
 */
export async function lockWatch(
  context: CommandContext,
  memoryFile: string,
): Promise<Result<() => Promise<void>>> {
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const { store, holder } = ports.value;
  const key = `watch ${memoryFile}`;
  const self = makeId("session", context.now(), context.entropy(10));
  const release = async (): Promise<void> => {
    await store.unlockCheckout(key, self);
  };
  const locked = await store.lockCheckout(key, self, holder);
  if (locked.ok) return ok(release);
  const lock = await store.checkoutLock(key);
  if (!lock.ok) return lock;
  if (lock.value !== undefined) {
    const { holder: other, session } = lock.value;
    if (!(await context.isKnownDead(other)))
      return fail("checkout-busy", `process ${other.pid} on ${other.host} watches this loop already`, {
        hint: "end that one first; `loopwright loop watch --check` shows what comes next",
      });
    await store.unlockCheckout(key, session);
  }
  const again = await store.lockCheckout(key, self, holder);
  return again.ok ? ok(release) : again;
}
