import { ok } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessRunner } from "../../ports/process.ts";
import { probeMachine } from "./containment.ts";
import { launch } from "./launch.ts";
import { which } from "./lookup.ts";
import { findOrphan, reap } from "./orphans.ts";
import { procTable } from "./proc-table.ts";
import { identityOf, type ProcessTable, verified } from "./process-table.ts";
import { blindTable, psTable } from "./ps-table.ts";
import { supervise } from "./supervise.ts";
import { ToolWatch } from "./tool-watch.ts";

export interface ProcessRunnerOptions {
  /** A real clock: the processes are real. */
  readonly clock: Clock;
  /** This machine's name, as identities carry it. */
  readonly host: string;
  /** PATH on which `bwrap` and `unshare` are looked for. */
  readonly toolPath: string;
}

/**
 * Runs commands so that they can be followed, stopped with everything they started, and found again after a crash
 * of ours. Streams go to files that the command holds itself; a small shell notes how it ended.
 */
export function createProcessRunner(options: ProcessRunnerOptions): ProcessRunner {
  const { clock, host } = options;
  const table = tableOf(clock);
  const machine = probeMachine(options.toolPath);
  const tools = { table, machine, clock, host };
  const watch = new ToolWatch();
  return {
    start: async (request) => {
      const launched = await launch(tools, request);
      return launched.ok ? ok(supervise(tools, launched.value, request)) : launched;
    },
    findOrphan: async (search) => findOrphan(tools, search),
    reap: (reaping) => reap(tools, reaping),
    isAlive: (identity) => verified(table, identity, host) !== undefined,
    self: () => identityOf(table, table.ownChild(process.pid), host),
    which,
    changedTools: (path) => watch.changed(path),
    get strongest() {
      return machine.namespaceWords() === undefined ? ("group" as const) : ("namespace" as const);
    },
    get canSandbox() {
      return machine.sandboxProgram() !== undefined;
    },
  };
}

function tableOf(clock: Clock): ProcessTable {
  if (process.platform === "linux") return procTable();
  return process.platform === "win32" ? blindTable() : psTable(clock);
}
