import { describe, expect, test } from "vitest";
import { MINIMAL_LOOP, withLine } from "../../../testing/minimal-loop.ts";
import { parseLoop } from "../index.ts";

/** Name, path and weight of every risk. */
async function risks(text: string): Promise<readonly string[]> {
  const { findings } = await parseLoop(text, "loop.yaml");
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return findings.flatMap(({ risk, path, at }) => {
    expect(at).toMatch(/^loop\.yaml:\d+:\d+$/);
    return risk === undefined ? [] : [`${risk.isFatal ? "fatal " : ""}${risk.name} ${path}`];
  });
}

const piece = (more: string) => withLine("role: builder", "role: builder", `        ${more}`);
const safety = (more: string) => withLine("safety:", "safety:", `  ${more}`);
const stop = (more: string) => withLine("{max_cost_usd: 2.5}", `{max_cost_usd: 2.5, ${more}}`);
const trigger = (more: string) => withLine("execution:", "execution:", `  triggers: {triggers: [{${more}}]}`);
const judged = (text: string, more = "") =>
  text.replace(
    "detector: {type: script, command: npm test}",
    `detector: {type: judge, standard: the guide${more}}`,
  );
const phased = (text: string, ...names: readonly string[]) => {
  const items = names.map((name) => `{name: ${name}, guideline: What belongs in here.}`).join(", ");
  return text.replace(
    "execution:",
    `execution:\n  phases: {items: [${items}], dependency: [${names.join(" -> ")}]}`,
  );
};
const staged = (build: string, read: string) =>
  piece(`stage: ${build}\n        goals: [green]`).replace(
    "role: judge,",
    `role: judge, goals: [green], stage: ${read},`,
  );

test("a sound loop runs no risk", async () => {
  expect(await risks(MINIMAL_LOOP)).toEqual([]);
});

describe("phases and judges that wait for each other are refused before anything is spent", () => {
  test("a phase whose judge comes in a later phase", async () => {
    expect(await risks(judged(phased(staged("draft", "revise"), "draft", "revise")))).toContain(
      "fatal judge-in-later-phase safety.checks[0].detector",
    );
  });

  test.each([
    ["in the same phase", phased(staged("draft", "draft"), "draft", "revise")],
    [
      "in a phase beside it",
      phased(staged("draft", "revise"), "draft", "revise").replace(", dependency: [draft -> revise]", ""),
    ],
    ["in no phase", phased(piece("stage: draft\n        goals: [green]"), "draft", "revise")],
  ])("but not one whose judge is %s", async (_where, text) => {
    expect((await risks(judged(text))).filter((line) => line.includes("judge-in-later"))).toEqual([]);
  });

  test("a check by a judge in a loop without one", async () => {
    expect(await risks(judged(withLine("role: judge", "role: adversary")))).toContain(
      "fatal judge-check-without-judge safety.checks[0].detector",
    );
  });

  test("a piece that reads what a later phase makes", async () => {
    expect(await risks(phased(staged("b", "a"), "a", "b"))).toContain(
      "fatal input-from-later-phase execution.graph.nodes[1].depends_on[0]",
    );
  });

  test("a goal that ordered phases share", async () => {
    expect(await risks(phased(staged("a", "b"), "a", "b"))).toEqual([
      "goal-in-ordered-phases intent.goals[0].name",
    ]);
  });

  test("more phases in a row than iterations", async () => {
    const text = phased(staged("a", "b"), "a", "b").replace(
      "max_cost_usd",
      "max_iterations: 1, max_cost_usd",
    );
    expect(await risks(text)).toContain("phases-exceed-iterations safety.gates.stop.max_iterations");
  });
});

describe("success that does not say what it seems to", () => {
  test("a goal that no piece advances", async () => {
    const text = withLine(
      "    - name: green",
      "    - {name: other, description: Something else is true.}",
      "    - name: green",
    );
    const elsewhere = text
      .replaceAll("role: builder", "role: builder\n        goals: [green]")
      .replace("role: judge,", "role: judge, goals: [green],");
    const checked = elsewhere.replace("target: overall", "target: other");
    expect(await risks(checked)).toContain("goal-nobody-works-on intent.goals[0].name");
  });

  test("a goal that the scenarios of success leave out", async () => {
    const text = withLine(
      "    - name: green",
      "    - {name: other, description: Something else is true.}",
      "    - name: green",
    ).replace("intent:", "intent:\n  success: [{target: green, name: s, mode: objective, statement: x}]");
    expect(await risks(text.replace("target: overall", "target: other"))).toContain(
      "goal-outside-success intent.goals[0].name",
    );
  });

  test.each([
    "{type: script, command: 'true'}",
    "{type: script, command: /bin/true}",
    "{type: script, command: exit 0}",
    "{type: script, command: echo, args: [fine]}",
    "{type: file_exists, path: .}",
    "{type: diff, allow: ['**']}",
  ])("a check that passes whatever was done: %s", async (detector) => {
    const text = withLine("{type: script, command: npx, args: [biome, check]}", detector);
    expect(await risks(text)).toEqual(["check-that-cannot-fail safety.checks[1].detector"]);
  });
});

