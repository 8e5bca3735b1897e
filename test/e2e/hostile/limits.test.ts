import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AgentStep, installAgent } from "../../../src/testing/scripted-agent.ts";
import { type Finished, type Lab, openLab } from "../../lab.ts";
import { eventsOf } from "./watch.ts";

vi.setConfig({ testTimeout: 120_000 });

let lab: Lab;
beforeEach(() => {
  lab = openLab({ "a.txt": "a\n" });
  lab.repo.git("config", "user.name", "Ada");
  lab.repo.git("config", "user.email", "ada@example.org");
});
afterEach(() => lab.dispose());

const check = ["--check", "test -e b.txt"];

function go(provider: string, ...flags: readonly string[]): Promise<Finished> {
  return lab.run(["go", "write b", "--provider", provider, "--json", ...flags]);
}

/** `go` with a program called `claude` on the PATH that plays these steps. */
function goWithClaude(steps: readonly AgentStep[], ...flags: readonly string[]): Promise<Finished> {
  const bin = join(lab.outside, "bin");
  installAgent(bin, "claude", { format: "claude", stateDir: join(lab.outside, "turns"), steps });
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return lab.run(["go", "write b", ...check, "--json", ...flags], env);
}

const WRITE_B: AgentStep = { do: [{ kind: "write", path: "b.txt", text: "b\n" }] };
const LIMIT: AgentStep = {
  do: [],
  error: { text: "You've hit your limit · try again in 2s", status: 429, type: "rate_limit_error" },
};

async function attempts(): Promise<number> {
  return (await eventsOf(lab, "attempt:dispatched")).length;
}

describe("a provider's usage limit", () => {
  test("parks the session, which goes on by itself and once", async () => {
    const done = await goWithClaude([LIMIT, WRITE_B]);
    expect([done.exit, done.json()]).toMatchObject([0, { satisfied: true, attempts: 2, iteration: 1 }]);
    expect(await eventsOf(lab, "session:parked")).toHaveLength(1);
    expect(await eventsOf(lab, "session:unparked")).toHaveLength(1);
  });

  test("exits 75 with the time under --no-wait, is no failure, and the session is gone on with", async () => {
    const parked = await go(
      lab.agent(`[ -e ${lab.outside}/once ] && touch b.txt && exit; touch ${lab.outside}/once; exit 75`),
      ...check,
      "--no-wait",
    );
    expect(parked.exit).toBe(75);
    const answer = parked.json();
    expect(answer).toMatchObject({ ok: true, outcome: null, state: "running", satisfied: false });
    expect(Date.parse(String(answer["retry_at"]))).toBeGreaterThan(Date.now());
    const status = (await lab.run(["status", "--json"])).json();
    expect(status).toMatchObject({ live: false, waiting_until: answer["retry_at"] });
  });
});

describe("a provider that cannot work", () => {
  test("for want of a login ends the session blocked, with the command that logs in", async () => {
    const error = { text: "Invalid API key · Please run /login", status: 401, type: "authentication_error" };
    const done = await goWithClaude([{ do: [], error }]);
    expect(done.exit).toBe(12);
    expect(done.json()).toMatchObject({
      problem: { code: "provider-auth", hint: expect.stringContaining("log in") },
    });
    expect(await attempts()).toBe(1);
  });

  test.each(["claude-code", "command:./no-such-agent", "command:no-such-agent --now"])(
    "because %s is not there ends with exit 12",
    async (provider) => {
      const done = await lab.run(["go", "x", ...check, "--provider", provider, "--json"], {
        PATH: "/usr/bin:/bin",
      });
      expect([done.exit, done.json()]).toMatchObject([12, { problem: { code: "provider-missing" } }]);
    },
  );

  test("because none is installed says how to get one", async () => {
    const done = await lab.run(["go", "x", ...check, "--json"], { PATH: "/usr/bin:/bin" });
    expect([done.exit, done.json()]).toMatchObject([
      12,
      { problem: { code: "provider-missing", hint: expect.stringContaining("--provider command:") } },
    ]);
  });
});

describe("before any money", () => {
  const agent = (): string => lab.agent(`touch ${lab.outside}/spent; echo more >> a.txt`);
  const spent = (): boolean => existsSync(join(lab.outside, "spent"));

  test("checks that pass already are refused, also by a resume", async () => {
    const done = await go(agent(), "--check", "test -e a.txt");
    expect([done.exit, done.json()]).toMatchObject([12, { problem: { code: "checks-already-pass" } }]);
    expect((await lab.run(["loop", "resume", "--json"])).exit).toBe(12);
    expect([spent(), await attempts()]).toEqual([false, 0]);
  });

  test("--if-needed takes passing checks for success", async () => {
    const done = await go(agent(), "--check", "test -e a.txt", "--if-needed");
    expect([done.exit, done.json(), spent()]).toMatchObject([0, { satisfied: true, attempts: 0 }, false]);
  });

  test("--guard wants a change besides, and says that the checks were a mere guard", async () => {
    const idle = await go(lab.agent("true"), "--check", "test -e a.txt", "--guard", "--max-iterations", "1");
    expect([idle.exit, idle.json()]).toMatchObject([10, { satisfied: false }]);
    const done = await go(agent(), "--check", "test -e a.txt", "--guard");
    expect([done.exit, done.json()]).toMatchObject([0, { satisfied: true }]);
    const [evaluated] = await eventsOf(lab, "gate:evaluated");
    expect(JSON.stringify(evaluated?.data)).toContain("guard only");
  });

  test("a check that cannot run is refused with what is missing", async () => {
    const done = await go(agent(), "--check", "no-such-tool --all");
    expect([done.exit, done.json()]).toMatchObject([
      12,
      { problem: { code: "checks-uncheckable", message: expect.stringContaining("no-such-tool") } },
    ]);
    expect([spent(), await attempts()]).toEqual([false, 0]);
  });
});

