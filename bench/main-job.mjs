// The main job's own cost: attempts, tree hashes, ledger, cold start.  node bench/main-job.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beyondBareNode, folder, load, machine, median, PROGRAM, report, unload } from "./lib.mjs";

machine();
await attempts();
await treeHashes();
await ledger();
coldStart();
await unload();

function repository(path, files) {
  mkdirSync(path, { recursive: true });
  for (let index = 0; index < files; index += 1) {
    const dir = join(path, `d${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `f${index}.txt`), `content of file ${index}\n`.repeat(1 + (index % 20)));
  }
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@example.org", ...args], { cwd: path });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "bench");
}

/** From the order of an attempt to its end in the ledger, without the child, the tree hashes and the gate. */
async function attempts() {
  const { path, remove } = folder();
  const repo = join(path, "repo");
  repository(repo, 20);
  const { enginePorts } = await load("src/compose-engine.ts");
  const { openStore } = await load("src/adapters/store-sqlite/index.ts");
  const { systemClock } = await load("src/adapters/system/clock.ts");
  const { prepareSession, startSession } = await load("src/run/start.ts");
  const { DEFAULT_LIMITS } = await load("src/run/defaults.ts");
  const home = join(path, "home");
  const opened = await openStore(home, systemClock, {});
  const host = { env: process.env, version: "bench", talk: () => undefined };
  const ports = await enginePorts({
    process: host,
    home,
    store: opened.value.store,
    queue: opened.value.queue,
    host: hostname(),
    point: () => undefined,
  });
  let hashing = 0;
  const timed = (workspace) =>
    new Proxy(workspace, {
      get(target, key) {
        const value = target[key];
        if (typeof value !== "function" || !["snapshot", "diff", "facts"].includes(key)) return value;
        return async (...args) => {
          const started = performance.now();
          const result = await value.apply(target, args);
          hashing = Math.max(hashing, 0) + performance.now() - started;
          return result;
        };
      },
    });
  const workspaces = {
    ...ports.workspaces,
    open: async (...args) => {
      const made = await ports.workspaces.open(...args);
      return made.ok ? { ok: true, value: timed(made.value) } : made;
    },
  };
  const samples = [];
  let begun;
  const onProgress = (progress) => {
    if (progress.kind !== "event") return;
    const { event } = progress;
    if (event.type === "attempt:dispatched") begun = { at: performance.now(), hashing };
    if (event.type === "attempt:ended") {
      const spent = performance.now() - begun.at;
      samples.push(spent - event.data.durationMs - (hashing - begun.hashing));
    }
  };
  const iterations = 30;
  const request = {
    dir: repo,
    checks: [
      {
        name: "never",
        target: "goal",
        statement: "never",
        blocking: true,
        timeoutMs: 60_000,
        detector: { type: "file_exists", path: "never", nonEmpty: false },
      },
    ],
    level: "in-place",
    guard: false,
    flakyRetries: 0,
    protection: { protect: [], unprotect: [], allowTests: false },
    spec: {
      kind: "go",
      title: "bench",
      goals: [{ name: "goal", description: "bench" }],
      sessionWorktree: false,
      providers: [{ kind: "command", id: "noop", argv: ["/bin/true"], promptOnStdin: true }],
      pieces: [
        {
          kind: "agent",
          id: "implement",
          role: "implementer",
          dependsOn: [],
          instruction: "x",
          goals: ["goal"],
          provider: "noop",
          tier: "standard",
          isolation: "none",
          permission: "edit",
          join: { strategy: "wait_for_all" },
        },
        {
          kind: "gate",
          id: "check",
          dependsOn: ["implement"],
          onFail: { sendBack: ["implement"], rounds: 1e9 },
        },
      ],
      limits: { ...DEFAULT_LIMITS, maxIterations: iterations, noProgressIterations: 0 },
      approvals: [],
      delivery: { kind: "leave" },
      allowUnknownCost: false,
      ifNeeded: false,
      rules: [],
      forbiddenPaths: [],
    },
  };
  const wired = { ...ports, workspaces };
  const prepared = await prepareSession(wired, request);
  if (!prepared.ok) throw new Error(prepared.problem.message);
  await startSession(wired, { waitWhenParked: false, onProgress }, prepared.value);
  await opened.value.store.close();
  report(`attempt overhead beyond the child, median of ${samples.length}`, median(samples), "ms", 25);
  remove();
}

async function treeHashes() {
  const { createWorkspaceProvider } = await load("src/adapters/git/index.ts");
  for (const [files, target] of [
    [500, 25],
    [50_000, 400],
  ]) {
    const { path, remove } = folder();
    const repo = join(path, "repo");
    repository(repo, files);
    const workspace = await createWorkspaceProvider({ environment: process.env }).open(
      repo,
      join(path, "store"),
    );
    const first = performance.now();
    await workspace.value.snapshot();
    const cold = performance.now() - first;
    // Files that changed in the second of their hashing are hashed again once: that is not the unchanged case.
    await new Promise((done) => setTimeout(done, 1500));
    await workspace.value.snapshot();
    const samples = [];
    for (let round = 0; round < 9; round += 1) {
      const started = performance.now();
      await workspace.value.snapshot();
      samples.push(performance.now() - started);
    }
    report(
      `tree hash of ${files} unchanged files (first: ${cold.toFixed(0)} ms)`,
      median(samples),
      "ms",
      target,
    );
    remove();
  }
}

async function ledger() {
  const { openStore } = await load("src/adapters/store-sqlite/index.ts");
  const { systemClock } = await load("src/adapters/system/clock.ts");
  const { makeId } = await load("src/core/ids.ts");
  const { path, remove } = folder();
  const opened = await openStore(join(path, "home"), systemClock, {});
  const { store } = opened.value;
  const holder = {
    pid: process.pid,
    host: "bench",
    bootId: "b",
    startTicks: "1",
    since: new Date().toISOString(),
  };
  const at = new Date().toISOString();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const summary = { title: "bench", state: "running", projection: {} };
  const sessions = [];
  for (let index = 0; index < 10; index += 1) {
    const id = makeId("session", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
    const made = await store.createSession(id, path, [{ type: "bench:event", at, data: {} }], summary, {
      owner: "bench",
      expiresAt,
      holder,
    });
    sessions.push({ id, fence: made.value.lease.fence, head: made.value.summary.head });
  }
  const started = performance.now();
  await Promise.all(
    sessions.map(async (session) => {
      for (let batch = 0; batch < 10; batch += 1) {
        const events = Array.from({ length: 10 }, (_, index) => ({
          type: "bench:event",
          at,
          data: { batch, index, text: "x".repeat(200) },
        }));
        const written = await store.append({
          session: session.id,
          fence: session.fence,
          expectedHead: session.head,
          events,
          summary,
        });
        session.head = written.value.head;
      }
    }),
  );
  report("1,000 ledger events, 10 writers, batches of 10, durable", performance.now() - started, "ms", 1000);
  await store.close();
  remove();
}

function coldStart() {
  const { path, remove } = folder();
  const repo = join(path, "repo");
  repository(repo, 20);
  const env = { ...process.env, LOOPWRIGHT_HOME: join(path, "home"), NO_COLOR: "1" };
  const options = { cwd: repo, env };
  execFileSync(
    process.execPath,
    [
      PROGRAM,
      "go",
      "make it",
      "--check",
      "test -e made",
      "--provider",
      "command:touch made",
      "--quiet",
      "--json",
    ],
    { ...options, stdio: "ignore" },
  );
  for (const args of [["status"], ["runs"], ["--help"]]) {
    const { bare, ours, beyond } = beyondBareNode(args, options);
    report(
      `cold \`${args.join(" ")}\` beyond bare node (${ours.toFixed(0)} against ${bare.toFixed(0)} ms)`,
      beyond,
      "ms",
      40,
    );
  }
  remove();
}
