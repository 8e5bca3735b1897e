import { COMMANDS } from "./registry.ts";
import { COMMAND_GROUPS, type Command, commandName, type FlagSpec } from "./types.ts";

/** The command reference as Markdown, made from the registry. */
export function commandReference(globalFlags: Readonly<Record<string, FlagSpec>>): string {
  const groups = COMMAND_GROUPS.map((group) => {
    const members = COMMANDS.filter((command) => command.group === group);
    return `## ${group}\n\n${members.map(section).join("\n")}`;
  });
  const head = [
    "# Commands",
    "",
    "Made from `src/commands/`; `npm run schemas` rewrites it. With `--json` each command prints one object of the schema",
    "in `schemas/commands/`, or one a line where it streams; a failure prints `loopwright.problem/1`.",
    "",
    "Every command also takes:",
    "",
    flagTable(globalFlags),
    "",
  ];
  return `${head.join("\n")}\n${groups.join("\n")}`;
}

function section(command: Command): string {
  const words = command.args.map((argument) =>
    argument.required ? argument.name.toUpperCase() : `[${argument.name.toUpperCase()}]`,
  );
  const lines = [
    `### ${commandName(command)}`,
    "",
    `\`loopwright ${[commandName(command), ...words].join(" ")}\`${command.personOnly === true ? " (only for a person)" : ""}`,
    "",
    `${command.brief}.${command.details === undefined ? "" : ` ${command.details}`}`,
    "",
  ];
  if (Object.keys(command.flags).length > 0) lines.push(flagTable(command.flags), "");
  return lines.join("\n");
}

function flagTable(flags: Readonly<Record<string, FlagSpec>>): string {
  const rows = Object.entries(flags).map(
    ([name, spec]) => `| \`--${kebab(name)}${valueText(spec)}\` | ${spec.brief} |`,
  );
  return ["| flag | meaning |", "| --- | --- |", ...rows].join("\n");
}

function valueText(spec: FlagSpec): string {
  if (spec.kind === "boolean") return "";
  return spec.kind === "choice"
    ? ` ${spec.choices.join("\\|")}`
    : ` ${spec.placeholder.replaceAll("|", "\\|")}`;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
