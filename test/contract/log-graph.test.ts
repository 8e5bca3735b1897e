import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { adapt } from "../../src/commands/adapt.ts";
import { graph } from "../../src/commands/graph.ts";
import type { Command, CommandInput, CommandOutput } from "../../src/commands/types.ts";
import { compose } from "../../src/compose.ts";
import type { JsonObject } from "../../src/core/canonical-json.ts";
import type { Result } from "../../src/core/result.ts";
import { migrateOcp, type OcpDocument, validateOcp } from "../../src/formats/ocp/index.ts";
import { assistant, usageOf } from "../../src/testing/claude-lines.ts";
import { meta, rolloutPath, threadId, tokens, turn } from "../../src/testing/codex-lines.ts";
import { bytesOf } from "../../src/testing/memory-logs.ts";
import { buildDatabase, type Tables } from "./databases/build.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-log-graph-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function machine(name: string, files: Readonly<Record<string, readonly unknown[]>> = {}) {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), bytesOf(lines));
  }
  const quiet = (): void => {};
  const context = compose({
    env: { HOME: home, PATH: process.env["PATH"] },
    cwd: home,
    home: join(home, "store"),
    version: "1.2.3",
    nodeVersion: process.version,
    yes: false,
    talk: quiet,
    emit: quiet,
    confirm: undefined,
    progress: undefined,
    onInterrupt: () => quiet,
  });
  const run = (command: Command, flags: CommandInput["flags"] = {}, args: readonly string[] = []) =>
    command.run(context, { flags, args });
  return { home, run };
}

function jsonOf(result: Result<CommandOutput>): JsonObject {
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.json;
}

function documentIn(json: JsonObject): OcpDocument {
  const text = String(json["text"]);
  expect(validateOcp(text).findings).toEqual([]);
  return JSON.parse(text);
}

const HOME = "/home/dev";
const usage = usageOf(1000, 500);

/** A session that has a plan written by a sub-agent and gives the work to Codex, which reads it. */
const WORK = {
  ".claude/projects/-p/lead.jsonl": [
    assistant({
      session: "lead",
      id: "m1",
      usage,
      at: "2026-11-01T10:00:00.000Z",
      content: [{ type: "tool_use", id: "call", name: "Task", input: {} }],
    }),
    assistant({
      session: "lead",
      id: "m2",
      usage,
      at: "2026-11-01T10:05:00.000Z",
      content: [{ type: "tool_use", id: "sh", name: "Bash", input: { command: "codex exec 'go'" } }],
    }),
    {
      type: "user",
      timestamp: "2026-11-01T10:20:00.000Z",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "sh", content: "" }] },
    },
  ],
  ".claude/projects/-p/lead/subagents/agent-x1.jsonl": [
    assistant({
      session: "lead",
      id: "m3",
      usage,
      at: "2026-11-01T10:01:00.000Z",
      content: [{ type: "tool_use", id: "w", name: "Write", input: { file_path: "/home/dev/p/plan.md" } }],
      more: { agentId: "x1", isSidechain: true },
    }),
  ],
  ".claude/projects/-p/lead/subagents/agent-x1.meta.json": [{ toolUseId: "call", agentType: "planner" }],
  [rolloutPath(1).replace(`${HOME}/`, "")]: [
    meta(1, {}, "2026-11-01T10:05:01.000Z"),
    { ...turn("gpt-5.6-sol"), timestamp: "2026-11-01T10:05:01.000Z" },
    {
      timestamp: "2026-11-01T10:06:00.000Z",
      type: "response_item",
      payload: {
        type: "function_call",
        call_id: "c",
        name: "exec_command",
        arguments: '{"cmd":"cat plan.md"}',
      },
    },
    tokens(undefined, { input: 100, output: 50 }, "2026-11-01T10:07:00.000Z"),
  ],
};
const SINCE = { since: "2026-10-01" };
const THREAD = threadId(1);

