import type { Result } from "../core/result.ts";
import { go } from "./go.ts";
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
  output: sessionAnswer("demo", { ...RUN_MEMBERS, folder: text, home: text }),
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
    return {
      ok: true,
      value: { ...ran.value, json: { ...json, schema: "loopwright.demo/1", folder, home } },
    };
  } finally {
    await inner.close();
  }
}