describe("a spend ceiling", () => {
  test("stops the session with exit 13 once it is passed", async () => {
    const usage = { inputTokens: 900_000, outputTokens: 90_000 };
    const talk: AgentStep = { do: [{ kind: "write", path: "a.txt", text: "x\n", usage }] };
    const done = await goWithClaude([talk], "--max-usd", "0.50");
    expect([done.exit, done.json()]).toMatchObject([
      13,
      { satisfied: false, outcome: "paused", attempts: 1 },
    ]);
    expect(Number(done.json()["cost_usd"])).toBeGreaterThan(0.5);
  });
});

describe("the result", () => {
  test("is committed by --commit, and what was staged stays staged", async () => {
    lab.repo.write({ "mine.txt": "mine\n" });
    lab.repo.git("add", "mine.txt");
    const done = await go(lab.agent("touch b.txt"), ...check, "--commit");
    expect(done.exit).toBe(0);
    expect(lab.repo.git("show", "--name-only", "--format=%an", "HEAD").trim().split(/\n+/)).toEqual([
      "Ada",
      "b.txt",
    ]);
    expect(lab.repo.git("status", "--porcelain")).toBe("A  mine.txt\n");
  });

  test("goes to a new branch by --branch, and the files stay as they were", async () => {
    const done = await go(lab.agent("touch b.txt"), ...check, "--branch", "work/b");
    expect(done.exit).toBe(0);
    expect(lab.repo.git("ls-tree", "--name-only", "work/b")).toBe("a.txt\nb.txt\n");
    expect(existsSync(join(lab.repo.dir, "b.txt"))).toBe(false);
    expect(lab.repo.git("branch", "--show-current").trim()).toBe("main");
  });

  test("is merged from its worktree by --worktree, and the worktree is gone", async () => {
    const done = await go(lab.agent("pwd > b.txt"), ...check, "--worktree");
    expect(done.exit).toBe(0);
    expect(readFileSync(join(lab.repo.dir, "b.txt"), "utf8").trim()).not.toBe(lab.repo.dir);
    expect(lab.repo.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  test("is shown by diff, undone by restore, and taken back by gate", async () => {
    const done = await go(lab.agent("echo new > b.txt; echo more >> a.txt"), ...check);
    const session = String(done.json()["session"]);
    expect((await lab.run(["diff"])).stdout).toContain("+more");
    expect((await lab.run(["gate", session, "--json"])).json()).toMatchObject({
      satisfied: true,
      revoked: false,
    });
    lab.repo.write({ "c.txt": "mine\n" });
    const unasked = await lab.run(["loop", "restore", session, "--json"]);
    expect([unasked.exit, unasked.json()]).toMatchObject([1, { problem: { code: "needs-answer" } }]);
    const restored = await lab.run(["loop", "restore", session, "--yes", "--json"]);
    expect(restored.json()).toMatchObject({ ok: true, kept: [] });
    expect(readFileSync(join(lab.repo.dir, "a.txt"), "utf8")).toBe("a\n");
    const judged = await lab.run(["gate", session, "--json"]);
    expect([judged.exit, judged.json()]).toMatchObject([10, { satisfied: false, revoked: true }]);
    expect((await lab.run(["status", "--json"])).json()).toMatchObject({ verdict_now: expect.anything() });
  });
});

describe("a check that flips on the same files", () => {
  const flaky = (): string =>
    `test -e b.txt && { [ -e ${lab.outside}/seen ] || { touch ${lab.outside}/seen; exit 1; }; }`;

  test("fails without --flaky-retries", async () => {
    const done = await go(lab.agent("touch b.txt"), "--check", flaky(), "--max-iterations", "1");
    expect(done.exit).toBe(10);
  });

  test("passes with them, and the evidence says how often it failed", async () => {
    const done = await go(lab.agent("touch b.txt"), "--check", flaky(), "--flaky-retries", "2");
    expect(done.exit).toBe(0);
    const [evaluated] = await eventsOf(lab, "gate:evaluated");
    expect(JSON.stringify(evaluated?.data)).toContain("flaky: failed 1 time");
  });
});
