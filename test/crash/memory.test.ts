import { afterEach, expect, test } from "vitest";
import { type Lab, openLab } from "../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const LOOP = `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph: {nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place.}]}
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > /dev/null; echo x > stamp.txt; echo 'FACT port: 8080 [from: server.js:3]'"], prompt_on_stdin: true}]
safety:
  checks: [{target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;

test.each(["before", "after"])(
  "what a session leaves for later ones survives a kill %s it is kept, and is kept once",
  async (moment) => {
    lab = openLab({ "loop.yaml": LOOP });
    const killed = await lab.run(["loop", "start"], { LOOPWRIGHT_CRASH_AT: `loop-records:${moment}:1` });
    expect(killed.exit).toBe(null);
    expect((await lab.run(["loop", "resume"])).exit).toBe(0);
    const { facts } = (await lab.run(["memory", "list", "--json"])).json();
    expect(facts).toMatchObject([
      { key: "port", content: "8080", runs: [expect.any(String)], otherwise: 0 },
      { key: "way-that-passed", promoted: false },
    ]);
  },
);
