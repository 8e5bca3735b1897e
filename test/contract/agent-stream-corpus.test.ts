import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claudeStream, codexStream } from "../../src/logs/index.ts";
import type { AgentStream, FinishedStream } from "../../src/ports/agent-stream.ts";
import type { ModelUsage, UsageReport } from "../../src/ports/provider.ts";
import { sharedData } from "../golden/shared-data.ts";

/** What headless agents printed gives exactly the spend of that run alone. */
const streams = sharedData("corpus/logs/streams");

interface Expected {
  readonly after?: string;
  readonly ownUsageByModel: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly ownCostUSD?: number;
  readonly webSearches?: number;
}

/** Stands for a call count, which a stream does not tell. */
const UNSTATED = "unstated";

function byModel(models: readonly ModelUsage[]): unknown {
  return Object.fromEntries(
    models.map(({ model, usage }) => [
      model,
      {
        calls: UNSTATED,
        input: usage.inputTokens ?? 0,
        cacheWrite5m: usage.cacheWrite5mTokens ?? 0,
        cacheWrite1h: usage.cacheWrite1hTokens ?? 0,
        cacheRead: usage.cacheReadTokens ?? 0,
        output: usage.outputTokens ?? 0,
        reasoning: usage.reasoningTokens ?? 0,
      },
    ]),
  );
}

function read(stream: AgentStream, bytes: Uint8Array, cuts: readonly number[] = []): FinishedStream {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    stream.push(bytes.subarray(from, cut));
    from = Math.max(from, cut);
  }
  stream.push(bytes.subarray(from));
  return stream.finish();
}

if (streams === undefined) {
  test.skip("every recorded stream gives the stated spend of its run (no streams here)", () => {});
} else {
  for (const agent of ["claude-code", "codex"]) {
    const make = (): AgentStream => (agent === "codex" ? codexStream("gpt-5.6-sol") : claudeStream());
    const load = (name: string): Uint8Array => readFileSync(join(streams, agent, name));
    const all: Readonly<Record<string, Expected>> = JSON.parse(
      readFileSync(join(streams, agent, "expected.json"), "utf8"),
    );
    const spent = (name: string): UsageReport => {
      const stream = make();
      const { after } = all[name] ?? {};
      const before = after === undefined ? [] : read(make(), load(after)).perModel;
      return stream.attributable(read(stream, load(name)), before);
    };

    for (const [name, expected] of Object.entries(all)) {
      test(`the stream ${agent}/${name} gives the stated spend of that run alone`, () => {
        const report = spent(name);
        const models = report.kind === "known" ? report.models : [];
        const wanted = Object.entries(expected.ownUsageByModel).map(([model, usage]) => [
          model,
          { ...usage, calls: UNSTATED },
        ]);
        expect(byModel(models)).toEqual(Object.fromEntries(wanted));
        if (expected.ownCostUSD !== undefined) {
          const stated = models.reduce((sum, entry) => sum + (entry.statedMicroUsd ?? 0), 0);
          expect(stated).toBe(Math.round(expected.ownCostUSD * 1e6));
        }
        if (expected.webSearches !== undefined) {
          const searches = models.reduce((sum, entry) => sum + (entry.webSearchRequests ?? 0), 0);
          expect(searches).toBe(expected.webSearches);
        }
      });

      test(`the stream ${agent}/${name} reads the same in whatever chunks it comes`, () => {
        const bytes = load(name);
        const whole = read(make(), bytes);
        fc.assert(
          fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
            expect(read(make(), bytes, cuts)).toEqual(whole);
          }),
          { numRuns: 40 },
        );
      });
    }
  }
}
