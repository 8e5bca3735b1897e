import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINIMAL_LOOP, withLine } from "../../testing/minimal-loop.ts";
import { type Finding, type Loop, type Promotion, parseLoop, type Severity } from "./index.ts";

async function findingsOf(text: string, severity: Severity): Promise<readonly Finding[]> {
  const { findings } = await parseLoop(text, "loop.yaml");
  return findings.filter((finding) => finding.severity === severity);
}

async function loopOf(text: string): Promise<Loop> {
  const { loop, findings } = await parseLoop(text, "loop.yaml");
  const errors = findings.filter(({ severity }) => severity === "error");
  if (loop === undefined || errors.length > 0) throw new Error(JSON.stringify(errors, null, 1));
  return loop;
}

const problemsOf = (text: string) => findingsOf(text, "error");

async function warningsOf(text: string): Promise<readonly string[]> {
  await loopOf(text);
  return (await findingsOf(text, "warning")).map(({ at, message }) => `${at} ${message}`);
}

function namespace(requireProvenance: boolean, promotion: Promotion) {
  return { isEnabled: true, minConfidence: 0.75, requireProvenance, promotion };
}

test("a loop is read with every default filled in", async () => {
  expect(await loopOf(MINIMAL_LOOP)).toEqual({
    name: "tidy",
    version: "0.1.0",
    description: "",
    environment: "dev",
    features: {
      parallelExecution: true,
      humanApproval: true,
      marketplaceSkills: false,
      externalSideEffects: false,
      selfEvolution: false,
    },
    background: [],
    prerequisites: [{ step: "Ran the tests by hand", isDone: true }],
    success: [],
    goals: [{ name: "green", description: "Every test of the project passes.", dependsOn: [] }],
    pieces: [
      {
        id: "build",
        role: "builder",
        instruction: "Make the failing tests pass without touching them.",
        dependsOn: [],
        goals: [],
        tier: "standard",
        skills: [],
        weight: 1,
        isolation: { mode: "none" },
      },
      {
        id: "read",
        role: "judge",
        instruction: "Say what is wrong with it.",
        dependsOn: ["build"],
        goals: [],
        tier: "standard",
        skills: [],
        weight: 1,
        isolation: { mode: "none" },
      },
    ],
    concurrency: { mode: "auto", cap: 16, minMarginalGain: 0.05 },
    join: { strategy: "wait_for_all" },
    providers: [
      {
        id: "claude",
        kind: "claude_code",
        command: "claude",
        tiers: [],
        args: [],
        requiresEnv: [],
        promptOnStdin: false,
      },
      {
        id: "codex",
        kind: "codex",
        command: "codex",
        tiers: [],
        args: [],
        requiresEnv: [],
        promptOnStdin: false,
      },
    ],
    cascade: {},
    enforceJudgeIndependence: true,
    phases: { items: [], chains: [] },
    memory: {
      carrySummaries: 2,
      maxSummaryChars: 1200,
      maxRetrieved: 10,
      namespaces: {
        episodic: namespace(false, { rule: "never" }),
        semantic: namespace(true, { rule: "repeated_validation", times: 3 }),
        procedural: namespace(true, { rule: "repeated_validation", times: 3 }),
        failure: namespace(true, { rule: "automatic" }),
      },
    },
    skills: {
      acquisitionOrder: ["installed", "marketplace", "generate"],
      quarantineDir: "generated-skills",
      minMarketplaceStars: 100,
      requireHumanPromotion: true,
      explore: false,
      exploreCandidates: [],
      minTrials: 3,
      minTrustLevel: "reviewed",
      requireChecksum: false,
      allowExternalSideEffects: false,
    },
    defaultSkills: [],
    triggers: { triggers: [], maxDepth: 5, dedupWindowMs: 300_000 },
    checks: [
      {
        target: "green",
        name: "tests",
        mode: "objective",
        statement: "npm test exits 0.",
        detector: { type: "script", command: { line: "npm test" }, expectExit: 0 },
        blocking: true,
      },
      {
        target: "overall",
        name: "lint",
        mode: "objective",
        statement: "The linter is content.",
        detector: { type: "script", command: { argv: ["npx", "biome", "check"] }, expectExit: 0 },
        blocking: true,
      },
    ],
    stop: {
      maxIterations: 10,
      maxRevisionsPerPiece: 3,
      maxCostMicroUsd: 2_500_000,
      noProgressIterations: 3,
      stopOnOverallSuccess: true,
    },
    entries: [],
    approvals: [],
    rollbacks: [],
    limits: { rules: [], forbiddenPaths: [], forbiddenCommands: [], humanCheckpoint: [] },
    pieceLimits: new Map(),
    recovery: {
      transient_error: { action: "retry", maxAttempts: 3, baseDelayMs: 2000, backoff: "exponential" },
      invalid_output: { action: "revise", maxAttempts: 2 },
      tool_unavailable: { action: "fallback" },
      repeated_failure: { action: "escalate" },
      safety_violation: { action: "stop" },
      resource_exhaustion: { action: "pause" },
      corrupted_state: { action: "restore_checkpoint" },
    },
    protected: {
      components: [
        "gates",
        "limits",
        "recovery",
        "protected",
        "approvals",
        "credentials",
        "audit",
        "baselines",
        "retention",
        "environment",
      ],
      extraPaths: [],
    },
    alerts: [],
    evolution: {
      isEnabled: false,
      maxRegression: 0.02,
      allowedKinds: ["new_skill", "skill_update", "prompt_change", "validation_change"],
      requireSandbox: true,
      requireApproval: true,
      keepRollback: true,
    },
  });
  expect(await warningsOf(MINIMAL_LOOP)).toEqual([]);
});

