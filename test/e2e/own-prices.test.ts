import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { installAgent } from "../../src/testing/scripted-agent.ts";
import { type Finished, type Lab, openLab } from "../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const PRICES = `
as_of = "2026-01-01"
["house-model"]
input = 2.0
cache_read = 0.2
cache_write = 2.5
output = 10.0
`;

/** One run of an agent whose model is in no table but the user's: 1,000 tokens in, 200 out. */
async function runWith(prices: string): Promise<Finished> {
  lab = openLab({ "README.md": "hello\n" });
  const { outside, home } = lab;
  writeFileSync(join(home, "prices.toml"), prices);
  installAgent(join(outside, "bin"), "claude", {
    format: "claude",
    writesLog: true,
    stateDir: join(outside, "state"),
    steps: [
      {
        do: [
          {
            kind: "write",
            path: "answer.txt",
            text: "right\n",
            usage: { inputTokens: 1000, outputTokens: 200 },
          },
        ],
      },
    ],
  });
  mkdirSync(join(outside, "claude-config"));
  const words = ["go", "answer", "--check", "grep -q right answer.txt", "--json"];
  return lab.run([...words, "--provider", "claude-code:house-model"], environment(outside));
}

const environment = (outside: string): Record<string, string> => ({
  PATH: `${join(outside, "bin")}:${process.env["PATH"] ?? ""}`,
  CLAUDE_CONFIG_DIR: join(outside, "claude-config"),
});

test("what a run spends is priced by the user's own table, as its log is", async () => {
  const done = await runWith(PRICES);
  expect(done.exit).toBe(0);
  expect(done.json()).toMatchObject({ satisfied: true, cost_usd: 0.004 });
  const { outside } = lab ?? {};
  const scanned = await lab?.run(["scan", "--json"], environment(outside ?? ""));
  expect(scanned?.json()).toMatchObject({ cost_usd: 0.004 });
});

test("a broken price table stops a run before its agent starts, and says where", async () => {
  const done = await runWith('["house-model"]\ninput = "cheap"\n');
  expect(done.exit).toBe(1);
  expect(done.json()).toMatchObject({ ok: false });
  expect(done.stdout).toContain("prices.toml");
  expect((await lab?.run(["runs", "--json"]))?.json()["runs"]).toEqual([]);
});