test("a graph names the sub-agent, the launched agent and the file between them, each with how it is known", async () => {
  const { run } = machine("graph", WORK);
  const json = jsonOf(await run(graph, SINCE));
  expect(json["edges"]).toMatchObject([
    { from: "lead", to: THREAD, kind: "launch", tier: "heuristic", lag_s: 1 },
    { from: "lead", to: "lead/x1", kind: "spawn", tier: "verified" },
    { from: "lead/x1", to: THREAD, kind: "artifact", tier: "heuristic", path: "/home/dev/p/plan.md" },
  ]);
  expect(json["nodes"]).toMatchObject([
    { id: "lead", role: "lead" },
    { id: "lead/x1", role: "planner", role_tier: "reported", first_at: "2026-11-01T10:01:00.000Z" },
    { id: THREAD, role: "cli" },
  ]);
});

test("a graph as a run document passes every rule and shows the workflow of its sessions", async () => {
  const { run } = machine("ocp", WORK);
  const {
    producer,
    run: told,
    nodes,
    attempts,
    edges,
    artifacts,
  } = documentIn(jsonOf(await run(graph, { ...SINCE, format: "ocp" })));
  expect(producer.name).toBe("loopwright/graph");
  expect(told.configuration).toMatchObject({ source: "habit", shape: "plan_implement" });
  expect(nodes.map(({ vertex }) => vertex)).toEqual(["plan", "plan", "implement"]);
  expect(attempts?.map(({ session, cost }) => [session, cost?.usd !== undefined])).toEqual([
    ["lead", true],
    [undefined, true],
    [THREAD, true],
  ]);
  expect(attempts?.[2]?.origin).toMatchObject({ launched_by: "lead.a1", tier: "heuristic" });
  expect(edges?.map(({ kind }) => kind)).toEqual(["launch", "spawn", "artifact"]);
  expect(artifacts).toMatchObject([{ path: "plan.md", kind: { value: "plan" }, n_writes: 1, n_reads: 1 }]);
});

test("a graph as a contract file keeps tasks, attempts and times through the way back", async () => {
  const { run } = machine("contract", WORK);
  const json = jsonOf(await run(graph, { ...SINCE, format: "run" }));
  const back = migrateOcp(String(json["text"]));
  const document: OcpDocument = JSON.parse(back.ok ? back.value.text : "{}");
  expect(back).toMatchObject({ value: { from: "contract" } });
  expect(document.attempts?.map(({ id, model, started_at }) => [id, model?.raw, started_at])).toEqual([
    ["lead.a1", "claude-opus-5-5", "2026-11-01T10:00:00.000Z"],
    ["lead/x1.a1", "claude-opus-5-5", "2026-11-01T10:01:00.000Z"],
    [`${THREAD}.a1`, "gpt-5.6-sol", "2026-11-01T10:05:01.000Z"],
  ]);
});

test("logs that are named are read instead of the agents' own places, and a name without logs is refused", async () => {
  const { home, run } = machine("named", WORK);
  const other = join(home, "elsewhere.jsonl");
  writeFileSync(other, bytesOf([assistant({ session: "elsewhere", id: "e", usage })]));
  const json = jsonOf(await run(graph, { logs: ["elsewhere.jsonl"] }));
  expect(json["nodes"]).toMatchObject([{ id: "elsewhere" }]);
  expect(await run(graph, { logs: ["nowhere"] })).toMatchObject({ problem: { code: "no-such-file" } });
});

const OPENCODE: Tables = JSON.parse(
  readFileSync(new URL("databases/opencode.json", import.meta.url), "utf8"),
);

function withOpencode(name: string) {
  const made = machine(name);
  const { session = [], message = [], part = [] } = OPENCODE;
  const path = join(made.home, ".local/share/opencode/opencode.db");
  buildDatabase(path, { session, message, part }).close();
  return made;
}

