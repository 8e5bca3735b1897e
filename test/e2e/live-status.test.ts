import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { installAgent } from "../../src/testing/scripted-agent.ts";
import { type Lab, openLab } from "../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

test("status of a running session says what its agent has spent by now, against the ceiling", async () => {
  lab = openLab({ "README.md": "hello\n" });
  const { outside } = lab;
  const go = join(outside, "go-on");
  installAgent(join(outside, "bin"), "claude", {
    format: "claude",
    writesLog: true,
    stateDir: join(outside, "state"),
    steps: [
      {
        do: [
          {
            kind: "say",
            text: "I look first",
            usage: { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 5000 },
          },
          { kind: "run", command: `until [ -e '${go}' ]; do sleep 0.05; done` },
          { kind: "write", path: "answer.txt", text: "right\n", usage: { outputTokens: 50 } },
        ],
      },
    ],
  });
  const config = join(outside, "claude-config");
  mkdirSync(config);
  const env = {
    PATH: `${join(outside, "bin")}:${process.env["PATH"] ?? ""}`,
    CLAUDE_CONFIG_DIR: config,
  };
  const words = ["go", "answer", "--check", "grep -q right answer.txt"];
  const agent = ["--provider", "claude-code:claude-opus-5-5", "--max-usd", "3", "--json"];
  const { finished } = lab.start([...words, ...agent], env);
  const during = await until(async () => {
    const answer = await lab?.run(["status", "--json"], env);
    const json = answer?.exit === 0 ? answer.json() : {};
    const spending = json["spending"] as { readonly tokens: number } | null | undefined;
    return (spending?.tokens ?? 0) > 0 ? json : undefined;
  });
  expect(during).toMatchObject({
    live: true,
    spending: { tokens: 6200, unknown_attempts: 0, limit: "ceiling" },
  });
  const spending = during["spending"] as { readonly cost_usd: number; readonly left_usd: number };
  expect(spending.cost_usd).toBeGreaterThan(0);
  expect(spending.left_usd).toBeCloseTo(3 - spending.cost_usd, 9);
  expect((await lab.run(["status"], env)).stdout).toMatch(/6200 tokens by its log/);
  writeFileSync(go, "");
  expect((await finished).json()).toMatchObject({ satisfied: true });
  expect((await lab.run(["status", "--json"], env)).json()).toMatchObject({ live: false, spending: null });
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error("what was waited for never came");
}
