import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { must } from "../../core/result.ts";
import { type RoomLab, type RoomLabOptions, roomLab, runIn } from "../../testing/room-lab.ts";

async function lab(options: RoomLabOptions = {}): Promise<RoomLab> {
  const made = await roomLab({ "a.txt": "a\n" }, options);
  onTestFinished(made.dispose);
  await made.freeze();
  return made;
}

test("a check meets the repository of the session's start with the judged files, whatever was committed since", async () => {
  const { folder, open } = await lab();
  folder.write({ "a.txt": "changed\n" });
  const room = must(await open("clean"));
  const ask = "git log --format=%s; git rev-parse --abbrev-ref HEAD; git diff --stat --exit-code";
  const before = runIn(room, ask);
  expect(before).toMatchObject({ exitCode: 1, output: expect.stringMatching(/^.+\nmain\n a.txt/) });
  runIn({ ...room, dir: folder.dir }, "git -c user.name=a -c user.email=a commit -qam sly; git tag sly");
  const later = must(await open("clean"));
  expect(runIn(later, ask)).toEqual(before);
  expect(runIn(later, "git tag").output).toBe("");
  must(await room.dispose());
  must(await later.dispose());
});

test("what a check does to the repository is undone for the next one, and is no change of what is judged", async () => {
  const { folder, open } = await lab();
  folder.write({ "a.txt": "changed\n" });
  const room = must(await open("clean"));
  const commit = "git add -A && git -c user.name=a -c user.email=a commit -qm sly";
  const sly = `${commit} && git config core.pager sly && chmod -R a-w .git`;
  expect(runIn(room, sly).exitCode).toBe(0);
  expect(must(await room.altered())).toEqual([]);
  expect(runIn(room, "git status --porcelain; git config core.pager").output).toBe("M a.txt");
  must(await room.dispose());
});

test("a history that was changed after the session's start is tampering", async () => {
  const { scratch, open } = await lab();
  writeFileSync(join(scratch, "frozen/history"), "{}");
  expect(await open("clean")).toMatchObject({ problem: { code: "tree-tampered" } });
});

test("checks are judged without a repository once the commit of the start is gone for good", async () => {
  const { folder, open } = await lab();
  const inFolder = { ...must(await open("clean")), dir: folder.dir };
  const gone = "git checkout -q --orphan other && git -c user.name=a -c user.email=a commit -qm new";
  const prune = "git branch -D main && git reflog expire --expire=all --all && git gc -q --prune=now";
  expect(runIn(inFolder, `${gone} && ${prune}`).exitCode).toBe(0);
  const room = must(await open("clean"));
  expect(runIn(room, "cat a.txt; git status").output).toContain("a\nfatal: not a git repository");
  expect(must(await room.altered())).toEqual([]);
  must(await inFolder.dispose());
  must(await room.dispose());
});

test("a plain folder's checks meet no repository", async () => {
  const { open } = await lab({ plainFolder: true });
  const room = must(await open("snapshot"));
  expect(runIn(room, "git status").output).toContain("not a git repository");
  must(await room.dispose());
});
