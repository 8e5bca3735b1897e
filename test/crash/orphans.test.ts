import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Finished, Lab } from "../lab.ts";
import { finish, openScene, undisturbed } from "./crash.ts";
import { type Found, processesOf } from "./projection.ts";
import { goScene } from "./scenes.ts";

const scene = goScene("in place", ["--level", "in-place"]);
let calm: Found;
let lab: Lab | undefined;
beforeAll(async () => {
  calm = await undisturbed(scene);
});
afterEach(() => lab?.dispose());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

/** Starts the scene with a provider and a check that `wrap` may change, and kills the coordinator when `moment` is there. */
async function killedWhen(
  words: (lab: Lab, command: readonly string[]) => readonly string[],
  moment: (lab: Lab) => boolean,
): Promise<{ readonly lab: Lab; readonly command: readonly string[] }> {
  const opened = openScene(scene);
  lab = opened;
  const command = words(opened, scene.command(opened));
  const { child, finished } = opened.start(command);
  await until(() => moment(opened) || child.exitCode !== null);
  child.kill("SIGKILL");
  expect((await finished).exit).toBe(null);
  return { lab: opened, command };
}

/** Makes the next run of a command line hang, with a daemon beside it; later runs pass. */
function hangOnce(opened: Lab): string {
  const hold = join(opened.outside, "hold");
  writeFileSync(hold, "");
  return `if mv '${hold}' '${hold}.taken' 2>/dev/null; then setsid sleep 61 & sleep 60; fi`;
}
const isHanging = (opened: Lab): boolean => existsSync(join(opened.outside, "hold.taken"));

function withAgent(command: readonly string[], change: (provider: string) => string): readonly string[] {
  return command.map((word, index) => (command[index - 1] === "--provider" ? change(word) : word));
}

describe("after a kill of the coordinator", () => {
  test("an agent that lives on is ended with all its processes, and its attempt is done again", async () => {
    const killed = await killedWhen(
      (opened, command) =>
        withAgent(command, (agent) => opened.agent(`${hangOnce(opened)}\n. ${pathIn(agent)}`)),
      isHanging,
    );
    expect(processesOf(killed.lab)).not.toEqual([]);
    const { faults, projection, recovered, resumes } = await finish(killed.lab, killed.command);
    expect(faults).toEqual([]);
    expect(projection).toEqual(calm.projection);
    expect(resumes).toBe(1);
    expect(recovered).toMatchObject({ drained: 0, lost: 1 });
    expect(recovered.reaped).toBeGreaterThanOrEqual(2);
  });

  test("a resume that dies while it ends an agent does not make the agent's end its own doing", async () => {
    const killed = await killedWhen(
      (opened, command) =>
        withAgent(command, (agent) => opened.agent(`${hangOnce(opened)}\n. ${pathIn(agent)}`)),
      isHanging,
    );
    const { faults, projection, recovered, resumes } = await finish(killed.lab, killed.command, undefined, [
      "reap:after",
    ]);
    expect(faults).toEqual([]);
    expect(projection).toEqual(calm.projection);
    expect(resumes).toBe(2);
    expect(recovered).toMatchObject({ drained: 0, lost: 1 });
  });

  test("an agent that ended meanwhile is drained, and nothing is done again", async () => {
    const killed = await killedWhen(
      (opened, command) =>
        withAgent(command, (agent) =>
          opened.agent(`touch '${opened.outside}/hold.taken'; sleep 0.3\n. ${pathIn(agent)}`),
        ),
      isHanging,
    );
    await until(() => processesOf(killed.lab).length === 0);
    const { faults, projection, recovered, attempts } = await finish(killed.lab, killed.command);
    expect(faults).toEqual([]);
    expect(projection).toEqual(calm.projection);
    expect(recovered).toEqual({ drained: 1, lost: 0, reaped: 0 });
    expect(attempts).toBe(2);
  });

  test("a check that lives on is ended before the folder is put back", async () => {
    const killed = await killedWhen(
      (opened, command) =>
        command.map((word) =>
          word === "sh check.sh" ? `test ! -e answer.txt || { ${hangOnce(opened)}; }; sh check.sh` : word,
        ),
      isHanging,
    );
    const { faults, recovered, last } = await finish(killed.lab, killed.command);
    expect(faults).toEqual([]);
    expect(last.exit).toBe(0);
    expect(recovered).toMatchObject({ drained: 0, lost: 0 });
    expect(recovered.reaped).toBeGreaterThanOrEqual(2);
  });
});

test("an agent whose identity was not written down is found by its nonce", async () => {
  lab = openScene(scene);
  const opened = lab;
  const command = withAgent(scene.command(lab), (agent) =>
    opened.agent(`${hangOnce(opened)}\n. ${pathIn(agent)}`),
  );
  const begun = await lab.run(command, { LOOPWRIGHT_CRASH_AT: "spawn:after:2" });
  expect(begun.exit).toBe(null);
  await until(() => isHanging(opened));
  const { faults, projection, recovered } = await finish(lab, command);
  expect(faults).toEqual([]);
  expect(projection).toEqual(calm.projection);
  expect(recovered.lost).toBe(1);
  expect(recovered.reaped).toBeGreaterThanOrEqual(2);
});

test("a coordinator that only sleeps is not taken over, and goes on when it wakes", async () => {
  lab = openScene(scene);
  const opened = lab;
  const command = withAgent(scene.command(lab), (agent) =>
    opened.agent(`touch '${opened.outside}/hold.taken'; sleep 0.3\n. ${pathIn(agent)}`),
  );
  const { child, finished } = lab.start(command);
  await until(() => isHanging(opened));
  child.kill("SIGSTOP");
  const refused = await lab.run(["loop", "resume", "--json"]);
  child.kill("SIGCONT");
  expect(refused.exit).toBe(4);
  // It may have been stopped in the middle of a write.
  expect(["session-running", "store-locked"]).toContain(problemOf(refused));
  const { faults, projection, resumes } = await finish(lab, command, await finished);
  expect(faults).toEqual([]);
  expect(projection).toEqual(calm.projection);
  expect(resumes).toBe(0);
});

function problemOf(finished: Finished): unknown {
  const { problem } = finished.json();
  return typeof problem === "object" && problem !== null && "code" in problem ? problem.code : undefined;
}

/** The script in the provider text of the lab's agents. */
function pathIn(provider: string): string {
  return provider.replace("command:/bin/sh ", "");
}
