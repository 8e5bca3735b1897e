import { baseName } from "./globs.ts";
import { simpleWords, type Word } from "./shell-words.ts";
import type { Detector } from "./types.ts";

/** A person's line for `/bin/sh -c`, or exact argv. */
export type Command = Extract<Detector, { readonly type: "script" }>["command"];

export type RunnerName =
  | "node:test"
  | "vitest"
  | "jest"
  | "mocha"
  | "ava"
  | "bun"
  | "deno"
  | "pytest"
  | "go"
  | "cargo"
  | "nextest"
  | "phpunit"
  | "rspec";

/** What a command comes to, as far as it can be read from the base tree without running it. */
export interface ResolvedCommand {
  /** The text that runs in the end, with package scripts followed. */
  readonly text: string;
  /** `npm test -> npm run unit -> ...`: the package scripts followed, outermost first. */
  readonly via: readonly string[];
  /** The words of the last text; undefined when it is more than one simple command. */
  readonly words?: readonly string[];
  /** The test runner behind it, when the command is simple enough to be sure. */
  readonly runner?: RunnerName;
  /** What stands between the written command and arguments for the runner: one `--` for each npm on the way. */
  readonly separators: readonly "--"[];
  /** A script that npm is asked for and that is not there. */
  readonly missingScript?: string;
}

const MAX_HOPS = 5;

/** `scripts` are those of the package.json in the folder the command runs in. Pure. */
export function resolveCommand(command: Command, scripts: Readonly<Record<string, string>>): ResolvedCommand {
  const via: string[] = [];
  const separators: "--"[] = [];
  let text = commandText(command);
  let words = commandWords(command);
  let missingScript: string | undefined;
  for (let hop = 0; hop < MAX_HOPS && words !== undefined; hop += 1) {
    const call = packageScript(words, scripts);
    if (call === undefined) break;
    const script = scripts[call.name];
    if (script === undefined) {
      missingScript = call.name;
      break;
    }
    via.push(text);
    if (call.needsSeparator) separators.push("--");
    text = [script, ...call.args].join(" ");
    words = simpleWords(text)?.map((word) => word.text);
  }
  const runner = words === undefined ? undefined : detectRunner(words);
  return {
    text,
    via,
    separators,
    ...(words === undefined ? {} : { words }),
    ...(runner === undefined ? {} : { runner }),
    ...(missingScript === undefined ? {} : { missingScript }),
  };
}

export function commandText(command: Command): string {
  return "line" in command ? command.line : command.argv.join(" ");
}

function commandWords(command: Command): readonly string[] | undefined {
  return "line" in command ? simpleWords(command.line)?.map((word: Word) => word.text) : command.argv;
}

interface ScriptCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly needsSeparator: boolean;
}

/** `npm test`, `npm run x -- args`, `pnpm x`, `yarn x`, `bun run x`; undefined for any other form, flags included. */
function packageScript(
  words: readonly string[],
  scripts: Readonly<Record<string, string>>,
): ScriptCall | undefined {
  const [manager, verb, ...rest] = afterAssignments(words);
  if (verb === undefined) return undefined;
  switch (manager) {
    case "npm": {
      if (["test", "t", "tst"].includes(verb)) return npmCall("test", rest);
      const [name, ...args] = rest.filter((word, index) => index > 0 || !["--silent", "-s"].includes(word));
      // `npm run env` is npm's own.
      const isRun = ["run", "run-script"].includes(verb) && name !== undefined && name !== "env";
      return isRun ? npmCall(name, args) : undefined;
    }
    case "pnpm":
    case "yarn":
    case "bun": {
      const [name, ...args] = verb === "run" ? rest : [verb, ...rest];
      // `bun test` is bun's own runner, whatever the scripts say.
      if (name === undefined || (manager === "bun" && verb !== "run")) return undefined;
      return Object.hasOwn(scripts, name)
        ? { name, args: withoutFirst(args, "--"), needsSeparator: false }
        : undefined;
    }
    default:
      return undefined;
  }
}

function npmCall(name: string, args: readonly string[]): ScriptCall | undefined {
  if (args.length === 0) return { name, args, needsSeparator: true };
  return args[0] === "--" ? { name, args: args.slice(1), needsSeparator: false } : undefined;
}

function withoutFirst(words: readonly string[], first: string): readonly string[] {
  return words[0] === first ? words.slice(1) : words;
}

function afterAssignments(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return start < 0 ? [] : words.slice(start);
}

/** The runner of a simple command, seen through the usual wrappers. */
export function detectRunner(words: readonly string[]): RunnerName | undefined {
  const [program, ...args] = unwrapped(words);
  if (program === undefined) return undefined;
  const first = args.find((word) => !word.startsWith("-"));
  switch (baseName(program).replace(/\.(cmd|exe|mjs|cjs|js|phar)$/, "")) {
    case "node":
    case "tsx":
      return args.includes("--test") && !args.includes("--watch") ? "node:test" : undefined;
    case "vitest":
      return args.includes("--watch") || first === "bench" || first === "list" ? undefined : "vitest";
    case "jest":
      return "jest";
    case "react-scripts":
      return first === "test" ? "jest" : undefined;
    case "mocha":
      return "mocha";
    case "ava":
      return "ava";
    case "bun":
      return first === "test" ? "bun" : undefined;
    case "deno":
      return first === "test" ? "deno" : undefined;
    case "pytest":
    case "py.test":
      return "pytest";
    case "go":
      return first === "test" ? "go" : undefined;
    case "cargo":
      if (first === "nextest") return args.includes("run") ? "nextest" : undefined;
      return first === "test" || first === "t" ? "cargo" : undefined;
    case "phpunit":
      return "phpunit";
    case "rspec":
      return "rspec";
    default:
      return undefined;
  }
}

/** Wrappers that run the rest of their line, and how many words after them are theirs. */
const WRAPPERS: readonly { readonly words: readonly string[]; readonly flags: boolean }[] = [
  { words: ["npx"], flags: true },
  { words: ["bunx"], flags: true },
  { words: ["npm", "exec"], flags: true },
  { words: ["pnpm", "exec"], flags: false },
  { words: ["yarn", "exec"], flags: false },
  { words: ["c8"], flags: true },
  { words: ["nyc"], flags: true },
  { words: ["cross-env"], flags: false },
  { words: ["env"], flags: false },
  { words: ["uv", "run"], flags: false },
  { words: ["poetry", "run"], flags: false },
  { words: ["pipenv", "run"], flags: false },
  { words: ["pdm", "run"], flags: false },
  { words: ["hatch", "run"], flags: false },
  { words: ["rye", "run"], flags: false },
  { words: ["bundle", "exec"], flags: false },
  { words: ["xvfb-run"], flags: true },
  { words: ["coverage", "run", "-m"], flags: false },
];

function unwrapped(words: readonly string[]): readonly string[] {
  const rest = afterAssignments(words);
  if (/^python[\d.]*$/.test(baseName(rest[0] ?? "")) && rest[1] === "-m") return unwrapped(rest.slice(2));
  const wrapper = WRAPPERS.find((entry) => entry.words.every((word, index) => rest[index] === word));
  if (wrapper !== undefined) {
    const inner = rest.slice(wrapper.words.length);
    const start = wrapper.flags ? inner.findIndex((word) => !word.startsWith("-")) : 0;
    return start < 0 ? [] : unwrapped(withoutFirst(inner.slice(start), "--"));
  }
  // `yarn jest` and `pnpm vitest` run a local program when no script has that name.
  if ((rest[0] === "yarn" || rest[0] === "pnpm") && rest.length > 1) return unwrapped(rest.slice(1));
  return rest;
}
