import { createHash } from "node:crypto";
import { createReadStream, promises as files } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import type { Store } from "../../ports/store.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./driver.ts";
import { storeProblem } from "./problems.ts";

export function integrity(connection: Connection, blobFolder: string): Pick<Store, "integrity"> {
  return {
    integrity: async () => {
      const database = await connection.read(databaseProblems);
      if (!database.ok) return database;
      const blobs = await blobProblems(blobFolder);
      return blobs.ok ? ok([...database.value, ...blobs.value]) : blobs;
    },
  };
}

function databaseProblems(db: Database): readonly string[] {
  const pages = db
    .all("PRAGMA integrity_check")
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok")
    .map((line) => `the database: ${line}`);
  const keys = db
    .all("PRAGMA foreign_key_check")
    .map(
      (row) =>
        `row ${String(row["rowid"])} of ${String(row["table"])} leads to nothing in ${String(row["parent"])}`,
    );
  return [...pages, ...keys];
}

async function blobProblems(folder: string): Promise<Result<readonly string[]>> {
  const problems: string[] = [];
  try {
    for (const start of await namesIn(folder)) {
      for (const rest of await namesIn(join(folder, start))) {
        // What a dead writer left half written has another name, and is no blob.
        if (rest.startsWith(".")) continue;
        const found = await hashOf(join(folder, start, rest));
        if (found !== `${start}${rest}`) problems.push(`the bytes of blob ${start}${rest} hash to ${found}`);
      }
    }
    return ok(problems);
  } catch (error) {
    return storeProblem(error, folder);
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await files.readdir(folder)).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
