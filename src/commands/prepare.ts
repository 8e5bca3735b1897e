import type { Result } from "../core/result.ts";
import type { RunPorts } from "../run/ports.ts";
import type { Prepared, StartRequest } from "../run/start.ts";
import { withHarnessOfTree } from "./harness-record.ts";
import type { CommandContext } from "./types.ts";

/** Freezes a session as its request says, with what the configuration adds to every session. */
export async function prepare(
  context: CommandContext,
  ports: RunPorts,
  request: StartRequest,
): Promise<Result<Prepared>> {
  const shaped = await withHarnessOfTree(context, request);
  if (!shaped.ok) return shaped;
  const { prepareSession } = await import("../run/start.ts");
  return prepareSession(ports, shaped.value);
}