describe("the graded party that can edit the grader", () => {
  test("a check whose script a piece is told to write", async () => {
    const text = withLine("without touching them.", "and update scripts/check.sh as needed.").replace(
      "command: npm test",
      "command: scripts/check.sh",
    );
    expect(await risks(text)).toEqual(["check-an-agent-can-write safety.checks[0].detector.command"]);
  });

  test("a check whose script another check asks for", async () => {
    const text = withLine("command: npm test", "command: ./out/check.sh").replace(
      "{type: script, command: npx, args: [biome, check]}",
      "{type: file_exists, path: out/check.sh}",
    );
    expect(await risks(text)).toEqual(["check-an-agent-can-write safety.checks[0].detector.command"]);
  });

  test("a script that a piece is told to run is nobody's to write", async () => {
    const text = withLine("without touching them.", "and run scripts/check.sh first.").replace(
      "command: npm test",
      "command: scripts/check.sh",
    );
    expect(await risks(text)).toEqual([]);
  });

  test("a script that an interpreter runs", async () => {
    const text = withLine("without touching them.", "and extend scripts/check.py for it.").replace(
      "command: npm test",
      'command: python3, args: ["-u", "scripts/check.py"]',
    );
    expect(await risks(text)).toEqual(["check-an-agent-can-write safety.checks[0].detector.command"]);
  });

  test("what a check only reads is the work itself", async () => {
    const text = withLine("without touching them.", "and write out/report.md about it.").replace(
      "command: npm test",
      "command: grep, args: [-q, done, out/report.md]",
    );
    expect(await risks(text)).toEqual([]);
  });

  test("a metric that only a file of the tree could state", async () => {
    const text = withLine(
      "{type: script, command: npm test}",
      "{type: threshold, metric: kb, op: lt, value: 1}",
    );
    expect(await risks(text)).toEqual(["fatal metric-without-producer safety.checks[0].detector.metric"]);
  });

  test("files listed where only keys are protected", async () => {
    expect(await risks(safety("protected: {extra_paths: [safety.checks, scripts/x.sh]}"))).toEqual([
      "protects-no-file safety.protected.extra_paths[1]",
    ]);
  });
});

describe("judges", () => {
  test("a share for a score of 0 to 10", async () => {
    expect(await risks(judged(MINIMAL_LOOP, ", min_score: 0.8"))).toContain(
      "score-off-the-scale safety.checks[0].detector.min_score",
    );
  });

  test("a score that nobody can give", async () => {
    expect(await risks(judged(MINIMAL_LOOP, ", min_score: 80"))).toContain(
      "fatal score-off-the-scale safety.checks[0].detector.min_score",
    );
  });

  test("two names for the program that builds are one judge", async () => {
    const text = judged(withLine("kind: codex, command: codex", "kind: claude-code, command: claude"));
    expect(await risks(text)).toContain("fatal judge-not-independent execution.providers");
  });

  test("a judge first looked for where the work was done", async () => {
    const text = judged(
      withLine("  providers:\n", "  providers:", "    cascade: {standard: [claude, codex]}\n"),
    );
    expect(await risks(text)).toContain("judge-not-independent execution.providers");
  });

  test("a judge elsewhere is independent", async () => {
    expect(
      await risks(
        judged(
          withLine("role: judge,", "role: judge, provider: codex,").replace(
            "role: builder",
            "role: builder\n        provider: claude",
          ),
        ),
      ),
    ).toEqual([]);
  });
});

describe("limits that cannot fire", () => {
  const PLAIN = "kind: custom, command: mine, prompt_on_stdin: true";
  test.each([
    ["a cost that nobody reports", withLine("kind: codex, command: codex", PLAIN), "max_cost_usd"],
    [
      "a cost of a template that hides it",
      withLine("command: claude}", 'command: claude, args: ["-p", "{prompt}"]}'),
      "max_cost_usd",
    ],
    [
      "tokens that nobody counts",
      withLine("kind: codex, command: codex", `${PLAIN}, cost_per_1k_tokens: 0.1`).replace(
        "max_cost_usd: 2.5",
        "max_tokens: 5",
      ),
      "max_tokens",
    ],
    [
      "no progress for longer than the loop runs",
      stop("no_progress_iterations: 5, max_iterations: 4"),
      "no_progress_iterations",
    ],
  ])("%s", async (_what, text, key) => {
    expect(await risks(text)).toEqual([`limit-that-cannot-fire safety.gates.stop.${key}`]);
  });

  test("a piece that may take longer than the loop", async () => {
    const text = safety("limits: {global: {max_seconds: 900}}").replace(
      "2.5}",
      "2.5, max_wall_clock_seconds: 600}",
    );
    expect(await risks(text)).toEqual(["limit-that-cannot-fire safety.limits.global.max_seconds"]);
  });

  test("an alert that comes after the end", async () => {
    expect(
      await risks(
        safety("alerts: [{id: a, metric: iterations, above: 10}, {id: b, metric: iterations, above: 9}]"),
      ),
    ).toEqual(["limit-that-cannot-fire safety.alerts[0].above"]);
  });
});

