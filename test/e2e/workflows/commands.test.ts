import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Lab, openLab } from "../../lab.ts";
import { ASTRA, OPUS } from "./workflow-lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const REVIEW = ["--set", `implement=${OPUS}`, "--set", `review=${ASTRA}`];

describe("workflows", () => {
  test("list shows the catalogue, one's own files, and a broken one with its first mistake", async () => {
    lab = openLab({});
    mkdirSync(join(lab.home, "workflows"));
    writeFileSync(join(lab.home, "workflows", "odd.toml"), 'id = "solo"\npieces = []\n');
    const shown = await lab.run(["workflows", "show", "implement_review", "--toml", "--json", ...REVIEW]);
    const toml = String(shown.json()["toml"]).replace('id = "implement_review"', 'id = "mine"');
    writeFileSync(join(lab.home, "workflows", "mine.toml"), toml);
    const listed = await lab.run(["workflows", "list", "--json"]);
    const rows = listed.json()["workflows"] as readonly Record<string, unknown>[];
    expect(rows.filter(({ origin }) => origin === "catalog")).toHaveLength(7);
    expect(rows.filter(({ origin }) => origin === "user")).toMatchObject([
      { id: "mine", valid: true, config: "cfg_fa32a4be9469", errors: [] },
      { id: "odd", valid: false, errors: ["a workflow needs at least one piece"] },
    ]);
    expect((await lab.run(["workflows", "list"])).stdout).toContain("implement_review");
  });

  test("show names the configuration once every piece is set", async () => {
    lab = openLab({});
    const open = await lab.run(["workflows", "show", "plan_team", "--json"]);
    expect(open.json()).toMatchObject({ origin: "composed", config: null });
    expect(open.json()["note"]).toContain("swarm");
    const set = await lab.run(["workflows", "show", "implement_review", "--json", ...REVIEW]);
    expect(set.json()["config"]).toBe("cfg_fa32a4be9469");
    const unknown = await lab.run(["workflows", "show", "implement_reviw", "--json"]);
    expect(unknown.exit).toBe(2);
    expect(unknown.json()).toMatchObject({ problem: { code: "no-such-workflow" } });
  });

  test("validate says every mistake and exits 1; warnings and valid files exit 0; a missing file exits 2", async () => {
    lab = openLab({
      "bad.toml": 'id = "bad"\nedges = ["a -> b"]\n[[pieces]]\nid = "x"\n',
      "good.toml": 'id = "good"\n[[pieces]]\nid = "x"\nrole = "dev"\n',
    });
    const bad = await lab.run(["workflows", "validate", "bad.toml", "--json"]);
    expect(bad.exit).toBe(1);
    expect(bad.json()["errors"]).toHaveLength(3);
    const good = await lab.run(["workflows", "validate", "good.toml", "--json"]);
    expect(good.exit).toBe(0);
    expect(good.json()["warnings"]).toHaveLength(2);
    expect((await lab.run(["workflows", "validate", "none.toml", "--json"])).exit).toBe(2);
  });

  test("diff says what changes, and nothing for one configuration under two names", async () => {
    lab = openLab({});
    const diff = await lab.run(["workflows", "diff", "solo", "implement_review", "--json"]);
    expect(diff.json()["lines"]).toEqual([
      "shape: solo -> implement_review",
      "added reviewer review (?)",
      "rounds: 1 -> 3, the first one counted",
    ]);
    const same = await lab.run(["workflows", "diff", "swarm", "swarm", "--json"]);
    expect(same.json()).toMatchObject({ same: true, lines: [] });
  });

  test("task-types needs no store and lists types and features", async () => {
    lab = openLab({});
    const listed = await lab.run(["task-types", "--json"]);
    const ids = (key: string, name: string): readonly unknown[] =>
      (listed.json()[key] as readonly Record<string, unknown>[]).map((row) => row[name]);
    expect(ids("types", "id")).toEqual([
      "bug_fix",
      "feature",
      "refactor",
      "tests",
      "docs",
      "research",
      "infra",
      "data",
    ]);
    expect(ids("features", "key")).toContain("spec_clarity");
  });
});
