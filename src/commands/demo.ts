import type { Json } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import { go } from "./go.ts";
import { RECONCILED, reconcile } from "./reconcile.ts";
import { RUN_MEMBERS } from "./run-session.ts";
import { text } from "./schema.ts";
import { sessionAnswer } from "./session-view.ts";
import type { Command, CommandContext, CommandOutput } from "./types.ts";

export const demo: Command = {
  path: ["demo"],
  group: "Start",
  brief: "See it work on a small broken project with a scripted agent: no account, no network",
  args: [],
  flags: {},
  output: sessionAnswer("demo", { ...RUN_MEMBERS, folder: text, home: text, reconciled: RECONCILED }),
  run,
};

const GOAL = "make the failing price tests pass";

/** The main job on a copy of the bundled project. The agent is a real process; only its ideas are scripted. */
async function run(context: CommandContext): Promise<Result<CommandOutput>> {
  const prepared = await context.prepareDemo();
  if (!prepared.ok) return prepared;
  const { folder, home, agent } = prepared.value;
  context.talk(`a broken project was copied to ${folder}`);
  const inner = context.inFolder(folder, home);
  try {
    const ran = await go.run(inner, {
      args: [GOAL],
      flags: { check: ["npm test"], provider: agent, maxIterations: 5 },
    });
    if (!ran.ok) return ran;
    const { json } = ran.value;
    const reconciled = await reconciledCosts(inner, json["record"], `${home}/agent-logs`);
    return {
      ok: true,
      value: {
        ...ran.value,
        json: {
          ...json,
          schema: "loopwright.demo/1",
          undo: `${String(json["undo"])} --home ${home}`,
          folder,
          home,
          reconciled,
        },
      },
    };
  } finally {
    await inner.close();
  }
}

/** What the scripted agent said it spent, beside the log that it left. */
async function reconciledCosts(context: CommandContext, run: Json | undefined, logs: string) {
  const store = await context.readStore();
  if (!store.ok || store.value === undefined || typeof run !== "string") return [];
  const found = await store.value.run(run);
  if (!found.ok || found.value === undefined) return [];
  const usage = await context.usage();
  return usage.ok ? reconcile(usage.value, JSON.parse(found.value.document), logs) : [];
}