describe("providers and skills", () => {
  test("a variable that no shell replaces", async () => {
    expect(await risks(withLine("command: codex", 'command: codex, args: [-c, "key=$KEY"]'))).toEqual([
      "shell-variable-in-arguments execution.providers.providers[1].args[1]",
    ]);
  });

  test("arguments in the place of the program", async () => {
    expect(await risks(withLine("command: codex", 'command: "codex exec --json"'))).toEqual([
      "arguments-in-command execution.providers.providers[1].command",
    ]);
    expect(await risks(withLine("command: codex", 'command: "./my codex"'))).toEqual([]);
  });

  test.each([
    ["-sS", ["error-taken-for-an-answer execution.providers.providers[1].args"]],
    ["-fsS", []],
    ["--fail-with-body", []],
  ])("an error page that looks like an answer: curl %s", async (flag, expected) => {
    const text = withLine(
      "kind: codex, command: codex",
      `kind: openai, command: curl, cost_per_1k_tokens: 1, args: ["${flag}"]`,
    );
    expect(await risks(text)).toEqual(expected);
  });

  test("a tier that nobody serves", async () => {
    const text = piece("tier: strong").replaceAll("command: c", "tiers: [standard], command: c");
    expect(await risks(text)).toEqual(["fatal tier-nobody-serves execution.graph.nodes[0].tier"]);
  });

  test("skills that no person has looked at", async () => {
    const text = withLine(
      "execution:",
      "execution:",
      "  skills: {require_human_promotion: false, min_marketplace_stars: 0}",
    );
    expect(await risks(text)).toEqual([
      "skill-nobody-looked-at execution.skills.require_human_promotion",
      "skill-nobody-looked-at execution.skills.min_marketplace_stars",
    ]);
  });
});

describe("schedules that never fire, or fire otherwise than it looks", () => {
  const at = "execution.triggers.triggers[0]";
  test.each([
    [
      "a day that never comes",
      "on: {type: cron, expr: 0 0 30 2 *}",
      `trigger-that-never-fires ${at}.on.expr`,
    ],
    ["both day fields", "on: {type: cron, expr: 0 0 1 * 1}", `cron-either-day ${at}.on.expr`],
    ["a file outside", "on: {type: file_change, path: ../src}", `trigger-that-never-fires ${at}.on.path`],
    [
      "a loop's own files",
      "on: {type: file_change, path: state/x}",
      `trigger-that-never-fires ${at}.on.path`,
    ],
    [
      "the loop's own results",
      "on: {type: file_change, path: tidy-success/}",
      `trigger-that-never-fires ${at}.on.path`,
    ],
    ["its own goal", "on: {type: goal_satisfied, goal: green}", `trigger-on-own-goal ${at}.on.goal`],
    [
      "a key that swallows",
      "on: {type: interval, seconds: 60}, idempotency_key: k",
      `trigger-that-never-fires ${at}.idempotency_key`,
    ],
    [
      "all switched off",
      "on: {type: cron, expr: 0 0 * * *}, enabled: false",
      "trigger-that-never-fires execution.triggers.triggers",
    ],
  ])("%s", async (_what, more, expected) => {
    expect(await risks(trigger(more))).toEqual([expected]);
  });

  test.each([
    ["on: {type: cron, expr: 0 */2 * * 1-5, timezone: Europe/Berlin}"],
    ["on: {type: cron, expr: '@daily'}"],
    ["on: {type: goal_satisfied, goal: any, loop: other}"],
    ["on: {type: webhook, name: deploy}"],
    ["on: {type: file_change, path: src/}"],
  ])("nothing is wrong with %s", async (more) => {
    expect(await risks(trigger(more))).toEqual([]);
  });

  test.each([
    ["on: {type: cron, expr: 61 * * * *}", "expr: not a cron expression: invalid value for minute: 61"],
    ["on: {type: cron, expr: '* * * * * *'}", "expr: not a cron expression"],
    ["on: {type: cron, expr: '@daily', timezone: Mars/X}", 'timezone: no time zone "Mars/X"'],
    ["on: {type: interval, seconds: 0}", "seconds: must be at least 1"],
    ["on: {type: webhook, name: a/b}", "name: small letters"],
  ])("%s is refused, never silently not due", async (more, expected) => {
    const { findings } = await parseLoop(trigger(more), "loop.yaml");
    expect(findings).toMatchObject([
      { severity: "error", message: expect.stringContaining(`triggers[0].on.${expected}`) },
    ]);
  });
});
