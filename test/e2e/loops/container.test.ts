import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ContainerEngine, ENGINES, openContainerEngine } from "../../container-engine.ts";
import { inspect } from "../../crash/projection.ts";
import { type Finished, type Lab, openLab } from "../../lab.ts";
import { ledgerOf } from "../../ledger-of.ts";

let engine: ContainerEngine | undefined;
let lab: Lab | undefined;
afterEach(() => {
  lab?.dispose();
  expect(engine?.containers() ?? []).toEqual([]);
});

/** The agent sees nothing of the lab but its worktree and `.git`: `at` gives the paths that its script may name. */
function aLab(script: (at: Places) => string, image = engine?.image) {
  const opened = openLab({ "README.md": "Made in a container.\n" });
  lab = opened;
  const { dir } = opened.repo;
  const at = { dir, home: opened.home, git: join(dir, ".git") };
  opened.repo.write({
    "loop.yaml": `name: apart
intent:
  prerequisites: [{step: Made once by hand, done: true}]
  goals: [{name: made, description: It is made and in its place.}]
execution:
  graph: {nodes: [{id: make, role: builder, instruction: Make it in its place., goals: [made], isolation: {mode: container, image: ${image}}}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(script(at))}], prompt_on_stdin: true}]}
safety:
  checks:
    - {target: made, name: there, mode: objective, statement: There., detector: {type: file_exists, path: made.txt, non_empty: true}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 300}}
`,
  });
  opened.repo.commit("the loop");
  return { lab: opened, ...at };
}

interface Places {
  readonly dir: string;
  readonly home: string;
  readonly git: string;
}

const START = ["loop", "start", "--allow-unknown-cost", "--json"];
const HOLD = "hold";
/** Waits, deaf to a polite end, for as long as the test holds it. */
const held = ({ git }: Places): string =>
  `trap "" TERM; touch started; while test -e ${git}/${HOLD}; do sleep 0.1; done; echo made > made.txt`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}

function hasStarted(opened: Lab): boolean {
  const worktrees = join(opened.home, "worktrees");
  return (
    existsSync(worktrees) &&
    readdirSync(worktrees, { recursive: true, encoding: "utf8" }).some((path) => path.endsWith("/started"))
  );
}

/** The event that says where an attempt was started. */
async function spawned(opened: Lab) {
  return (await ledgerOf(opened)).flatMap((event) => (event.type === "attempt:spawned" ? [event.data] : []));
}

async function endsOf(opened: Lab): Promise<readonly string[]> {
  return (await ledgerOf(opened)).flatMap((event) =>
    event.type === "attempt:ended" ? [event.data.end.reason] : [],
  );
}

