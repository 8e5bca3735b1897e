import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { GLOBAL_FLAGS } from "../../src/cli/app.ts";
import { commandReference } from "../../src/commands/reference.ts";
import { COMMANDS } from "../../src/commands/registry.ts";
import { tableText } from "../../src/commands/table-text.ts";
import { commandName } from "../../src/commands/types.ts";

test("the table that a cold start loads is what the registry says", async () => {
  const folder = resolve(import.meta.dirname, "../../src/commands");
  const modules: Record<string, Record<string, unknown>> = {};
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".ts") || /(^registry|\.test)\.ts$/.test(file)) continue;
    modules[file] = (await import(join(folder, file))) as Record<string, unknown>;
  }
  await expect(tableText(COMMANDS, modules)).toMatchFileSnapshot("../../src/commands/table.ts");
});

test("the command reference is what the registry says", async () => {
  await expect(commandReference(GLOBAL_FLAGS)).toMatchFileSnapshot("../../docs/commands.md");
});

test.each(COMMANDS.map((command) => [commandName(command), command] as const))(
  "the published schema of %s is what the command says",
  async (name, command) => {
    const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", ...command.output };
    const file = `../../schemas/commands/${name.replaceAll(" ", "-")}.schema.json`;
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
  },
);

test("no command can mark a goal satisfied", () => {
  const names = COMMANDS.map(commandName);
  expect(names.filter((name) => /satisf|done|complete|accept|pass/.test(name))).toEqual([]);
});
