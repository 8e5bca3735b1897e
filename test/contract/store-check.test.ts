import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDriver } from "../../src/adapters/store-sqlite/driver.ts";
import { must } from "../../src/core/result.ts";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/** A store with one session in it. */
async function aLab(): Promise<CliLab> {
  const lab = openCliLab();
  lab.write(".gitignore", "home/\n");
  lab.write("agent.sh", "cat > /dev/null; echo x > made.txt\n");
  commitAll(lab.dir);
  const done = await lab.run(
    "go",
    "make it",
    "--check",
    "test -e made.txt",
    "--provider",
    "command:sh agent.sh",
  );
  expect(done.exit, done.stderr).toBe(0);
  return lab;
}

function change(lab: CliLab, sql: string): void {
  const db = must(loadDriver())(join(lab.home, "loopwright.db"));
  db.exec(sql);
  db.close();
}

test("a store that nobody touched is sound, and one that is not there too", async () => {
  expect((await openCliLab().run("store", "check")).json).toMatchObject({ sound: true, sessions: 0 });
  const { exit, json } = await (await aLab()).run("store", "check");
  expect({ exit, json }).toMatchObject({ exit: 0, json: { sound: true, sessions: 1, problems: [] } });
});

test("a blob whose bytes changed is named", async () => {
  const lab = await aLab();
  const folder = join(lab.home, "blobs");
  const [start = ""] = readdirSync(folder);
  const [rest = ""] = readdirSync(join(folder, start));
  writeFileSync(join(folder, start, rest), "something else");
  const { exit, json } = await lab.run("store", "check");
  expect({ exit, json }).toMatchObject({ exit: 12, json: { sound: false, problems: [{ session: null }] } });
  expect(JSON.stringify(json)).toContain(`${start}${rest}`);
});

test.each([
  [
    "an event that was rewritten",
    "UPDATE events SET data = replace(data, 'make it', 'made it') WHERE seq = 1",
  ],
  [
    "a state that its events do not come to",
    `UPDATE sessions SET projection = replace(projection, '"iteration":1', '"iteration":2')`,
  ],
])("%s is named with its session", async (_what, sql) => {
  const lab = await aLab();
  change(lab, sql);
  const { exit, json } = await lab.run("store", "check");
  expect({ exit, json }).toMatchObject({
    exit: 12,
    json: { sound: false, problems: [{ session: expect.stringMatching(/^ses_/) }] },
  });
});