test("everything that is read can be written", async () => {
  const loop = await loopOf(`
name: full
version: 2.0.0
description: All of it.
environment: prod
intent:
  goals:
    - {name: green, description: Every test of the project passes., priority: 2}
    - {name: small, description: The bundle stays below the limit., depends_on: [green]}
execution:
  graph:
    pieces:
      - {id: survey, role: researcher, instruction: Map the module and change nothing., tier: cheap, goals: [green]}
      - id: build
        role: builder
        instruction: Make the failing tests pass without touching them.
        depends_on: [survey]
        provider: codex
        weight: 3.5
        isolation: {mode: worktree}
    concurrency: {mode: fixed, max_parallel: 2}
    join: {strategy: quorum, count: 1}
  providers:
    providers:
      - id: claude
        kind: claude-code
        command: claude
        tiers: [cheap, strong]
        args: ["-p", "{prompt}"]
        model: model-x
        effort: high
        requires_env: [TOKEN]
        timeout_seconds: 60
        prompt_on_stdin: true
        usage_regex: 'tokens: (\\d+)'
        cost_per_1k_tokens: 0.01
      - {id: codex, kind: codex, command: codex}
    cascade: {cheap: [claude], standard: [codex, claude]}
    enforce_judge_independence: false
safety:
  checks:
    - {target: green, name: tests, mode: objective, statement: Green., timeout_seconds: 30, detector: {type: test_report, command: npm test, format: junit, path: junit.xml}}
    - {target: small, name: size, mode: percentage, statement: Small., detector: {type: threshold, metric: kb, op: lte, value: 100, producer: measure}}
    - {target: small, name: measure, mode: objective, statement: Measured., blocking: false, detector: {type: script, command: ./size.sh, expect_exit: 3}}
    - {target: overall, name: report, mode: objective, statement: There., detector: {type: file_exists, path: out/report.md, non_empty: true}}
    - {target: overall, name: words, mode: objective, statement: Says so., detector: {type: regex_match, artifact: report, pattern: "^Done"}}
    - {target: overall, name: scope, mode: objective, statement: In scope., detector: {type: diff, allow: ["src/**"], deny: ["src/secret/**"]}}
  gates:
    stop: {max_iterations: 4, max_revisions_per_piece: 2, max_wall_clock_seconds: 90, max_tokens: 5, no_progress_iterations: 2, stop_on_overall_success: false}
    approval:
      - {id: publish, statement: May it be published?, on_fail: pause}
      - {id: clean, statement: Is the tree clean?, detector: {type: script, command: ./clean.sh}}
  limits:
    global: {rules: [Never push.], forbidden_paths: [.git/], forbidden_commands: [rm -rf], max_seconds: 10, human_checkpoint: [publishing]}
    per_node: {build: {max_tokens: 9}}
`);
  expect(loop.concurrency).toEqual({ mode: "fixed", maxParallel: 2 });
  expect(loop.join).toEqual({ strategy: "quorum", count: 1 });
  expect(loop.pieces[1]).toMatchObject({ isolation: { mode: "worktree" }, provider: "codex", weight: 3.5 });
  expect(loop.providers[0]).toMatchObject({
    timeoutMs: 60_000,
    usageRegex: "tokens: (\\d+)",
    usdPer1kTokens: 0.01,
  });
  expect(loop.checks.map(({ detector }) => detector.type)).toEqual([
    "test_report",
    "threshold",
    "script",
    "file_exists",
    "regex_match",
    "diff",
  ]);
  expect(loop.stop).toEqual({
    maxIterations: 4,
    maxRevisionsPerPiece: 2,
    maxWallClockMs: 90_000,
    maxTokens: 5,
    noProgressIterations: 2,
    stopOnOverallSuccess: false,
  });
  expect(loop.approvals.map(({ id, onFail }) => [id, onFail])).toEqual([
    ["publish", "pause"],
    ["clean", "stop"],
  ]);
  expect(loop.limits).toMatchObject({
    rules: ["Never push."],
    maxMs: 10_000,
    humanCheckpoint: ["publishing"],
  });
  expect(loop.pieceLimits.get("build")).toMatchObject({ maxTokens: 9 });
});

