import { describe, expect, test } from "vitest";
import { MINIMAL_LOOP, withLine } from "../../testing/minimal-loop.ts";
import { parseLoop } from "./index.ts";

/** What the rules of the grammar say about a text: severity, path and words, without places. */
async function said(text: string): Promise<readonly string[]> {
  const { findings } = await parseLoop(text, "loop.yaml");
  return findings
    .filter(({ severity }) => severity !== "risk")
    .map((one) => `${one.severity} ${one.message}`);
}

const ROLE = "role: builder";
const piece = (more: string) => withLine(ROLE, ROLE, `        ${more}`);
const top = (more: string) => withLine("name: tidy", "name: tidy", more);
const intent = (more: string) => withLine("intent:", "intent:", `  ${more}`);
const execution = (more: string) => withLine("execution:", "execution:", `  ${more}`);
const safety = (more: string) => withLine("safety:", "safety:", `  ${more}`);
const gates = (more: string) => withLine("  gates:", "  gates:", `    ${more}`);
const stop = (more: string) => withLine("{max_cost_usd: 2.5}", `{max_cost_usd: 2.5, ${more}}`);
const check = (detector: string, mode = "objective") =>
  withLine(
    "    - target: overall",
    `    - {target: green, name: more, mode: ${mode}, statement: x, detector: {${detector}}}`,
    "    - target: overall",
  );
const twoPhases =
  "phases: {items: [{name: a, guideline: Think before you act.}, {name: b, guideline: Act, having thought.}]";

test("a loop that breaks no rule is told nothing", async () => {
  expect(await said(MINIMAL_LOOP)).toEqual([]);
});

