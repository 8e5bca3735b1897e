import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { logPorts } from "../../../src/compose-logs.ts";
import { type SummaryScan, scanSummary } from "../../../src/logs/summary-scan.ts";
import { buildDatabase, type Tables } from "./build.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-orchestrators-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scan(name: string, place: string, tables: Tables): Promise<SummaryScan> {
  const dir = join(folder, name);
  const database = buildDatabase(join(dir, place), tables);
  const scanned = await scanSummary(
    logPorts(join(dir, "home"), name, false),
    { homeDir: dir, variables: {} },
    0,
  );
  database.close();
  return scanned;
}

const ORCA = "Library/Application Support/orca/orchestration.db";

function orca(states: readonly string[]): Tables {
  return {
    tasks: [
      { id: "t1", parent_id: null, spec: "secret" },
      { id: "t2", parent_id: "t1", spec: "secret" },
    ],
    dispatch_contexts: states.map((_, i) => ({ id: `d${i}`, run_id: "r1", task_id: i === 0 ? "t1" : "t2" })),
    worker_dispatches: states.map((state, i) => ({
      dispatch_id: `d${i}`,
      state,
      worktree_id: "w1",
      start_options: { agent: "codex", model: "asked", launch: { effective: { model: "gpt-5.6-sol" } } },
      created_at: `2026-08-27 00:0${i}:00`,
      updated_at: `2026-08-27 00:0${i}:30`,
    })),
  };
}

test("workers of orca are attempts at tasks, with what took effect and the parent task's worker", async () => {
  const { sessions, damaged } = await scan("orca", ORCA, orca(["succeeded", "failed", "start_unknown"]));
  expect(damaged.lines).toEqual([]);
  expect(sessions.map(({ id, parent, reported }) => [id, parent, reported?.task, reported?.state])).toEqual([
    ["d0", undefined, "t1", "done"],
    ["d1", "d0", "t2", "failed"],
    ["d2", "d0", "t2", "working"],
  ]);
  expect(sessions[0]).toMatchObject({
    firstAtMs: Date.parse("2026-08-27T00:00:00Z"),
    reported: { harness: "codex", model: "gpt-5.6-sol", run: "r1" },
  });
  expect(JSON.stringify(sessions)).not.toContain("secret");
});

test("a worker of orca in an unknown state is refused, and named", async () => {
  const { sessions, damaged } = await scan("orca-unknown", ORCA, orca(["ready", "levitating"]));
  expect(sessions.map(({ id }) => id)).toEqual(["d0"]);
  expect(damaged.lines).toMatchObject([{ reason: "worker d1 has an unknown state" }]);
});

test("threads of bb know their parent, their fork and the one agent session all their events name", async () => {
  const thread = {
    model_override: "gpt-5.6-sol",
    reasoning_level_override: "high",
    environment_id: "e1",
    created_at: 1_796_057_000_000,
    updated_at: 1_796_057_060_000,
    title: "secret",
  };
  const none = { parent_thread_id: null, source_thread_id: null, origin_kind: null };
  const { sessions, damaged } = await scan("bb", ".bb/bb.db", {
    threads: [
      { id: "a", ...thread, ...none },
      { id: "b", ...thread, ...none, parent_thread_id: "a" },
      { id: "c", ...thread, ...none, source_thread_id: "a", origin_kind: "fork" },
    ],
    environments: [{ id: "e1", path: "/home/dev/p" }],
    events: [
      { thread_id: "a", provider_thread_id: "s1" },
      { thread_id: "a", provider_thread_id: "s1" },
      { thread_id: "b", provider_thread_id: "s2" },
      { thread_id: "b", provider_thread_id: "s3" },
    ],
  });
  expect(damaged.lines).toEqual([]);
  expect(
    sessions.map(({ id, parent, forkedFrom, reported }) => [id, parent, forkedFrom, reported?.agentSession]),
  ).toEqual([
    ["a", undefined, undefined, "s1"],
    ["b", "a", undefined, undefined],
    ["c", undefined, "a", undefined],
  ]);
  expect(sessions[0]).toMatchObject({ cwd: "/home/dev/p", reported: { effort: "high" } });
  expect(JSON.stringify(sessions)).not.toContain("secret");
});

test("workspaces of atrium say when agents worked in them, and which one if it was one", async () => {
  const segment = (id: string, workspace: string, session: string | null) => ({
    id,
    workspace_id: workspace,
    adapter_session_id: session,
    started_at: "2026-08-14T10:00:00Z",
    ended_at: "2026-08-14T10:03:00Z",
  });
  const { sessions } = await scan("atrium", ".atrium/tasks.db", {
    task_run_segments: [
      segment("1", "w1", "s1"),
      segment("2", "w1", "s1"),
      segment("3", "w2", "s2"),
      segment("4", "w2", "s3"),
      segment("5", "w3", null),
    ],
  });
  expect(sessions.map(({ id, reported, lastAtMs }) => [id, reported?.agentSession, lastAtMs])).toEqual([
    ["w1", "s1", Date.parse("2026-08-14T10:03:00Z")],
    ["w2", undefined, Date.parse("2026-08-14T10:03:00Z")],
  ]);
});