describe("each mistake is named at its line and column", () => {
  const role = "role: builder";
  const piece = (more: string) => [role, `        ${more}`];
  const check = (detector: string) => [
    `    - {target: green, name: more, mode: objective, statement: x, detector: {${detector}}}`,
    "    - target: overall",
  ];
  const stop = (more: string) => [`{max_tokens: 1, ${more}}`];
  const threshold = "type: threshold, op: lt, value: 1, metric: kb";
  const NODE = "execution.graph.nodes[0]";
  const CHECK = "safety.checks[1]";

  /** What, the line that is exchanged, by what, the code, the path, and the text that stands at the place. */
  test.each<[string, string, readonly string[], string, string, string]>([
    ["a misspelt key", "name: tidy", ["nmae: tidy"], "unknown-key", "nmae", "nmae"],
    ["a blank name", "name: tidy", ["name: ' '"], "bad-input", "name", "' '"],
    ["a wrong type", "name: tidy", ["name: [1]"], "bad-input", "name", "[1]"],
    ["a reserved name", "name: green", ["name: overall"], "bad-input", "intent.goals[0].name", "overall"],
    [
      "a goal unchecked",
      "target: green",
      ["target: overall"],
      "missing-check",
      "intent.goals[0].name",
      "green",
    ],
    ["a wrong word", role, ["role: bilder"], "bad-input", `${NODE}.role`, "bilder"],
    ["a wrong id", "id: build", ["id: a/b"], "bad-id", `${NODE}.id`, "a/b"],
    ["no weight", role, piece("weight: 0"), "bad-input", `${NODE}.weight`, "0"],
    ["no such piece", role, piece("depends_on: [x]"), "unknown-piece", `${NODE}.depends_on[0]`, "x"],
    ["after itself", role, piece("depends_on: [build]"), "unknown-piece", `${NODE}.depends_on[0]`, "build"],
    ["no such goal", role, piece("goals: [x]"), "missing-goal", `${NODE}.goals[0]`, "x"],
    ["no such provider", role, piece("provider: x"), "unknown-provider", `${NODE}.provider`, "x"],
    [
      "no workers",
      "    nodes:",
      ["    concurrency: {mode: fixed, max_parallel: 0}", "    nodes:"],
      "bad-input",
      "execution.graph.concurrency.max_parallel",
      "0",
    ],
    [
      "two spellings",
      "    nodes:",
      ["    pieces: []", "    nodes:"],
      "bad-input",
      "execution.graph.pieces",
      "[]",
    ],
    [
      "a provider twice",
      "id: codex",
      ["id: claude"],
      "bad-input",
      "execution.providers.providers[1].id",
      "claude",
    ],
    [
      "a cascade to nobody",
      "  providers:\n",
      ["  providers:", "    cascade: {cheap: [x]}\n"],
      "unknown-provider",
      "execution.providers.cascade.cheap[0]",
      "x",
    ],
    ["a check of no goal", "target: overall", ["target: grene"], "missing-goal", `${CHECK}.target`, "grene"],
    ["a check twice", "name: lint", ["name: tests"], "bad-input", `${CHECK}.name`, "tests"],
    [
      "no way to check",
      "      detector: {type: script, command: npm test}",
      ["      blocking: true"],
      "bad-input",
      "safety.checks[0].detector",
      "target",
    ],
    ["no type", "    - target: overall", check("path: x"), "bad-input", `${CHECK}.detector.type`, "{path"],
    [
      "a metric of no command",
      "    - target: overall",
      check(`${threshold}, producer: more`),
      "metric-without-producer",
      `${CHECK}.detector.producer`,
      "more",
    ],
    [
      "a search in no file",
      "    - target: overall",
      check("type: regex_match, artifact: a, pattern: x"),
      "bad-input",
      `${CHECK}.detector.artifact`,
      "a,",
    ],
    [
      "a bad pattern",
      "    - target: overall",
      check("type: regex_match, artifact: a, pattern: '('"),
      "bad-input",
      `${CHECK}.detector.pattern`,
      "'('",
    ],
    [
      "an empty diff",
      "    - target: overall",
      check("type: diff"),
      "bad-input",
      `${CHECK}.detector`,
      "{type",
    ],
    [
      "no iterations",
      "{max_cost_usd: 2.5}",
      stop("max_iterations: 0"),
      "bad-input",
      "safety.gates.stop.max_iterations",
      "0",
    ],
    [
      "half a one",
      "{max_cost_usd: 2.5}",
      stop("max_iterations: 1.5"),
      "bad-input",
      "safety.gates.stop.max_iterations",
      "1.5",
    ],
    [
      "an approval twice",
      "  gates:",
      ["  gates:", "    approval: [{id: a, statement: x}, {id: a, statement: y}]"],
      "bad-input",
      "safety.gates.approval[1].id",
      "a, statement: y",
    ],
    [
      "a limit of no piece",
      "  gates:",
      ["  limits: {per_node: {x: {}}}", "  gates:"],
      "unknown-piece",
      "safety.limits.per_node.x",
      "{}",
    ],
  ])("%s", async (_what, line, replacement, code, path, token) => {
    const text = withLine(line, ...replacement);
    const found = (await problemsOf(text)).find(
      (one) => one.code === code && one.message.startsWith(`${path}: `),
    );
    const [row = 0, column = 0] = (found?.at ?? "").split(":").slice(1).map(Number);
    expect(text.split("\n")[row - 1]?.slice(column - 1)).toMatch(
      new RegExp(`^${token.replace(/\W/g, "\\$&")}`),
    );
  });

  test("a misspelt key gets the right one as a hint", async () => {
    const [problem] = await problemsOf(withLine("role: builder", "role: builder", "        dependson: []"));
    expect(problem).toEqual({
      severity: "error",
      code: "unknown-key",
      path: "execution.graph.nodes[0].dependson",
      message: "execution.graph.nodes[0].dependson: no such key",
      at: "loop.yaml:12:9",
      hint: 'did you mean "depends_on"?',
    });
  });

  test("a circle of pieces names its members in the order of work", async () => {
    const other = "      - {id: b, role: judge, depends_on: [build], instruction: Read what was written.}";
    const text = withLine("role: builder", "role: builder", "        depends_on: [b]");
    const problems = await problemsOf(text.replace("  providers:\n", `${other}\n  providers:\n`));
    expect(problems).toMatchObject([
      {
        code: "graph-cycle",
        message: "execution.graph.nodes[2]: pieces wait for each other: b -> build -> b",
      },
    ]);
  });

  test("all of them at once, in the order of the file", async () => {
    const text = withLine("role: builder", "role: x", "        weight: -1", "        typo: 1").replace(
      "npm test}",
      "''}",
    );
    expect((await problemsOf(text)).map(({ at }) => at)).toEqual([
      "loop.yaml:11:15",
      "loop.yaml:12:17",
      "loop.yaml:13:9",
      "loop.yaml:26:41",
    ]);
  });
});