describe("each rule has its severity and its path", () => {
  test.each<[string, string, string]>([
    ["a blank name", withLine("name: tidy", "name: ' '"), "error name: must not be blank"],
    [
      "no goals",
      withLine("  goals:\n    - name: green\n      description: Every test of the project passes.\n", ""),
      "error intent.goals: a loop needs at least one goal",
    ],
    [
      "a goal named overall",
      withLine("name: green", "name: overall"),
      'error intent.goals[0].name: "overall" stands',
    ],
    [
      "a short description",
      withLine("Every test of the project passes.", "green"),
      "warning intent.goals[0].description: very short",
    ],
    [
      "a goal after itself",
      withLine("name: green", "name: green", "      depends_on: [green]"),
      "error intent.goals[0].depends_on[0]: a goal cannot",
    ],
    [
      "no prerequisites",
      withLine("  prerequisites: [{step: Ran the tests by hand, done: true}]\n", ""),
      "warning intent.prerequisites: none",
    ],
    [
      "an open prerequisite",
      withLine("done: true", "done: false"),
      "error intent.prerequisites: 1 step(s) not marked done: Ran the tests by hand",
    ],
    [
      "a target that is no goal",
      withLine("target: overall", "target: x"),
      'error safety.checks[1].target: no goal "x"',
    ],
    [
      "a blank statement",
      withLine("statement: npm test exits 0.", "statement: ' '"),
      "error safety.checks[0].statement: must not",
    ],
    [
      "a blank command",
      withLine("command: npm test", "command: ''"),
      "error safety.checks[0].detector.command: must",
    ],
    [
      "a blank metric",
      check("type: threshold, metric: '', op: lt, value: 1"),
      "error safety.checks[1].detector.metric: must",
    ],
    [
      "an artifact nobody makes",
      check("type: regex_match, artifact: a, pattern: x"),
      "error safety.checks[1].detector.artifact: no file_exists",
    ],
    [
      "a blank standard",
      check("type: judge, standard: ''", "subjective"),
      "error safety.checks[1].detector.standard: must",
    ],
    [
      "an opinion called objective",
      check("type: judge, standard: the guide"),
      "warning safety.checks[1].mode: called objective",
    ],
    [
      "a goal unchecked",
      withLine("target: green", "target: overall"),
      'error intent.goals[0].name: goal "green" has no',
    ],
    [
      "overall unchecked",
      withLine("target: overall", "target: green"),
      "warning safety.checks: no blocking check",
    ],
    [
      "a success of no goal",
      intent("success: [{target: x, name: s, mode: objective, statement: x}]"),
      'error intent.success[0].target: no goal "x"',
    ],
    [
      "a share without threshold",
      intent("success: [{target: green, name: s, mode: percentage, statement: x}]"),
      "error intent.success[0].threshold: missing",
    ],
    [
      "a threshold over 1",
      intent("success: [{target: green, name: s, mode: percentage, statement: x, threshold: 80}]"),
      "error intent.success[0].threshold: must lie",
    ],
    ["no iterations", stop("max_iterations: 0"), "error safety.gates.stop.max_iterations: must"],
    ["many iterations", stop("max_iterations: 101"), "warning safety.gates.stop.max_iterations: more"],
    [
      "no end without progress",
      stop("no_progress_iterations: 0"),
      "warning safety.gates.stop.no_progress_iterations: 0 lets",
    ],
    [
      "a change after 0",
      stop("no_progress_iterations_randomness: 0"),
      "error safety.gates.stop.no_progress_iterations_randomness: must be at least 1",
    ],
    [
      "a change without its rule",
      stop("no_progress_iterations: 0, no_progress_iterations_randomness: 1"),
      "error safety.gates.stop.no_progress_iterations_randomness: needs no_progress_iterations",
    ],
    [
      "a change after the end",
      stop("no_progress_iterations_randomness: 3"),
      "error safety.gates.stop.no_progress_iterations_randomness: the loop stops after 3",
    ],
    ["no ceiling", withLine("{max_cost_usd: 2.5}", "{}"), "warning safety.gates.stop: no ceiling"],
    [
      "a phase twice",
      execution(
        "phases: {items: [{name: a, guideline: Think before you act.}, {name: a, guideline: Think once more.}]}",
      ),
      'error execution.phases.items[1].name: "a" is used twice',
    ],
    [
      "arrows without phases",
      execution("phases: {dependency: [a -> b]}"),
      "error execution.phases.items: arrows between",
    ],
    [
      "half an arrow",
      execution(`${twoPhases}, dependency: ['a ->']}`),
      "error execution.phases.dependency[0]: expected phases and arrows",
    ],
    [
      "an arrow to nowhere",
      execution(`${twoPhases}, dependency: [a->x]}`),
      'error execution.phases.dependency[0]: no phase "x"',
    ],
    [
      "an arrow to itself",
      execution(`${twoPhases}, dependency: [a -> a]}`),
      'error execution.phases.dependency[0]: the phase "a" cannot',
    ],
    [
      "phases in a circle",
      execution(`${twoPhases}, dependency: [a -> b, b -> a]}`),
      "error execution.phases.dependency: phases wait for each other: a -> b -> a",
    ],
    [
      "a short guideline",
      execution("phases: {items: [{name: a, guideline: Go.}]}"),
      "warning execution.phases.items[0].guideline: very short",
    ],
    ["a stage that is no phase", piece("stage: x"), 'error execution.graph.nodes[0].stage: no phase "x"'],
    [
      "a piece twice",
      withLine("id: read", "id: build"),
      'error execution.graph.nodes[1].id: "build" is used twice',
    ],
    ["no weight", piece("weight: 0"), "error execution.graph.nodes[0].weight: must be above 0"],
    [
      "an unknown input",
      piece("depends_on: [x]"),
      'error execution.graph.nodes[0].depends_on[0]: no piece "x"',
    ],
    ["an unknown goal", piece("goals: [x]"), 'error execution.graph.nodes[0].goals[0]: no goal "x"'],
    ["an unknown provider", piece("provider: x"), 'error execution.graph.nodes[0].provider: no provider "x"'],
    [
      "a short instruction",
      withLine("Say what is wrong with it.", "Judge."),
      "warning execution.graph.nodes[1].instruction: very short",
    ],
    [
      "no judge",
      withLine("role: judge", "role: researcher"),
      "warning execution.graph.nodes: no piece judges",
    ],
    [
      "no workers",
      withLine("  graph:", "  graph:", "    concurrency: {mode: fixed, max_parallel: 0}"),
      "error execution.graph.concurrency.max_parallel: must",
    ],
    [
      "writers side by side",
      withLine("role: judge, depends_on: [build]", "role: builder"),
      "warning execution.graph.nodes[1].isolation: build and read may write in one folder at the same time (wave 1)",
    ],
    [
      "no providers",
      withLine(
        "  providers:\n    providers:\n      - {id: claude, kind: claude, command: claude}\n      - {id: codex, kind: codex, command: codex}\n",
        "",
      ),
      "warning execution.providers: no provider",
    ],
    [
      "a provider twice",
      withLine("id: codex", "id: claude"),
      'error execution.providers.providers[1].id: "claude" is used',
    ],
    [
      "a blank program",
      withLine("command: codex", "command: ''"),
      "error execution.providers.providers[1].command: must",
    ],
    [
      "an unknown tier",
      withLine("  providers:\n", "  providers:", "    cascade: {best: [claude]}\n"),
      "error execution.providers.cascade.best: no such key",
    ],
    [
      "a cascade to nobody",
      withLine("  providers:\n", "  providers:", "    cascade: {cheap: [x]}\n"),
      'error execution.providers.cascade.cheap[0]: no provider "x"',
    ],
    [
      "nobody independent",
      withLine("      - {id: codex, kind: codex, command: codex}\n", ""),
      "warning execution.providers: with one provider",
    ],
    [
      "a rule without id",
      gates("entry: [{id: '', statement: x, detector: {type: script, command: x}}]"),
      "error safety.gates.entry[0].id: must not be blank",
    ],
    [
      "a rule twice",
      gates(
        "rollback: [{id: a, statement: x, detector: {type: script, command: x}}, {id: a, statement: x, detector: {type: script, command: x}}]",
      ),
      'error safety.gates.rollback[1].id: "a" is used twice',
    ],
    [
      "a rollback of nothing",
      gates("entry: [{id: a, statement: x, detector: {type: script, command: x}, on_fail: rollback}]"),
      "warning safety.gates.entry[0].on_fail: nothing has happened",
    ],
    [
      "approval switched off",
      gates("approval: [{id: a, statement: x}]").replace(
        "name: tidy",
        "name: tidy\nfeatures: {human_approval: false}",
      ),
      "warning safety.gates.approval: approval rules that",
    ],
    [
      "approval switched off in prod",
      gates("approval: [{id: a, statement: x}]").replace(
        "name: tidy",
        "name: tidy\nenvironment: prod\nfeatures: {human_approval: false}",
      ),
      "error safety.gates.approval: approval rules that",
    ],
    [
      "evolution from no baseline",
      top("features: {self_evolution: true}\nevolution: {enabled: true}"),
      "warning evolution.baseline: none",
    ],
    [
      "unapproved evolution in prod",
      top("environment: prod\nevolution: {require_approval: false}"),
      "error evolution.require_approval: must be true",
    ],
    [
      "an alert twice",
      safety("alerts: [{id: a, metric: retries, above: 1}, {id: a, metric: retries, above: 2}]"),
      'error safety.alerts[1].id: "a" is used twice',
    ],
    [
      "an alert about nothing",
      safety("alerts: [{id: a, metric: retries}]"),
      "error safety.alerts[0]: needs `above` or `below`",
    ],
    [
      "an alert about everything",
      safety("alerts: [{id: a, metric: retries, above: 1, below: 1}]"),
      "warning safety.alerts[0]: below is not less",
    ],
    [
      "a pass rate over 1",
      safety("alerts: [{id: a, metric: validation_pass_rate, below: 80}]"),
      "warning safety.alerts[0]: a pass rate lies",
    ],
    [
      "a single try",
      safety("recovery: {transient_error: {action: retry, max_attempts: 1}}"),
      "warning safety.recovery.transient_error.max_attempts: counts",
    ],
    [
      "a breach tried again",
      safety("recovery: {safety_violation: {action: retry}}"),
      "error safety.recovery.safety_violation.action: a breach",
    ],
    [
      "a container of nothing",
      piece("isolation: {mode: container, network: true}"),
      "warning execution.graph.nodes[0].isolation: a container without an image",
    ],
    [
      "a container without network",
      piece("isolation: {mode: container, image: x}"),
      "warning execution.graph.nodes[0].isolation.network: a container without a network cannot reach claude, codex",
    ],
    [
      "limits of no piece",
      safety("limits: {per_node: {x: {}}}"),
      'error safety.limits.per_node.x: no piece "x"',
    ],
    [
      "summaries by nobody",
      execution("memory: {summary_provider: x}"),
      'error execution.memory.summary_provider: no provider "x"',
    ],
    [
      "a trigger on no goal",
      execution("triggers: {triggers: [{on: {type: goal_satisfied, goal: x}}]}"),
      'error execution.triggers.triggers[0].on.goal: no goal "x"',
    ],
  ])("%s", async (_what, text, expected) => {
    expect(await said(text)).toContainEqual(expect.stringContaining(expected));
  });

  test("a local model needs no network in its container", async () => {
    const text = piece("isolation: {mode: container, image: x}").replaceAll(
      /kind: (claude|codex)/g,
      "kind: ollama",
    );
    expect(await said(text)).toEqual([]);
  });

  test("two writers in containers, or one after the other, share nothing", async () => {
    const beside = withLine("role: judge, depends_on: [build]", "role: builder");
    const sequential = beside.replace("  graph:", "  graph:\n    concurrency: {mode: sequential}");
    expect((await said(sequential)).filter((line) => line.includes("folder"))).toEqual([]);
  });
});