describe.each(ENGINES)("an agent in a container of %s", (program) => {
  beforeAll(async () => {
    engine = await openContainerEngine(program, "loops whose agent works in a container");
  });
  afterAll(async () => {
    await engine?.close();
    engine = undefined;
  });
  beforeEach(({ skip }) => skip(engine === undefined));

  test("works in its worktree alone, can commit there, and what it made is verified and recorded with the image", async () => {
    const { lab: opened, ...at } = aLab(
      ({ dir, home, git }) => `cat > prompt.txt
test -e ${dir}/loop.yaml || echo made inside > made.txt
for at in ${dir} ${home} ${git} ${git}/hooks ${git}/refs /etc; do echo x > $at/escaped; done 2> /dev/null
git -c user.name=b -c user.email=b@example.org commit -q --allow-empty -m mine && echo committed > committed.txt
exit 0`,
    );
    const done = await opened.run(START, engine?.env);
    expect(done.exit, done.stderr + done.stdout).toBe(0);
    expect(done.json()).toMatchObject({ satisfied: true });
    const read = (name: string): string => readFileSync(join(at.dir, name), "utf8");
    expect(read("made.txt")).toBe("made inside\n");
    expect(read("committed.txt")).toBe("committed\n");
    expect(read("prompt.txt")).toContain("Make it in its place.");
    const { uid, gid } = statSync(join(at.dir, "made.txt"));
    expect([uid, gid]).toEqual([process.getuid?.(), process.getgid?.()]);
    for (const place of [at.dir, at.home, at.git, join(at.git, "hooks"), join(at.git, "refs")])
      expect(existsSync(join(place, "escaped"))).toBe(false);
    expect(await spawned(opened)).toMatchObject([{ sandboxed: true, container: engine?.image }]);
    expect((await inspect(opened)).faults).toEqual([]);
    expect((await opened.run(["ledger", "show", "--json"], engine?.env)).stdout).toContain(
      '"threat":"sandboxed"',
    );
  });

  test("is ended with its container when its time is up", async () => {
    const { lab: opened, git } = aLab(held);
    opened.repo.write({ [`.git/${HOLD}`]: "" });
    const done = await opened.run([...START, "--max-attempt-time", "4s"], engine?.env);
    expect(done.exit, done.stderr + done.stdout).not.toBe(0);
    expect(await endsOf(opened)).toContain("timed-out");
    expect(existsSync(join(git, HOLD))).toBe(true);
    expect(engine?.containers()).toEqual([]);
  });

  test("is ended with its container when a person stops the session", async () => {
    const { lab: opened } = aLab(held);
    opened.repo.write({ [`.git/${HOLD}`]: "" });
    const { child, finished } = opened.start(START, engine?.env);
    await until(() => hasStarted(opened) || child.exitCode !== null);
    await opened.run(["stop", "--force", "--json"], engine?.env);
    await finished;
    expect(await endsOf(opened)).toEqual(["canceled"]);
    expect(engine?.containers()).toEqual([]);
  });

  test("outlives a kill of ours, and is ended by the next resume, which does its work again", async () => {
    const { lab: opened, git } = aLab(held);
    const [first] = await killed(opened);
    expect(engine?.containers()).toEqual([first]);
    const resumed = opened.start(["loop", "resume", "--json"], engine?.env);
    await until(() => engine?.containers().some((name) => name !== first) === true);
    expect(engine?.containers()).not.toContain(first);
    rmSync(join(git, HOLD));
    satisfied(await resumed.finished);
    const { faults, recovered } = await inspect(opened);
    expect(faults).toEqual([]);
    expect(recovered).toMatchObject({ drained: 0, lost: 1 });
  });

  test("that ended meanwhile is drained by the next resume, and nothing is done again", async () => {
    const { lab: opened, git } = aLab(held);
    await killed(opened);
    rmSync(join(git, HOLD));
    await until(() => engine?.containers().length === 0);
    satisfied(await opened.run(["loop", "resume", "--json"], engine?.env));
    const { faults, recovered } = await inspect(opened);
    expect(faults).toEqual([]);
    expect(recovered).toMatchObject({ drained: 1, lost: 0 });
  });

  test("never begins where its image is not here: the session ends with the command that pulls it", async () => {
    const { lab: opened } = aLab(() => "true", "elsewhere");
    const done = await opened.run(START, engine?.env);
    expect(done.exit).toBe(12);
    expect(done.stdout).toContain(`${program} pull elsewhere`);
    expect(await spawned(opened)).toEqual([]);
  });
});

/** Starts the session, kills our process while the agent is held, and names the containers that are left. */
async function killed(opened: Lab): Promise<readonly string[]> {
  opened.repo.write({ [`.git/${HOLD}`]: "" });
  const { child, finished } = opened.start(START, engine?.env);
  await until(() => hasStarted(opened) || child.exitCode !== null);
  child.kill("SIGKILL");
  expect((await finished).exit).toBe(null);
  return engine?.containers() ?? [];
}

function satisfied(done: Finished): void {
  expect(done.exit, done.stderr + done.stdout).toBe(0);
  expect(done.json()).toMatchObject({ satisfied: true });
}
