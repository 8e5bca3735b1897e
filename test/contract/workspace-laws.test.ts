import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import type { InlineFile } from "../../src/testing/inline-repo.ts";
import { aWorkspace, KINDS, tempFolder } from "./workspace-fixture.ts";

type State = Readonly<Record<string, InlineFile>>;

/** Names that get in each other's way: a file in one state is a folder in another. */
const PATH = fc.constantFrom("a", "a/b", "a/b/c", "d", "d/é \n", "-x", "e.txt", "f/g.ts");
const FILE: fc.Arbitrary<InlineFile> = fc.oneof(
  fc.constantFrom("", "one\n", "two\n", "crlf\r\n"),
  fc.uint8Array({ maxLength: 8 }),
  fc.constantFrom("a", "../up", "/etc").map((link) => ({ link })),
  fc.constantFrom("", "one\n").map((executable) => ({ executable })),
);
const STATE: fc.Arbitrary<State> = fc
  .uniqueArray(fc.tuple(PATH, FILE), { selector: ([path]) => path, maxLength: 6 })
  .map((items) => Object.fromEntries(withoutObstacles(items)));

function withoutObstacles(
  items: readonly (readonly [string, InlineFile])[],
): (readonly [string, InlineFile])[] {
  const paths = items.map(([path]) => path);
  return items.filter(([path]) => !paths.some((other) => path.startsWith(`${other}/`)));
}

/** Equal texts stand for equal content, so states can be compared. */
function textOf(state: State): string {
  return JSON.stringify(
    Object.entries(state)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, file]) => [
        path,
        typeof file === "string" || file instanceof Uint8Array ? Buffer.from(file).toString("hex") : file,
      ]),
  );
}

describe.each(KINDS)("trees of kind %s", (kind) => {
  test("equal states have equal trees, different states different ones, and each comes back as it was", async () => {
    const { files, snapshot, workspace } = await aWorkspace(kind, {});
    const dir = tempFolder();
    const trees = new Map<string, string>();
    let last: { readonly state: State; readonly tree: Awaited<ReturnType<typeof snapshot>> } | undefined;
    let round = 0;
    await fc.assert(
      fc.asyncProperty(STATE, async (state) => {
        for (const path of ["a", "d", "-x", "e.txt", "f"]) files.remove(path);
        files.write(state);
        const tree = await snapshot();

        const known = trees.get(textOf(state));
        if (known !== undefined) expect(tree).toBe(known);
        else expect([...trees.values()]).not.toContain(tree);
        trees.set(textOf(state), tree);

        round += 1;
        const out = join(dir, String(round));
        must(await workspace.materialise(tree, out));
        expect(must(await workspace.verify(tree, out, true))).toEqual([]);

        const from = last?.tree ?? tree;
        expect(must(await workspace.update(out, tree, from))).toEqual([]);
        expect(must(await workspace.verify(from, out, true))).toEqual([]);
        expect(must(await workspace.diff(from, tree)).length === 0).toBe(from === tree);
        last = { state, tree };
      }),
      { numRuns: kind === "git" ? 12 : 40 },
    );
  });

  test("restoring everything from a tree gives that tree", async () => {
    const { files, snapshot, workspace } = await aWorkspace(kind, {});
    await fc.assert(
      fc.asyncProperty(STATE, STATE, async (base, found) => {
        const trees = [];
        for (const state of [base, found]) {
          for (const path of ["a", "d", "-x", "e.txt", "f"]) files.remove(path);
          files.write(state);
          trees.push(await snapshot());
        }
        const [before, after] = trees;
        if (before === undefined || after === undefined) throw new Error("two trees were taken");
        const paths = must(await workspace.diff(before, after)).map((change) => change.path);
        const edit = { restore: { from: before, paths }, omit: [], replace: [] };
        expect(must(await workspace.compose(after, edit))).toBe(before);
      }),
      { numRuns: kind === "git" ? 6 : 30 },
    );
  });
});
