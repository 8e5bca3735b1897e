import { fail, ok, type Result } from "../core/result.ts";
import type { RunRow } from "../ports/store.ts";
import { fileNameOf } from "./document-files.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const runExport: Command = {
  path: ["run", "export"],
  group: "Record",
  brief: "Write the documents of all runs into a folder, one file each, as they are stored",
  args: [{ name: "folder", brief: "Where to; made when it is missing", required: true }],
  flags: {},
  output: answer("run-export", { folder: text, runs: whole }),
  run,
};

const PAGE = 500;

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const [folder = ""] = input.args;
  if ((await context.files.kind(folder)) === "file")
    return fail("bad-input", `${folder} is a file, not a folder`);
  const store = await context.readStore();
  if (!store.ok) return store;
  let written = 0;
  let after: RunRow | undefined;
  while (store.value !== undefined) {
    const page = await store.value.runs({ limit: PAGE, ...(after !== undefined && { after }) });
    if (!page.ok) return page;
    for (const row of page.value) {
      const document = await store.value.runDocument(row.run);
      if (!document.ok) return document;
      const done = await context.files.write(`${folder}/${fileNameOf(row.run)}`, document.value ?? "");
      if (!done.ok) return done;
      written += 1;
    }
    after = page.value.at(-1);
    if (page.value.length < PAGE) break;
  }
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.run-export/1", ok: true, folder, runs: written },
  });
}
