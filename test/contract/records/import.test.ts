import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCliLab } from "../../cli-lab.ts";
import { sharedData } from "../../golden/shared-data.ts";
import { aForeignRun, aSignal } from "./documents.ts";

type Row = Readonly<Record<string, unknown>>;
const filesOf = (json: Row): readonly Row[] => (json["files"] ?? []) as readonly Row[];
const runsOf = (json: Row): readonly Row[] => (json["runs"] ?? []) as readonly Row[];

describe("run import", () => {
  test("stores a foreign run, and lists what it came to", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    const done = await lab.run("run", "import", "a.ocp.json");
    expect(done).toMatchObject({ exit: 0, json: { imported: 1, new: 1, failed: 0, open: 0, next: null } });
    const listed = await lab.run("runs");
    expect(runsOf(listed.json)).toMatchObject([
      {
        run: "run_a",
        outcome: "accepted",
        state: "finished",
        origin: "imported",
        cost_usd: 0.31,
        unknown_costs: 0,
      },
    ]);
  });

  test("the same document again changes nothing, and outcomes added since survive", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    const late = await lab.run("outcome", "--run", "run_a", "--signal", "revert=abc1234", "--kind", "event");
    expect(late).toMatchObject({ exit: 0, json: { outcome: "rejected" } });
    const again = await lab.run("run", "import", "a.ocp.json");
    expect(again).toMatchObject({ exit: 0, json: { unchanged: 1, new: 0, replaced: 0 } });
    expect(runsOf((await lab.run("runs")).json)).toMatchObject([{ outcome: "rejected" }]);
  });

  test("other content under a known id is refused by name with the members that differ", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    const changed = aForeignRun(
      "run_a",
      { title: "other", workspace: "w" },
      { nodes: [{ id: "implement", kind: "task" }] },
    );
    lab.write("a.ocp.json", changed);
    const refused = await lab.run("run", "import", "a.ocp.json");
    expect(refused.exit).toBe(1);
    expect(filesOf(refused.json)).toMatchObject([
      {
        ok: false,
        run: "run_a",
        problem: {
          code: "run-differs",
          message: "run run_a is stored with other content: run.title, run.workspace, nodes",
        },
      },
    ]);
    expect(runsOf((await lab.run("runs")).json)).toMatchObject([{ title: "foreign work" }]);
  });

  test("a replacing import takes the new content and keeps outcomes added since", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    await lab.run("outcome", "--run", "run_a", "--signal", "incident=INC-1", "--kind", "event");
    lab.write("a.ocp.json", aForeignRun("run_a", { title: "other" }));
    const replaced = await lab.run("run", "import", "a.ocp.json", "--replace");
    expect(replaced).toMatchObject({ exit: 0, json: { replaced: 1 } });
    expect(runsOf((await lab.run("runs")).json)).toMatchObject([{ title: "other", outcome: "rejected" }]);
  });

  test("a replacing import is refused when it would overwrite an outcome", async () => {
    const lab = openCliLab();
    lab.write("a.ocp.json", aForeignRun("run_a"));
    await lab.run("run", "import", "a.ocp.json");
    lab.write("a.ocp.json", aForeignRun("run_a", { signals: [aSignal("sig_1", "tests", "fail")] }));
    const refused = await lab.run("run", "import", "a.ocp.json", "--replace");
    expect(filesOf(refused.json)).toMatchObject([
      { problem: { message: expect.stringContaining("overwrite the outcome tests (sig_1)") } },
    ]);
    expect(runsOf((await lab.run("runs")).json)).toMatchObject([{ outcome: "accepted" }]);
  });

  test("an open run is stored open and says how to close it; closing it keeps what came since", async () => {
    const lab = openCliLab();
    const { ended_at: _, ...open } = aForeignRun("run_a").run;
    lab.write("a.ocp.json", { ...aForeignRun("run_a"), run: open });
    const stored = await lab.run("run", "import", "a.ocp.json");
    expect(stored.json).toMatchObject({ open: 1, next: expect.stringContaining("--finish") });
    expect(runsOf((await lab.run("runs")).json)).toMatchObject([{ state: "open", outcome: "unknown" }]);
    await lab.run("outcome", "--run", "run_a", "--signal", "ci=fail");
    const closed = await lab.run("run", "import", "a.ocp.json", "--finish");
    expect(closed.json).toMatchObject({ replaced: 1, open: 0 });
    const shown = await lab.run("runs", "run_a");
    expect(runsOf(shown.json)).toMatchObject([
      {
        outcome: "accepted",
        document: { run: { ended_at: "2026-11-02T08:35:00Z", signals: [{ name: "tests" }, { name: "ci" }] } },
      },
    ]);
    expect((await lab.run("run", "import", "a.ocp.json")).json).toMatchObject({ unchanged: 1 });
  });

  test("a bad document does not stop the rest, and a missing file is not found", async () => {
    const lab = openCliLab();
    mkdirSync(lab.path("docs"));
    lab.write("docs/a.ocp.json", aForeignRun("run_a"));
    lab.write("docs/b.ocp.json", "{ not json");
    lab.write("docs/c.ocp.json", { ...aForeignRun("run_c"), nodes: null });
    lab.write("docs/other.json", aForeignRun("run_o"));
    const done = await lab.run("run", "import", "docs");
    expect(done).toMatchObject({ exit: 1, json: { imported: 1, failed: 2 } });
    expect(await lab.run("run", "import", "docs", "nowhere.json")).toMatchObject({
      exit: 2,
      json: { failed: 3 },
    });
  });

  test("promises of the producer that would forbid what is recorded later are lifted and remembered", async () => {
    const lab = openCliLab();
    const { signals: _, ...run } = aForeignRun("run_a").run;
    const { events: __, ...rest } = aForeignRun("run_a");
    const producer = { name: "somebody", capabilities: { signals: false, events: false, cost_usd: true } };
    lab.write("a.ocp.json", { ...rest, run, producer });
    expect((await lab.run("run", "import", "a.ocp.json")).exit).toBe(0);
    expect((await lab.run("outcome", "--run", "run_a", "--signal", "tests=pass")).exit).toBe(0);
    expect(runsOf((await lab.run("runs", "run_a")).json)).toMatchObject([
      {
        document: {
          run: { ext: { "dev.loopwright.import": { capabilities_false: ["events", "signals"] } } },
        },
      },
    ]);
    expect((await lab.run("run", "import", "a.ocp.json")).json).toMatchObject({ unchanged: 1 });
  });

  test("ids with odd characters import, export under escaped names inside the folder, and read back", async () => {
    const lab = openCliLab();
    const ids = ["a:b/c", "grüße 1", ".hidden", "run_ok-1", "x".repeat(196), "\u{1F600}".repeat(50)];
    for (const [index, id] of ids.entries()) lab.write(`${index}.ocp.json`, aForeignRun(id));
    expect((await lab.run("run", "import", ".")).json).toMatchObject({ imported: ids.length });
    expect(await lab.run("run", "export", "out")).toMatchObject({ exit: 0, json: { runs: ids.length } });
    const names = readdirSync(lab.path("out"));
    expect(names).toContain("a%3Ab%2Fc.ocp.json");
    expect(names).toContain("run_ok-1.ocp.json");
    expect(names).toContain("%2Ehidden.ocp.json");
    const exported = names.map(
      (name) => JSON.parse(readFileSync(join(lab.path("out"), name), "utf8")).run.id,
    );
    expect(exported.sort()).toEqual([...ids].sort());
  });

  test.each([
    ["deep nesting", `{"ocp":"0.3","ext":${"[".repeat(5000)}${"]".repeat(5000)}}`, "bad-json"],
    ["NaN", `{"ocp":"0.3","run":{"id":"a","x":NaN}}`, "bad-json"],
    ["Infinity", `{"ocp":"0.3","run":{"id":"a","x":1e999}}`, "bad-json"],
    ["a key written twice", twice(), "ocp-invalid"],
    ["a member __proto__", injected(`"__proto__":{"x":1}`), "ocp-invalid"],
    ["half a surrogate pair", injected(`"note":"\\ud800"`), "ocp-invalid"],
    ["half a surrogate pair in a key", injected(`"\\udc00":1`), "ocp-invalid"],
    ["an id that climbs", JSON.stringify(aForeignRun("../../evil")), "ocp-invalid"],
    ["an artifact path that climbs", JSON.stringify(climbing()), "ocp-invalid"],
    ["an unknown version", `{"ocp":"9.9"}`, "ocp-invalid"],
    ["a list", "[]", "ocp-invalid"],
    ["nothing", "", "bad-json"],
  ])("refuses %s with a problem and stores nothing", async (_what, text, code) => {
    const lab = openCliLab();
    lab.write("bad.ocp.json", text);
    const done = await lab.run("run", "import", "bad.ocp.json");
    expect(done.exit).toBe(1);
    expect(filesOf(done.json)).toMatchObject([{ ok: false, problem: { code } }]);
    expect(runsOf((await lab.run("runs")).json)).toEqual([]);
  });

  test("refuses bytes that are not UTF-8 and a file of 100 MB", async () => {
    const lab = openCliLab();
    writeFileSync(lab.path("latin.ocp.json"), Uint8Array.from([0x22, 0xe9, 0x22]));
    writeFileSync(lab.path("huge.ocp.json"), Buffer.alloc(100 * 1024 * 1024, 0x20));
    const done = await lab.run("run", "import", "latin.ocp.json", "huge.ocp.json");
    expect(filesOf(done.json)).toMatchObject([
      { problem: { code: "bad-json" } },
      { problem: { code: "bad-input" } },
    ]);
  });
});

