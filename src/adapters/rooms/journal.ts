import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TreeId } from "../../ports/workspace.ts";
import { isAbsent } from "./anchored.ts";
import { removeIfThere, syncFolder, writeSynced } from "./exchange.ts";

const swapSchema = v.object({
  path: v.string(),
  /** Mark of the content that belongs there. */
  before: v.string(),
  /** Mark of the content that stands there for the check. */
  during: v.string(),
  temporary: v.string(),
  mode: v.optional(v.number()),
  mtimeMs: v.optional(v.number()),
});
const journalSchema = v.object({
  event: v.literal("restore:started"),
  at: v.string(),
  workDir: v.string(),
  found: v.string(),
  swaps: v.array(swapSchema),
  /** Folders that do not exist before the check; those that are empty afterwards go away again. */
  madeFolders: v.array(v.string()),
});

export type Swap = v.InferOutput<typeof swapSchema>;
/** What an in-place check changes in the working folder, on disk before the first byte is changed. */
export interface Journal extends Omit<v.InferOutput<typeof journalSchema>, "found"> {
  readonly found: TreeId;
}

const NAME = "journal.json";

export async function writeJournal(dir: string, journal: Journal): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `${NAME}.new`);
  await removeIfThere(temporary);
  await writeSynced(temporary, `${JSON.stringify(journal)}\n`, 0o600);
  await rename(temporary, join(dir, NAME));
  await syncFolder(dir);
}

/** The journal of a check that has not put everything back, if there is one. */
export async function readJournal(dir: string): Promise<Result<Journal | undefined>> {
  let text: string;
  try {
    text = await readFile(join(dir, NAME), "utf8");
  } catch (error) {
    if (isAbsent(error)) return ok(undefined);
    throw error;
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), journalSchema), text);
  if (!parsed.success) {
    return fail("tampering", `the journal of an in-place check cannot be read: ${join(dir, NAME)}`);
  }
  return ok({ ...parsed.output, found: parsed.output.found as TreeId });
}

export async function removeJournal(dir: string): Promise<void> {
  await removeIfThere(join(dir, NAME));
  await syncFolder(dir);
}
