import { join } from "node:path";
import { createWorkspaceProvider } from "../../src/adapters/git/index.ts";
import { journalDir, putBack, recoverInPlace, restoreForCheck } from "../../src/adapters/rooms/in-place.ts";
import { must } from "../../src/core/result.ts";
import type { TreeId } from "../../src/ports/workspace.ts";

/** What the child is told on its command line, as JSON. */
export interface CrashOrder {
  readonly dir: string;
  readonly store: string;
  readonly scratch: string;
  readonly found: string;
  readonly judged: string;
  /** It kills itself before this step, counted from zero; never when there are fewer steps. */
  readonly dieAt: number;
}

/** A child process that restores protected paths, puts them back, and is killed on the way. */
async function restoreAndDie(order: CrashOrder): Promise<void> {
  let step = 0;
  const onStep = (): void => {
    if (step === order.dieAt) process.kill(process.pid, "SIGKILL");
    step += 1;
  };
  const workspace = must(
    await createWorkspaceProvider({ environment: process.env }).open(order.dir, order.store),
  );
  const scratch = order.scratch;
  must(await recoverInPlace(scratch, workspace, () => {}));
  const journal = must(
    await restoreForCheck(
      {
        level: "in-place",
        workspace,
        workDir: workspace.root,
        found: order.found as TreeId,
        judged: order.judged as TreeId,
        base: order.judged as TreeId,
        environment: { base: order.judged as TreeId, snapshots: [], envFiles: [], setup: [] },
        scratch,
        approvedDependencyChange: false,
        instance: 0,
      },
      { nowMs: 0, nonce: `n${order.dieAt}`, onStep },
    ),
  );
  must(await putBack(journalDir(scratch), journal, workspace, onStep));
  process.stdout.write(`survived ${step} steps in ${join(order.dir)}\n`);
}

await restoreAndDie(JSON.parse(process.argv[2] ?? "{}"));
