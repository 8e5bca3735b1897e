import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogChunks, LogListing, LogTree } from "../../ports/log-source.ts";
import { logFiles } from "./index.ts";
import { decompressedHere } from "./read.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "loopwright-logs-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const source = logFiles();
const everything = (dir: string): LogTree => ({ root: dir, wants: () => true });

async function put(path: string, content: string | Uint8Array = "x"): Promise<string> {
  const full = join(root, path);
  await mkdir(join(full, ".."), { recursive: true });
  await writeFile(full, content);
  return full;
}

function names(listing: LogListing): string[] {
  return listing.files.map((file) => relative(root, file.path));
}

async function textOf(chunks: LogChunks): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(Uint8Array.from(chunk)));
  return Buffer.concat(parts).toString();
}

test("files are listed below every root, sorted by path, and a missing root is no problem", async () => {
  await put("b/two.jsonl");
  await put("a/deep/one.jsonl");
  const listing = await source.list([
    everything(join(root, "b")),
    everything(join(root, "a")),
    everything(join(root, "no")),
  ]);
  expect(names(listing)).toEqual(["a/deep/one.jsonl", "b/two.jsonl"]);
  expect(listing.problems).toEqual([]);
});

test("a folder that is not wanted is not entered", async () => {
  await put("keep/a.jsonl");
  await put("drop/b.jsonl");
  const wants = (path: string): boolean => !path.startsWith("drop");
  expect(names(await source.list([{ root, wants }]))).toEqual(["keep/a.jsonl"]);
});

test("a file counts once however many links lead to it, under its own place", async () => {
  const file = await put("z/real.jsonl");
  await put("a/other.jsonl");
  await symlink(file, join(root, "a/link.jsonl"));
  await symlink(join(root, "z"), join(root, "a/folder"));
  await link(file, join(root, "z/hard.jsonl"));
  expect(names(await source.list([everything(root), everything(join(root, "a"))]))).toEqual([
    "a/other.jsonl",
    "z/hard.jsonl",
  ]);
});

test("a circle of links ends", async () => {
  await put("a/one.jsonl");
  await symlink(root, join(root, "a/up"));
  expect(names(await source.list([everything(root)]))).toEqual(["a/one.jsonl"]);
});

test("a broken link is reported and the rest is listed", async () => {
  await put("one.jsonl");
  await symlink(join(root, "gone"), join(root, "two.jsonl"));
  const listing = await source.list([everything(root)]);
  expect(names(listing)).toEqual(["one.jsonl"]);
  expect(listing.problems).toEqual([{ path: join(root, "two.jsonl"), reason: "ENOENT" }]);
});

test.skipIf(process.getuid?.() === 0)("an unreadable folder is reported and the rest is listed", async () => {
  await put("one.jsonl");
  await put("locked/two.jsonl");
  await chmod(join(root, "locked"), 0o000);
  const listing = await source.list([everything(root)]);
  await chmod(join(root, "locked"), 0o700);
  expect(names(listing)).toEqual(["one.jsonl"]);
  expect(listing.problems).toEqual([{ path: join(root, "locked"), reason: "EACCES" }]);
});

test("size and identity of a file tell it from one put in its place", async () => {
  const path = await put("a.jsonl", "12345");
  const [before] = (await source.list([everything(root)])).files;
  await writeFile(join(root, "new"), "123456");
  await rm(path);
  await writeFile(path, "123456");
  const after = (await source.list([everything(root)])).files.find((file) => file.path === path);
  expect([before?.sizeBytes, after?.sizeBytes]).toEqual([5, 6]);
  expect([before?.device, after?.device]).not.toContain("");
});

test("a file is read in order from the given byte", async () => {
  const content = "0123456789".repeat(300_000);
  const path = await put("a.jsonl", content);
  expect(await textOf(source.read({ path }, 0))).toBe(content);
  expect(await textOf(source.read({ path }, 2_999_995))).toBe("56789");
  expect(await textOf(source.read({ path }, 9_999_999))).toBe("");
});

/** `{"a":1}\n` three times, as the zstd program packs it without and with compression of repeats. */
const PACKED = Uint8Array.from([
  0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x18, 0xc1, 0x00, 0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x31, 0x7d, 0x0a, 0x7b,
  0x22, 0x61, 0x22, 0x3a, 0x31, 0x7d, 0x0a, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x31, 0x7d, 0x0a,
]);

/** What is poured of a file into a sink that has this much room each time. */
function poured(path: string, fromByte: number, room: number, sizeBytes?: number): string | false {
  const bytes = Buffer.alloc(room + 3);
  let text = "";
  const sink = {
    room: () => room,
    bytes,
    at: 3,
    took: (count: number): void => {
      text += bytes.toString("latin1", 3, 3 + count);
    },
  };
  const file = { path, ...(sizeBytes === undefined ? {} : { sizeBytes }) };
  return source.pour(file, fromByte, sink) && text;
}

test("a file is poured as it is read, but no compressed one", async () => {
  const content = "0123456789".repeat(100);
  const path = await put("a.jsonl", content);
  for (const room of [1, 7, 4096]) expect(poured(path, 3, room)).toBe(content.slice(3));
  expect(poured(path, 3, 64, 500)).toBe(content.slice(3, 500));
  expect(poured(path, 2000, 64)).toBe("");
  expect(poured(await put("a.jsonl.zst"), 0, 64)).toBe(false);
  expect(() => poured(join(root, "gone.jsonl"), 0, 64)).toThrow("ENOENT");
});

test("a compressed file is read as what it holds, from the given byte of that", async () => {
  const path = await put("a.jsonl.zst", PACKED);
  expect(await textOf(source.read({ path }, 0))).toBe('{"a":1}\n'.repeat(3));
  expect(await textOf(source.read({ path }, 16))).toBe('{"a":1}\n');
  expect(await textOf(decompressedHere(path))).toBe('{"a":1}\n'.repeat(3));
});

test("a file that cannot be read ends in an error that says why", async () => {
  await expect(textOf(source.read({ path: join(root, "gone") }, 0))).rejects.toThrow("ENOENT");
  const path = await put("bad.jsonl.zst", "no zstd at all");
  await expect(textOf(source.read({ path }, 0))).rejects.toThrow();
});
