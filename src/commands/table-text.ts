import type { Command } from "./types.ts";

/** The text of table.ts: every command's name and brief beside the import that loads it. `modules`: exports by file. */
export function tableText(
  commands: readonly Command[],
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): string {
  const lines = commands.map((command) => {
    const { file, name } = placeOf(command, modules);
    const path = JSON.stringify(command.path);
    return `  { path: ${path}, brief: ${JSON.stringify(command.brief)}, load: async () => (await import("./${file}")).${name} },`;
  });
  return [
    'import type { CommandEntry } from "./types.ts";',
    "",
    "/** Made from the registry by `npm run schemas`: what can be done, without loading how. */",
    "export const COMMAND_TABLE: readonly CommandEntry[] = [",
    ...lines,
    "];",
    "",
  ].join("\n");
}

function placeOf(
  command: Command,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): { readonly file: string; readonly name: string } {
  for (const [file, exported] of Object.entries(modules)) {
    for (const [name, value] of Object.entries(exported)) if (value === command) return { file, name };
  }
  throw new Error(`no file exports the command ${command.path.join(" ")}`);
}
