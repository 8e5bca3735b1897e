import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Finished, type Lab, openLab } from "../../lab.ts";
import { ANSWER } from "./projects.ts";

const DRIVER = driver();
if (DRIVER === undefined)
  process.stderr.write("\nSKIPPED for lack of a database driver: tricks on our database\n");

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

/**
 * An agent that opens our database as soon as the ledger knows of it. `link` makes the next event of the chain, with
 * the right hash; `retell` gives the whole chain new hashes after its events were changed.
 */
function forger(at: Lab, deed: string): string {
  return `
import { createHash } from "node:crypto";
import { rmSync, truncateSync } from "node:fs";
import * as sqlite from ${JSON.stringify(DRIVER)};
const file = ${JSON.stringify(join(at.home, "loopwright.db"))};
const db = new (sqlite.DatabaseSync ?? sqlite.default.DatabaseSync)(file);
db.exec("PRAGMA busy_timeout = 10000");
const all = (sql, ...values) => db.prepare(sql).all(...values);
const run = (sql, ...values) => db.prepare(sql).run(...values);
while (!all("SELECT type FROM events").some((row) => row.type === "attempt:spawned")) {
  await new Promise((resume) => setTimeout(resume, 20));
}
const canonical = (value) =>
  Array.isArray(value)
    ? "[" + value.map(canonical).join(",") + "]"
    : typeof value === "object" && value !== null
      ? "{" + Object.keys(value).sort().map((key) => JSON.stringify(key) + ":" + canonical(value[key])).join(",") + "}"
      : JSON.stringify(value);
const hashOf = ({ session, seq, type, at, data, prev }) =>
  createHash("sha256").update(prev + canonical({ session, seq, type, at, data: JSON.parse(data), prev })).digest("hex");
const chain = () => all("SELECT * FROM events ORDER BY seq");
const insert = (event) => {
  const hash = hashOf(event);
  const { session, seq, type, at, data, prev } = event;
  run("INSERT INTO events (session, seq, type, at, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)", session, seq, type, at, data, prev, hash);
  return { ...event, hash };
};
const link = (type, data) => {
  const last = chain().at(-1);
  return insert({ session: last.session, seq: last.seq + 1, type, at: last.at, data: canonical(data), prev: last.hash });
};
const setHead = ({ seq, hash }) => run("UPDATE sessions SET head_seq = ?, head_hash = ?", seq, hash);
const retell = (change) => {
  let prev = "0".repeat(64);
  for (const event of chain()) {
    const told = { ...change(event), prev };
    prev = hashOf(told);
    run("UPDATE events SET data = ?, prev = ?, hash = ? WHERE seq = ?", told.data, told.prev, prev, told.seq);
  }
  return prev;
};
const satisfiedState = () => {
  const [{ projection }] = all("SELECT projection FROM sessions");
  const state = { ...JSON.parse(projection), satisfied: true, verdictNow: "satisfied", lifecycle: "closed", outcome: "succeeded" };
  run("UPDATE sessions SET state = 'closed', outcome = 'succeeded', projection = ?", canonical(state));
};
const weaker = (event) => ({ ...event, data: event.data.replaceAll("sh test/check.sh", "true") });
const tree = JSON.parse(chain().find((event) => event.type === "baseline:recorded").data).baseline.tree;
${deed}
db.close();
`;
}

async function forge(deed: string): Promise<{ readonly at: Lab; readonly done: Finished }> {
  const at = openLab(ANSWER.files);
  lab = at;
  const flags = ["--provider", at.nodeAgent(forger(at, deed)), "--max-iterations", "1", "--json"];
  const done = await at.run(["go", "make the check pass", "--check", ANSWER.check, ...flags]);
  return { at, done };
}

const TAMPERED = { ok: false, exit: 12, problem: { code: "tampering" } };

const APPENDED = [
  {
    how: "a verdict with the right hash, with head and state brought up to date",
    deed: `setHead(link("goal:satisfied", { tree, iteration: 1 })); satisfiedState();`,
  },
  {
    how: "a verdict with the right hash, behind the back of the head",
    deed: `link("goal:satisfied", { tree, iteration: 1 });`,
  },
  {
    how: "a whole chain with other checks, told anew",
    deed: `const hash = retell(weaker); setHead({ seq: chain().length, hash });`,
  },
];

describe.skipIf(DRIVER === undefined)("an agent that writes into our database", () => {
  test.each(APPENDED)("is reported as tampering when it writes $how", async ({ deed }) => {
    const { at, done } = await forge(deed);
    expect(done.exit, done.stdout + done.stderr).toBe(12);
    expect(done.json()).toMatchObject(TAMPERED);
    const verified = await at.run(["ledger", "verify", "--json"]);
    expect(verified.exit, verified.stdout).toBe(12);
    const status = await at.run(["status", "--json"]);
    expect(status.json()).toMatchObject({ satisfied: false });
  });

  test("gains nothing by changing the frozen checks in an old event, and the chain shows it", async () => {
    const { at, done } = await forge(
      `const [first] = chain(); run("UPDATE events SET data = ? WHERE seq = 1", weaker(first).data);`,
    );
    expect(done.exit).toBe(10);
    expect(done.json()).toMatchObject({ satisfied: false });
    const verified = await at.run(["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: false, problem: { code: "chain-broken" } });
    const resumed = await at.run(["loop", "resume", "--max-iterations", "2", "--json"]);
    expect(resumed.json()).toMatchObject({ ok: false, problem: { code: "chain-broken" } });
  });

  test("gains nothing by changing the state alone, and the walk shows it", async () => {
    const { at, done } = await forge("satisfiedState();");
    expect(done.exit).toBe(10);
    expect((await at.run(["status", "--json"])).json()).toMatchObject({ satisfied: false });
  });

  test("gains nothing by approving its own question before it is asked", async () => {
    const { done } = await forge(
      `const [{ session, at: when }] = chain();
       run("INSERT INTO commands (id, session, position, kind, payload, at) VALUES ('cmd_01ARZ3NDEKTSV4RRFFQ69G5FAV', ?, 1, 'approve', ?, ?)", session, '{"by":"a person"}', when);`,
    );
    expect(done.exit).toBe(10);
    expect(done.json()).toMatchObject({ satisfied: false });
  });

  test.each([
    {
      how: "removes it",
      deed: `for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });`,
    },
    { how: "empties its tables", deed: `run("DELETE FROM events"); run("DELETE FROM sessions");` },
  ])("is never taken for done when it $how", async ({ deed }) => {
    const { done } = await forge(deed);
    expect([10, 12], done.stdout + done.stderr).toContain(done.exit);
  });
});

/** What the agent imports: the package, or Node's own where there is none. */
function driver(): string | undefined {
  const require = createRequire(import.meta.url);
  for (const name of ["@photostructure/sqlite", "node:sqlite"]) {
    try {
      const found = require.resolve(name);
      require(found);
      return found;
    } catch {
      // The next one may be there.
    }
  }
  return undefined;
}
