import type { LogSource } from "../ports/log-source.ts";

/** Log files held in memory, by absolute path; lines are given as objects, text or bytes. */
export type LogFixture = Readonly<Record<string, readonly unknown[] | Uint8Array>>;

/** A log source over a fixture, listing in the fixture's own order or the given one. */
export function memoryLogs(fixture: LogFixture, order = Object.keys(fixture)): LogSource {
  const bytesAt = (path: string): Uint8Array => {
    const content = fixture[path];
    if (content === undefined) throw new Error("ENOENT");
    return content instanceof Uint8Array ? content : bytesOf(content);
  };
  return {
    list: async (trees) => {
      const files = order.filter((path) => trees.some((tree) => isWanted(path, tree)));
      return {
        files: files.map((path, i) => ({
          path,
          sizeBytes: 0,
          mtimeMs: 4e12,
          device: "1",
          inode: `${i}`,
        })),
        problems: [],
      };
    },
    pour: ({ path }, fromByte, into) => {
      const bytes = bytesAt(path);
      for (let from = fromByte; from < bytes.length; ) {
        const count = Math.min(into.room(), bytes.length - from);
        into.bytes.set(bytes.subarray(from, from + count), into.at);
        into.took(count);
        from += count;
      }
      return true;
    },
    read: async function* ({ path }, fromByte, toByte) {
      yield bytesAt(path).subarray(fromByte, toByte);
    },
  };
}

type Tree = Parameters<LogSource["list"]>[0][number];

function isWanted(path: string, tree: Tree): boolean {
  if (!path.startsWith(`${tree.root}/`)) return false;
  const parts = path.slice(tree.root.length + 1).split("/");
  const folders = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join("/"));
  return folders.every((folder) => tree.wants(folder, "folder")) && tree.wants(parts.join("/"), "file");
}

/** One line each: objects as JSON, text as it is. */
export function bytesOf(lines: readonly unknown[]): Uint8Array {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  return new TextEncoder().encode(text.join(""));
}
