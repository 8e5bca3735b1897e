import { expect, test } from "vitest";
import { GLOBAL_FLAGS } from "../../src/cli/app.ts";
import { commandReference } from "../../src/commands/reference.ts";
import { COMMANDS } from "../../src/commands/registry.ts";
import { commandName } from "../../src/commands/types.ts";

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
