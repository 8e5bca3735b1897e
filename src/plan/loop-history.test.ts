import { expect, test } from "vitest";
import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import { iterationUsd, pieceHistory, weighByHistory } from "./loop-history.ts";

function done(node: string, seconds: number, usd?: number, more: Partial<OcpAttempt> = {}): OcpAttempt {
  const startMs = Date.UTC(2026, 10, 1);
  return {
    id: `${node}.a1`,
    node,
    status: "done",
    started_at: new Date(startMs).toISOString(),
    ended_at: new Date(startMs + seconds * 1000).toISOString(),
    ...(usd !== undefined && { cost: { usd } }),
    ...more,
  };
}

function run(...attempts: readonly OcpAttempt[]): OcpDocument {
  return {
    ocp: "0.3",
    producer: { name: "test" },
    privacy: { profile: "metadata_only" },
    run: { id: "r" },
    nodes: [],
    attempts,
  };
}

const PIECES = [
  { id: "write", weight: 1, dependsOn: [] },
  { id: "test", weight: 2, dependsOn: ["write"] },
  { id: "new", weight: 3, dependsOn: ["write"] },
];

test("a piece's time is the median of what it took when it was done, not of what failed or was lost", () => {
  const history = pieceHistory([
    run(done("write", 10), done("write", 30), done("write", 9999), done("write", 1, 0, { status: "failed" })),
    run({ id: "write.a2", node: "write", status: "done" }),
  ]);
  expect(history.get("write")).toMatchObject({ attempts: 3, seconds: 30 });
});

test("a piece that was never done takes what its weight means by the others", () => {
  const history = pieceHistory([run(done("write", 10), done("test", 40))]);
  expect(weighByHistory(PIECES, history)).toMatchObject({
    unit: "seconds",
    pieces: [{ weight: 10 }, { weight: 40 }, { weight: 45 }],
  });
});

test("without history the weights of the file stand", () => {
  expect(weighByHistory(PIECES, pieceHistory([]))).toEqual({ unit: "weight", pieces: PIECES });
});

test("an iteration costs what is known, and names the pieces whose price is not", () => {
  const history = pieceHistory([
    run(
      done("write", 10, 0.2),
      done("write", 10, 0.4),
      done("write", 10),
      done("test", 5, undefined, { harness: "command" }),
    ),
  ]);
  expect(history.get("write")).toMatchObject({ usd: expect.closeTo(0.3), unknownCosts: 1 });
  expect(iterationUsd(PIECES, history)).toEqual({ known: expect.closeTo(0.3), unknown: ["new"] });
});
