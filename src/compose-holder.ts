import { hostname } from "node:os";
import { createProcessRunner } from "./adapters/process/index.ts";
import { systemClock } from "./adapters/system/clock.ts";
import type { LeaseHolder } from "./ports/store.ts";

/** True when the holder was a process of this host that can be told apart from later ones, and is no more. */
export function isKnownDead(holder: LeaseHolder, path: string): boolean {
  const host = hostname();
  if (holder.host !== host || holder.startTicks === "") return false;
  const runner = createProcessRunner({ clock: systemClock, host, toolPath: path });
  const { pidNamespace } = runner.self();
  return !runner.isAlive({ ...holder, pidNamespace });
}
