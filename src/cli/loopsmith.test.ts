import { expect, test } from "vitest";
import { fromLoopsmith } from "./loopsmith.ts";

const ours = (line: string): string | undefined => {
  const done = fromLoopsmith(line.split(" ").filter((word) => word !== ""));
  return done.ok ? done.value.words.join(" ") : undefined;
};

test.each([
  ["loop validate loop.yaml --strict", "loop validate loop.yaml --strict"],
  ["validate loop.yaml", "loop validate loop.yaml"],
  ["plan loops/loop.yaml", "loop plan loop.yaml --cwd loops"],
  ["loop convert loop.md -o loop.yaml", "loop convert loop.md --out loop.yaml"],
  ["loop convert loop.md --out=loop.yaml --to-yaml", "loop convert loop.md --out loop.yaml --to-yaml"],
  ["migrate loop.yaml --check", "loop migrate loop.yaml --check"],
  ["new -p nightly --name night --git", "loop new --path nightly --name night"],
  ["permissions loop.yaml --write s.json", "loop permissions loop.yaml --write s.json"],
  ["run loop.yaml", "loop start loop.yaml"],
  ["run --dry-run loop.yaml", "loop start loop.yaml --dry-run"],
  ["run --run-id start loop.yaml", "loop start loop.yaml"],
  ["run start loop.yaml --run-id r1 --no-acquire -v", "loop start loop.yaml"],
  ["resume loop.yaml run-17", "loop resume --session run-17"],
  ["run status a/loop.yaml run-17", "status --session run-17 --cwd a"],
  ["ledger loop.yaml run-17 --limit 5", "ledger show --session run-17"],
  ["gate a/loop.yaml --target links", "loop gate loop.yaml --cwd a --target links"],
  ["run watch loop.yaml --max-runs 3", "loop watch loop.yaml --max-runs 3"],
  ["schedule loop.yaml --install", "loop schedule loop.yaml --install"],
  ["providers loop.yaml", "providers"],
  ["doctor", "doctor"],
  ["--version", "--version"],
  ["run --help", "loop --help"],
])("%s", (theirs, expected) => {
  expect(ours(theirs)).toBe(expected);
});

test("an old spelling and a flag without a meaning here are told once each", () => {
  const done = fromLoopsmith(["run", "loop.yaml", "--run-id", "r1"]);
  expect(done.ok && done.value.notices).toEqual([
    "`run` is spelled `run start` now",
    "--run-id is left out: sessions name themselves",
  ]);
});

test.each([
  ["run proposals loops/a.yaml run-1", "proposals list a.yaml --cwd loops"],
  ["memory promote loop.yaml semantic port", "memory promote semantic port --file loop.yaml"],
  ["memory list loop.yaml --namespace failure", "memory list loop.yaml --namespace failure"],
  ["skills search pdf tables --limit 3", "skills search pdf tables --limit 3"],
  ["skills scores loop.yaml", "skills scores loop.yaml"],
])("%s is %s", (theirs, ours) => {
  expect(fromLoopsmith(theirs.split(" "))).toMatchObject({ ok: true, value: { words: ours.split(" ") } });
});

test.each(["loop guided", "web", "skills acquire loop.yaml pdf", "run prune loop.yaml"])(
  "%s is refused with what to do instead",
  (theirs) => {
    expect(fromLoopsmith(theirs.split(" "))).toMatchObject({
      ok: false,
      problem: { code: "bad-flag", hint: expect.any(String) },
    });
  },
);