test("an adapter writes one document of all its agent's sessions, with what they spent and who spawned whom", async () => {
  const { home, run } = withOpencode("adapt");
  const json = jsonOf(await run(adapt, { out: "deep/run.ocp.json" }, ["opencode"]));
  expect(json).toMatchObject({ sessions: 7, undecided: [], out: "deep/run.ocp.json" });
  const text = readFileSync(join(home, "deep/run.ocp.json"), "utf8");
  const document = documentIn({ text });
  expect(document.producer.name).toBe("loopwright/adapter-opencode");
  expect(document.edges?.map(({ kind, tier, ext }) => [kind, tier, ext !== undefined])).toEqual([
    ["spawn", "verified", false],
    ["spawn", "verified", true],
  ]);
  expect(document.attempts?.[1]?.cost).toMatchObject({ input_tokens: 16, output_tokens: 367, requests: 2 });
});

test("an adapter's document is the same every time but for its moment", async () => {
  const { run } = withOpencode("same");
  const [one, two] = [await run(adapt, {}, ["opencode"]), await run(adapt, {}, ["opencode"])].map((result) =>
    String(jsonOf(result)["text"]).replace(/"emitted_at": "[^"]*"/, ""),
  );
  expect(one).toBe(two);
});

test("filters of an adapter are inclusive, and the limit keeps the latest", async () => {
  const { run } = withOpencode("filters");
  const starts = (OPENCODE["session"] ?? []).map((row) =>
    new Date(Number(row["time_created"])).toISOString(),
  );
  const of = async (flags: CommandInput["flags"]): Promise<unknown> =>
    jsonOf(await run(adapt, flags, ["opencode"]))["sessions"];
  expect(await of({ since: starts[1] ?? "", until: starts[1] ?? "" })).toBe(1);
  expect(await of({ limit: 3 })).toBe(3);
  expect(await of({ project: ["/home/dev/p"] })).toBe(7);
});

test("an adapter that finds nothing writes nothing and fails", async () => {
  const { home, run } = machine("nothing");
  const result = await run(adapt, { out: "run.json" }, ["codex"]);
  expect(result).toMatchObject({ problem: { code: "no-such-session" } });
  expect(existsSync(join(home, "run.json"))).toBe(false);
  expect(await run(adapt, {}, ["langgraph"])).toMatchObject({ problem: { code: "bad-input" } });
});

test("an adapter refuses a folder as its output, and a store that is not there", async () => {
  const { home, run } = withOpencode("refused");
  mkdirSync(join(home, "taken"));
  expect((await run(adapt, { out: "taken" }, ["opencode"])).ok).toBe(false);
  expect(await run(adapt, { store: ["gone.db"] }, ["opencode"])).toMatchObject({
    problem: { code: "no-such-file" },
  });
});

test("a run document goes through the graph whole, and is shown without any log", async () => {
  const { run, home } = machine("document", WORK);
  const made = documentIn(jsonOf(await run(graph, { ...SINCE, format: "ocp" })));
  const kept = {
    ...made,
    producer: { ...made.producer, capabilities: { ...made.producer.capabilities, events: true } },
    run: { ...made.run, ext: { "org.example.note": { kept: [1, 2.5] } } },
    events: [{ at: "2026-11-01T10:00:00.000Z", type: "note", detail: "begun" }],
  };
  writeFileSync(join(home, "run.ocp.json"), JSON.stringify(kept));
  const nothing = machine("no-logs");
  const ocp = [join(home, "run.ocp.json")];
  expect(documentIn(jsonOf(await nothing.run(graph, { ocp, format: "ocp" })))).toEqual(kept);
  expect(jsonOf(await nothing.run(graph, { ocp }))).toMatchObject({
    nodes: [{ id: "lead.a1", role: "lead" }, { id: "lead/x1.a1", role: "planner" }, {}],
    edges: [
      { from: "lead.a1", to: `${THREAD}.a1`, kind: "launch", tier: "heuristic" },
      { from: "lead.a1", to: "lead/x1.a1", kind: "spawn", tier: "verified" },
      { from: "lead/x1.a1", to: `${THREAD}.a1`, kind: "artifact" },
    ],
  });
  expect(await nothing.run(graph, { ocp, session: "lead" })).toMatchObject({ problem: { code: "bad-flag" } });
  expect(await nothing.run(graph, { ocp: [join(home, "none.json")] })).toMatchObject({
    problem: { code: "no-such-file" },
  });
});
