import { fail, ok, type Result } from "../../core/result.ts";
import { blobId } from "./blob-id.ts";
import type { ObjectStore } from "./object-store.ts";

type Visit = (id: string, bytes: Uint8Array) => void;

/** Reads blobs through one `cat-file --batch`, checks each against its id and visits it. */
export async function readContents(
  store: ObjectStore,
  ids: Iterable<string>,
  visit: Visit,
): Promise<Result<void>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return ok(undefined);
  const reader = batchReader(visit);
  const end = await store.stream(["cat-file", "--batch", "--buffer"], `${wanted.join("\n")}\n`, (chunk) =>
    reader.push(chunk),
  );
  if (!end.ok) return fail("tree-unreadable", `contents cannot be read: ${end.problem.message}`);
  return reader.finish(wanted.length);
}

interface BatchReader {
  push(chunk: Buffer): void;
  finish(wanted: number): Result<void>;
}

/** The stream is, for each object, a header line `<id> blob <size>`, the bytes and a line end. */
function batchReader(visit: Visit): BatchReader {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = 1;
  let seen = 0;
  let broken: string | undefined;
  let thrown: { readonly error: unknown } | undefined;
  const hand = (id: string, bytes: Buffer): void => {
    seen += 1;
    if (blobId(bytes) !== id) broken ??= `content ${id.slice(0, 12)} is damaged`;
    if (broken !== undefined || thrown !== undefined) return;
    try {
      visit(id, bytes);
    } catch (error) {
      thrown = { error }; // Thrown again once git has ended: here, nobody could catch it.
    }
  };
  const take = (): void => {
    let rest = Buffer.concat(chunks);
    needed = 1;
    for (let lineEnd = rest.indexOf(10); lineEnd !== -1; lineEnd = rest.indexOf(10)) {
      const [id = "", type = "", size = "0"] = rest.subarray(0, lineEnd).toString("latin1").split(" ");
      const bytesEnd = lineEnd + 1 + Number(size);
      if (type !== "blob") broken ??= `content ${id.slice(0, 12)} is ${type}`;
      const total = type === "missing" ? lineEnd + 1 : bytesEnd + 1;
      if (rest.length < total) {
        needed = total;
        break;
      }
      if (type === "blob") hand(id, rest.subarray(lineEnd + 1, bytesEnd));
      rest = rest.subarray(total);
    }
    chunks = [rest];
    length = rest.length;
  };
  return {
    push: (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= needed) take();
    },
    finish: (wanted) => {
      if (thrown !== undefined) throw thrown.error;
      if (broken !== undefined) return fail("tree-unreadable", broken);
      return seen === wanted ? ok(undefined) : fail("tree-unreadable", "a content of ours is missing");
    },
  };
}