describe("misspelt keys are refused at every level", () => {
  test.each([
    ["", top("nam: x"), "nam"],
    ["a bundle", intent("goal: []"), "intent.goal"],
    ["a list", piece("dependson: []"), "execution.graph.nodes[0].dependson"],
    [
      "a variant",
      piece("isolation: {mode: none, network: true}"),
      "execution.graph.nodes[0].isolation.network",
    ],
    [
      "a map by name",
      safety("limits: {per_node: {build: {max_token: 1}}}"),
      "safety.limits.per_node.build.max_token",
    ],
    [
      "deep inside",
      execution("memory: {namespaces: {failure: {promotion: {rule: never, times: 2}}}}"),
      "execution.memory.namespaces.failure.promotion.times",
    ],
  ])("%s", async (_where, text, path) => {
    expect(await said(text)).toEqual([`error ${path}: no such key`]);
  });
});

test("a namespace that is written in part keeps its own defaults", async () => {
  const { loop } = await parseLoop(
    execution("memory: {namespaces: {episodic: {retention_days: 3}}}"),
    "loop.yaml",
  );
  expect(loop?.memory.namespaces.episodic).toEqual({
    isEnabled: true,
    retentionDays: 3,
    minConfidence: 0.75,
    requireProvenance: false,
    promotion: { rule: "never" },
  });
});

test("a file that breaks a rule is still read, one with a value of no meaning is not", async () => {
  expect((await parseLoop(withLine("done: true", "done: false"), "loop.yaml")).loop?.name).toBe("tidy");
  expect((await parseLoop(piece("weight: heavy"), "loop.yaml")).loop).toBeUndefined();
});