describe("things that work and are probably not meant are warnings", () => {
  test.each<[string, string, readonly string[], string]>([
    [
      "a short description",
      "description: Every test of the project passes.",
      ["description: green"],
      "very short",
    ],
    [
      "a short instruction",
      "instruction: Make the failing tests pass without touching them.",
      ["instruction: fix it"],
      "very short",
    ],
    ["no ceiling", "{max_cost_usd: 2.5}", ["{}"], "no ceiling"],
    ["many iterations", "{max_cost_usd: 2.5}", ["{max_iterations: 101, max_tokens: 1}"], "more than 100"],
    [
      "no end without progress",
      "{max_cost_usd: 2.5}",
      ["{no_progress_iterations: 0, max_tokens: 1}"],
      "gets nowhere",
    ],
    ["one provider", "      - {id: codex, kind: codex, command: codex}\n", [""], "no judge is independent"],
    ["nothing overall", "target: overall", ["target: green"], "overall"],
    [
      "a rollback of nothing",
      "  gates:",
      ["  gates:", "    approval: [{id: a, statement: May it?, on_fail: rollback}]"],
      "rolled back",
    ],
  ])("%s", async (_what, line, replacement, words) => {
    const warnings = await warningsOf(withLine(line, ...replacement));
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^loop\\.yaml:\\d+:\\d+ .*${words}`))]);
  });

  test("builders that may write at the same time are named with their wave", async () => {
    const twin = "      - {id: twin, role: builder, instruction: Do the other half of the work.}";
    const shared = withLine("  providers:\n", twin, "  providers:\n");
    expect(await warningsOf(shared)).toEqual([
      "loop.yaml:14:9 execution.graph.nodes[2].isolation: build and twin may write in one folder at the same time (wave 1)",
    ]);
    const apart = shared.replace("work.}", "work., isolation: {mode: worktree}}");
    expect(await warningsOf(apart)).toEqual([]);
  });
});

describe("YAML", () => {
  test("is 1.2: `on` and `yes` are texts", async () => {
    const loop = await loopOf(withLine("name: tidy", "name: yes"));
    expect(loop.name).toBe("yes");
  });

  test.each([
    ["a key twice", "name: a\nname: b\n", "2:1"],
    ["a tag of somebody's", "name: !!js/function x\n", "1:7"],
    ["two documents", "name: a\n---\nname: b\n", "2:1"],
    ["a key that is a map", "{a: 1}: b\n", "1:1"],
    ["a broken flow", "name: [a\n", "2:1"],
  ])("%s is refused with its place", async (_what, text, at) => {
    const problems = await problemsOf(text);
    expect(problems.map(({ code }) => code)).toContain("bad-yaml");
    expect(problems.map((problem) => problem.at)).toContain(`loop.yaml:${at}`);
  });

  test("aliases that grow without measure are refused quickly", async () => {
    const levels = Array.from({ length: 20 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(10)}]`);
    const [problem] = await problemsOf(`l0: &l0 x\n${levels.join("\n")}\n`);
    expect(problem).toMatchObject({ code: "bad-yaml", message: expect.stringContaining("aliases expanded") });
  });

  test("an alias that contains itself is refused", async () => {
    expect(await problemsOf("name: &a [*a]\n")).toMatchObject([{ code: "bad-yaml" }]);
  });

  test.each(["", "x", "[]", "5", "# nothing\n", "\t", "- - -", "name:\n  - &x"])(
    "%j is no loop, and no crash",
    async (text) => {
      expect((await problemsOf(text)).length).toBeGreaterThan(0);
    },
  );

  test("no cut or changed line makes the reader throw, and every problem has a place", async () => {
    const lines = MINIMAL_LOOP.split("\n");
    const odd = fc.constantFrom("", "  x: 1", "- *a", "? !!x", "name: {", "  - ", "\u0000", "__proto__: {}");
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), odd, fc.boolean(), async (at, line, isInserted) => {
        const problems = await problemsOf(lines.toSpliced(at, isInserted ? 0 : 1, line).join("\n"));
        for (const { at: place } of problems) expect(place).toMatch(/^loop\.yaml:\d+:\d+$/);
      }),
      { numRuns: 150 },
    );
  });
});
