import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { sharedData } from "../../golden/shared-data.ts";
import { type Lab, openLab } from "../../lab.ts";

const LOOPS = sharedData("corpus/loops");

let lab: Lab;
afterEach(() => lab?.dispose());

/** Programs by the names that the published loops call, found before any real one. */
function programs(scripts: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(lab.outside, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${lab.outside}:${process.env["PATH"] ?? ""}`, OPENAI_API_KEY: "none" };
}

/** The published text, with the work that a person has to do first ticked off. */
function published(name: string): string {
  return readFileSync(join(LOOPS ?? "", name), "utf8").replaceAll("done: false", "done: true");
}

/** A metric comes only from a check that states it; the published loop relies on a file that an agent writes. */
function withProducer(text: string, metric: string, command: string): string {
  const producer = `  - {target: gather, name: count, mode: objective, statement: The sources are counted., detector: {type: script, command: sh, args: ["-c", ${JSON.stringify(command)}]}}`;
  return text
    .replace(`metric: ${metric},`, `metric: ${metric}, producer: count,`)
    .replace("\nvalidations:\n", `\nvalidations:\n${producer}\n`);
}

async function start(env: Record<string, string>) {
  const done = await lab.run(["loop", "start", "loop.yaml", "--allow-unknown-cost", "--yes", "--json"], env);
  return { exit: done.exit, stderr: done.stderr, json: done.json() };
}

describe.skipIf(LOOPS === undefined)("published loops run to their end", () => {
  test("three modules are rewritten side by side, each apart from the others, judged, and merged", async () => {
    const long = "one\ntwo\nthree\n";
    const script = (text: string) => ({ executable: `#!/bin/sh\n${text}\n` });
    lab = openLab({
      "src/parser.txt": long,
      "src/planner.txt": long,
      "src/reporter.txt": long,
      "tests/suite.txt": "keep\n",
      "scripts/smaller.sh": script('for f in src/*.txt; do test "$(wc -l < "$f")" -lt 3 || exit 1; done'),
      "scripts/test.sh": script("grep -q one src/parser.txt && grep -q one src/planner.txt"),
      "scripts/tests-untouched.sh": script("grep -qx keep tests/suite.txt"),
      "scripts/clean-tree.sh": script('test -z "$(git status --porcelain)"'),
      "loop.yaml": published("container-refactor-loop.yaml"),
    });
    const env = programs({
      ollama: "cat > /dev/null; echo three modules",
      claude: `case "$2" in
*"Simplify the parser"*) echo one > src/parser.txt; pwd > src/where-parser.txt ;;
*"Simplify the planner"*) echo one > src/planner.txt; pwd > src/where-planner.txt ;;
*"Simplify the reporter"*) echo one > src/reporter.txt; pwd > src/where-reporter.txt ;;
esac
echo done`,
      curl: "cat > /dev/null; echo no change of behaviour",
      // Whatever this machine has: published images are not fetched.
      docker: "exit 1",
      podman: "exit 1",
    });
    const done = await start({ ...env, LOOPSMITH_DOCKER: "no-such-runtime" });
    expect(done).toMatchObject({ exit: 0, json: { outcome: "succeeded" } });
    expect(done.stderr).toContain("degraded: no container can be had here");
    const notes = readdirSync(join(lab.repo.dir, "src")).filter((name) => name.startsWith("where-"));
    const folders = new Set(
      notes.map((name) => readFileSync(join(lab.repo.dir, "src", name), "utf8").trim()),
    );
    expect(folders.size).toBe(3);
    expect(folders).not.toContain(lab.repo.dir);
    for (const name of ["parser", "planner", "reporter"])
      expect(readFileSync(join(lab.repo.dir, `src/${name}.txt`), "utf8")).toBe("one\n");
  });

  test("a brief is not done before the judge has accepted it, whatever the checks say", async () => {
    const count = 'echo "{\\"independent_sources\\": $(wc -l < out/sources.txt)}" > "$LOOPWRIGHT_METRICS"';
    lab = openLab({
      "scripts/check-citations.sh": { executable: "#!/bin/sh\ngrep -q cited out/brief.md\n" },
      "scripts/check-links.sh": { executable: "#!/bin/sh\nexit 0\n" },
      "loop.yaml": withProducer(published("research-loop.yaml"), "independent_sources", count),
    });
    const env = programs({
      ollama: "cat > /dev/null; mkdir -p out; printf 'a\nb\nc\nd\n' > out/sources.txt; echo done",
      claude: `case "$2" in
*"Draft the brief"*) mkdir -p out; if test -e ${lab.outside}/weak; then echo "cited, and the other side" > out/brief.md; else echo cited > out/brief.md; fi ;;
esac
echo done`,
      curl: `cat > ${lab.outside}/asked
if grep -q side out/brief.md; then echo 'VERDICT: countercase-present PASS
EVIDENCE: out/brief.md:1 names the other side'
else touch ${lab.outside}/weak; echo 'VERDICT: countercase-present FAIL
EVIDENCE: out/brief.md names no other side'; fi`,
    });
    const done = await start(env);
    expect(done).toMatchObject({ exit: 0, json: { outcome: "succeeded" } });
    expect(readFileSync(join(lab.outside, "asked"), "utf8")).toContain("steelman test");
    expect(readFileSync(join(lab.repo.dir, "out/brief.md"), "utf8")).toBe("cited, and the other side\n");
  });
});
