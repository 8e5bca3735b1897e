import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
} from "@stricli/core";
import { COMMAND_TABLE } from "../commands/table.ts";
import type { Command, CommandEntry, FlagSpec, FlagValue } from "../commands/types.ts";
import { parseFlag } from "./parse-values.ts";
import { SCAN_TEXT } from "./scan-text.ts";

/** Flags that every command takes. */
export const GLOBAL_FLAGS: Readonly<Record<string, FlagSpec>> = {
  json: { kind: "boolean", brief: "One JSON object on stdout" },
  home: { kind: "text", brief: "Use this folder instead of LOOPWRIGHT_HOME", placeholder: "DIR" },
  cwd: { kind: "text", brief: "Act as if started in this folder", placeholder: "DIR" },
  quiet: { kind: "boolean", brief: "Say nothing on stderr but problems" },
  noColor: { kind: "boolean", brief: "No colors" },
  yes: { kind: "boolean", brief: "Answer every question with yes" },
};

/** What the scanner found: the command and its values, for the caller to run. */
export interface Scanned {
  readonly command: Command;
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly args: readonly string[];
}

export interface ScanContext extends CommandContext {
  readonly found: (scanned: Scanned) => void;
}

const GROUP_BRIEFS: Readonly<Record<string, string>> = {
  loop: "Start, plan and steer loops",
  workflows: "Ways of working: the catalogue and your own",
  ledger: "The hash-chained events of a session",
  run: "Record work, also work that you run yourself",
  prices: "What models cost",
  ocp: "Run documents: check and migrate",
  config: "Your settings",
};

type Routes = Parameters<typeof buildRouteMap<string, ScanContext>>[0]["routes"];

/** The entry that a command line means, by its leading words; undefined when they name none. */
export function entryOf(words: readonly string[], rootedAt: readonly string[]): CommandEntry | undefined {
  const full = [...rootedAt, ...words];
  return COMMAND_TABLE.find((entry) => entry.path.every((word, index) => full[index] === word));
}

/**
 * The command line grammar, made from the table of commands. Scanning only: nothing runs in here. The command that is
 * meant stands alone, with its flags; without one all are there, for help and suggestions.
 */
export function buildGrammar(
  name: string,
  version: string,
  rootedAt: readonly string[],
  meant: Command | undefined,
): Application<ScanContext> {
  const commands = meant === undefined ? COMMAND_TABLE : [meant];
  const groups = new Map<string, Record<string, Routes[string]>>();
  const routes: Record<string, Routes[string]> = {};
  for (const command of commands) {
    if (!rootedAt.every((word, index) => command.path[index] === word)) continue;
    const route = command === meant ? fullRoute(meant) : bareRoute(command);
    const [first = "", second] = command.path.slice(rootedAt.length);
    if (second === undefined) routes[first] = route;
    else groups.set(first, { ...groups.get(first), [second]: route });
  }
  for (const [first, members] of groups) {
    routes[first] = buildRouteMap({ routes: members, docs: { brief: GROUP_BRIEFS[first] ?? first } });
  }
  const root = buildRouteMap({
    routes,
    docs: { brief: "Run coding agents in loops and prove when they are done" },
  });
  return buildApplication(root, {
    name,
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "convert-camel-to-kebab", useAliasInUsageLine: false },
    localization: { text: SCAN_TEXT },
  });
}

function bareRoute({ brief }: Pick<CommandEntry, "brief">): Routes[string] {
  return buildCommand({ docs: { brief }, parameters: {}, func: () => undefined });
}

function fullRoute(command: Command): Routes[string] {
  const flags = { ...command.flags, ...GLOBAL_FLAGS };
  const { brief, details } = command;
  return buildCommand<Record<string, FlagValue>, string[], ScanContext>({
    docs: { brief, ...(details === undefined ? {} : { fullDescription: `${brief}. ${details}` }) },
    parameters: {
      aliases: { C: "cwd", q: "quiet", y: "yes" },
      flags: Object.fromEntries(Object.entries(flags).map(([key, spec]) => [key, parameter(spec)])),
      positional: positional(command),
    } as never,
    func(this: ScanContext, values, ...args) {
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      this.found({ command, flags: Object.fromEntries(given), args });
    },
  });
}

function parameter(spec: FlagSpec): object {
  const { brief } = spec;
  if (spec.kind === "boolean") return { kind: "boolean", brief, optional: true, withNegated: false };
  if (spec.kind === "choice") return { kind: "enum", values: spec.choices, brief, optional: true };
  const repeatable = spec.kind === "text" && spec.repeatable === true;
  return {
    kind: "parsed",
    parse: (text: string) => parseFlag(spec, text),
    brief,
    placeholder: spec.placeholder,
    optional: true,
    ...(repeatable ? { variadic: true } : {}),
  };
}

function positional(command: Command): object {
  const [only] = command.args;
  if (only?.variadic === true) {
    return { kind: "array", parameter: { brief: only.brief, parse: String, placeholder: only.name } };
  }
  return {
    kind: "tuple",
    parameters: command.args.map((argument) => ({
      brief: argument.brief,
      parse: String,
      placeholder: argument.name,
      ...(argument.required ? {} : { optional: true }),
    })),
  };
}