function twice(): string {
  return JSON.stringify(aForeignRun("run_a")).replace(`"title":`, `"title":"first","title":`);
}
function injected(member: string): string {
  return JSON.stringify(aForeignRun("run_a", { ext: {} })).replace(`"ext":{`, `"ext":{${member}`);
}
function climbing() {
  const document = aForeignRun("run_a");
  return { ...document, artifacts: document.artifacts?.map((one) => ({ ...one, path: "../../etc/passwd" })) };
}

test("import, export and import again is the identity, whatever the documents say", async () => {
  const text = fc.string({ unit: "binary", maxLength: 20 }).filter((value) => !/\p{Surrogate}/u.test(value));
  const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/);
  const number = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(0.1),
  );
  const ext = fc.dictionary(
    word.map((key) => `dev.somebody.${key}`),
    fc.oneof(
      text,
      number,
      fc.boolean(),
      fc.array(fc.oneof(number, text), { maxLength: 3 }),
      fc.constant(null),
    ),
    { maxKeys: 3 },
  );
  const document = fc.record({
    title: text,
    labels: fc.dictionary(word, text, { maxKeys: 3 }),
    ext,
    usd: fc.double({ min: 0, max: 100, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (documents, pretty) => {
        const first = openCliLab();
        for (const [index, { title, labels, ext: extension, usd }] of documents.entries()) {
          const run = aForeignRun(`run/${index}`, { title, labels, ext: extension });
          const [attempt] = run.attempts ?? [];
          const priced = { ...run, attempts: attempt === undefined ? [] : [{ ...attempt, cost: { usd } }] };
          // A number written as 1.0 must come back as it was written.
          const written = JSON.stringify(priced, null, pretty ? 2 : 0).replace(
            /"version":\s?"1"/,
            '"odd":1.0,"version":"1"',
          );
          first.write(`${index}.ocp.json`, written);
        }
        expect((await first.run("run", "import", ".")).json).toMatchObject({ imported: documents.length });
        await first.run("run", "export", "out");
        expect((await first.run("run", "import", "out")).json).toMatchObject({ unchanged: documents.length });
        const second = openCliLab();
        await second.run("run", "import", first.path("out"));
        await second.run("run", "export", "out");
        const read = (folder: string) =>
          readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
        expect(read(second.path("out"))).toEqual(read(first.path("out")));
        const exported = read(first.path("out")).map(([, content]) => content);
        const original = documents.map((_, index) => readFileSync(first.path(`${index}.ocp.json`), "utf8"));
        expect([...exported].sort()).toEqual([...original].sort());
      },
    ),
    { numRuns: 15 },
  );
});

const corpus = sharedData("corpus/ocp");
test.skipIf(corpus === undefined)(
  "every published valid sample imports, from whatever version, and again without change",
  async () => {
    const lab = openCliLab();
    const names = readdirSync(corpus ?? "", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ocp.json") && !/-fail|broken|expected/.test(name))
      .map((name) => join(corpus ?? "", name));
    const done = await lab.run("run", "import", ...names, "--replace");
    expect(filesOf(done.json).filter((file) => file["ok"] === false)).toEqual([]);
    expect(done.exit).toBe(0);
  },
);
