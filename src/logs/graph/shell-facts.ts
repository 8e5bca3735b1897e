import { resolvePath } from "./paths.ts";
import { type ShellCommand, shellCommands } from "./shell-words.ts";

/** What a shell text does that other sessions can notice. */
export interface ShellFacts {
  /** Names of the agents that it starts without a person, one for each start. */
  readonly launches: readonly string[];
  readonly isBackground: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Words in front of a command that are not the command. */
const WRAPPERS = new Set(["nohup", "time", "exec", "env", "setsid", "caffeinate", "sudo", "command"]);
const KEYWORDS = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{"]);
const SHELLS = new Set(["bash", "sh", "zsh"]);

/** Reads a shell text as far as its words are known: globs, variables and scripts it runs are left alone. */
export function shellFacts(text: string, cwd: string | undefined): ShellFacts {
  const launches: string[] = [];
  const reads: string[] = [];
  const writes: string[] = [];
  let isBackground = false;
  let here = cwd;
  for (const command of unwrapped(shellCommands(text))) {
    const [name = "", ...rest] = command.words;
    const isDetached =
      command.isBackground || command.wrappers.some((word) => word === "nohup" || word === "setsid");
    isBackground ||= isDetached;
    if (name === "cd") {
      here = known(rest.slice(0, 1), here)[0];
      continue;
    }
    const agent = agentStarted(name, rest);
    if (agent !== undefined) launches.push(agent);
    reads.push(...known([...command.reads, ...readBy(name, rest)], here));
    writes.push(...known([...command.writes, ...writtenBy(name, rest)], here));
  }
  return { launches, isBackground, reads, writes };
}

interface Unwrapped extends ShellCommand {
  readonly wrappers: readonly string[];
}

/** Commands without what stands in front of them, those given to a shell as text included. */
function unwrapped(commands: readonly ShellCommand[]): Unwrapped[] {
  return commands.flatMap((command): Unwrapped[] => {
    const wrappers: string[] = [];
    let words = command.words;
    for (let first = words[0]; first !== undefined; first = words[0]) {
      if (first === "timeout") words = words.slice(words.findIndex((word) => /^\d/.test(word)) + 1);
      else if (WRAPPERS.has(first) || KEYWORDS.has(first) || /^\w+=/.test(first)) words = words.slice(1);
      else break;
      wrappers.push(first);
    }
    const name = baseName(words[0] ?? "");
    const own = { ...command, words: [name, ...words.slice(1)], wrappers };
    const flag = SHELLS.has(name) ? words.findIndex((word) => /^-[a-z]*c$/.test(word)) : -1;
    const inner = flag === -1 ? undefined : words[flag + 1];
    if (inner === undefined) return [own];
    const within = unwrapped(shellCommands(inner)).map((one) => ({
      ...one,
      wrappers: [...wrappers, ...one.wrappers],
      isBackground: one.isBackground || command.isBackground,
    }));
    return [{ ...own, words: [] }, ...within];
  });
}

function agentStarted(name: string, rest: readonly string[]): string | undefined {
  switch (name) {
    case "codex":
      return subcommand(rest, ["exec", "e"]) || rest.some((word) => word === "-q" || word === "--quiet")
        ? "codex"
        : undefined;
    case "claude":
      return rest.some((word) => word === "-p" || word === "--print") ? "claude-code" : undefined;
    case "opencode":
      return subcommand(rest, ["run"]) ? "opencode" : undefined;
    case "gemini":
      return rest.some((word) => word === "-p" || word === "--prompt") ? "gemini-cli" : undefined;
    case "pi":
    case "omp":
      return rest.some((word) => word === "-p" || word === "--print") ? name : undefined;
    default:
      return undefined;
  }
}

/** Whether one of the words stands where a subcommand does: behind options and their values only. */
function subcommand(rest: readonly string[], wanted: readonly string[]): boolean {
  const at = rest.findIndex((word) => wanted.includes(word));
  const before = rest.slice(0, Math.max(at, 0));
  return (
    at !== -1 && before.every((word, i) => word.startsWith("-") || before[i - 1]?.startsWith("-") === true)
  );
}

function readBy(name: string, rest: readonly string[]): readonly string[] {
  switch (name) {
    case "cat":
    case "pytest":
      return operands(rest, []);
    case "head":
    case "tail":
      return operands(rest, ["-n", "-c"]);
    case "sed":
      return rest.includes("-e") || rest.includes("-f")
        ? operands(rest, ["-e", "-f"])
        : operands(rest, []).slice(1);
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg":
      return operands(rest, ["-A", "-B", "-C", "-m", "-e", "-g", "-t"]).slice(rest.includes("-e") ? 0 : 1);
    case "python":
    case "python3":
      return rest.includes("-c") || rest.includes("-m") ? [] : operands(rest, []).slice(0, 1);
    case "cp":
      return operands(rest, ["-t"]).slice(0, rest.includes("-t") ? undefined : -1);
    default:
      return [];
  }
}

function writtenBy(name: string, rest: readonly string[]): readonly string[] {
  if (name === "tee") return operands(rest, []);
  if (name !== "cp" && name !== "mv") return [];
  const files = operands(rest, ["-t"]);
  const sources = rest.includes("-t") ? files : files.slice(0, -1);
  const target = rest.includes("-t") ? rest[rest.indexOf("-t") + 1] : files.at(-1);
  if (target === undefined || sources.length === 0) return [];
  const isFolder = rest.includes("-t") || sources.length > 1 || target.endsWith("/");
  return isFolder ? sources.map((source) => `${target.replace(/\/$/, "")}/${baseName(source)}`) : [target];
}

/** Words that are neither options nor the values of those that take one. */
function operands(rest: readonly string[], withValue: readonly string[]): readonly string[] {
  return rest.filter((word, i) => !word.startsWith("-") && !withValue.includes(rest[i - 1] ?? ""));
}

/** Whole paths of the words that the shell takes as they stand. */
function known(words: readonly string[], cwd: string | undefined): string[] {
  return words
    .filter((word) => word !== "" && !/[$*?[\]{}~]/.test(word) && !word.startsWith("/dev/"))
    .map((word) => resolvePath(cwd, word));
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
