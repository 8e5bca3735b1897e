import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCliLab } from "../../cli-lab.ts";
import { aForeignRun, anAttempt } from "./documents.ts";

describe("what is spent", () => {
  test("unknown shows as unknown in every view and every sum", async () => {
    const lab = openCliLab();
    const attempts = [
      anAttempt("implement.a1", 3.1),
      anAttempt("implement.a2", undefined),
      anAttempt("implement.a3", undefined),
    ];
    lab.write("a.ocp.json", aForeignRun("run_a", {}, { attempts }));
    lab.write("b.ocp.json", aForeignRun("run_b", {}, { attempts: [anAttempt("implement.a1", undefined)] }));
    lab.write("c.ocp.json", aForeignRun("run_c", {}, { attempts: [anAttempt("implement.a1", 0)] }));
    lab.write("d.ocp.json", aForeignRun("run_d", {}, { attempts: [anAttempt("implement.a1", 0.000_04)] }));
    await lab.run("run", "import", ".");
    expect((await lab.run("runs")).json).toMatchObject({
      runs: [
        { run: "run_d", cost_usd: 0.000_04 },
        { run: "run_c", cost_usd: 0, unknown_costs: 0 },
        { run: "run_b", cost_usd: null, known_cost_usd: 0, unknown_costs: 1 },
        { run: "run_a", cost_usd: null, known_cost_usd: 3.1, unknown_costs: 2 },
      ],
    });
    const said = (await lab.say("runs")).stdout.split("\n");
    expect(said[0]).toContain("$0.00004 ");
    expect(said[1]).toContain("$0 ");
    expect(said[2]).toContain("cost unknown");
    expect(said[3]).toContain("$3.10 + 2 unknown");
    expect((await lab.say("budget")).stdout).toContain("$3.10 + 3 unknown of imported history");
  });

  test("imported history is no spend", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    expect((await lab.run("budget")).json).toMatchObject({
      cap_usd: null,
      period: "month",
      spent: { usd: 0, runs: 0 },
      history: { usd: 0.31, runs: 1 },
      remaining_usd: null,
      reached: false,
    });
  });

  test("a cap is kept in the configuration and its period begins on Monday or the first", async () => {
    const lab = openCliLab();
    expect((await lab.run("budget", "--usd", "12.50", "--period", "week")).json).toMatchObject({
      cap_usd: 12.5,
      period: "week",
      remaining_usd: 12.5,
    });
    expect(readFileSync(join(lab.home, "config.toml"), "utf8")).toBe(
      '[budget]\nusd = 12.5\nperiod = "week"\n',
    );
    const since = new Date(String((await lab.run("budget")).json["since"]));
    expect([since.getDay(), since.getHours()]).toEqual([1, 0]);
    await lab.run("config", "unset", "budget.period");
    const month = new Date(String((await lab.run("budget")).json["since"]));
    expect([month.getDate(), month.getHours()]).toEqual([1, 0]);
  });
});

describe("config", () => {
  test("an unset key is listed with what holds, a set one with its value", async () => {
    const lab = openCliLab();
    await lab.run("config", "set", "rules.strict", "tests+ci");
    const all = (await lab.run("config", "get")).json["keys"] as readonly Record<string, unknown>[];
    expect(all.find(({ key }) => key === "budget.period")).toMatchObject({ set: false, value: "month" });
    expect(all.find(({ key }) => key === "rules.strict")).toMatchObject({ set: true, value: "tests+ci" });
    expect((await lab.run("config", "get", "goal")).json).toMatchObject({
      keys: [{ key: "goal", set: false, value: "default" }],
    });
  });

  test("an unread key is refused with a suggestion and nothing is written; a bad value keeps the old one", async () => {
    const lab = openCliLab();
    expect(await lab.run("config", "set", "buget.usd", "5")).toMatchObject({
      exit: 1,
      json: { problem: { code: "unknown-key", hint: "did you mean budget.usd?" } },
    });
    expect(existsSync(join(lab.home, "config.toml"))).toBe(false);
    await lab.run("config", "set", "budget.usd", "5");
    expect((await lab.run("config", "set", "budget.usd", "lots")).exit).toBe(1);
    expect((await lab.run("config", "get", "budget.usd")).json).toMatchObject({
      keys: [{ set: true, value: 5 }],
    });
    expect((await lab.run("config", "get", "nothing.of.this")).json).toMatchObject({
      problem: { code: "unknown-key" },
    });
  });

  test("a configured rule judges runs by its name", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    await lab.run("config", "set", "rules.strict", '{"requires":["tests","ci"],"definition":"both"}');
    expect((await lab.run("outcome", "--rule", "strict", "run_a")).json).toMatchObject({
      runs: [{ outcome: "unknown", reasons: ["missing:ci"] }],
    });
  });
});
