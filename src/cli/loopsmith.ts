import { basename, dirname } from "node:path";
import { fail, ok, type Result } from "../core/result.ts";

/** A command line in our words, and what should be said about how it was spelled. */
export interface Translated {
  readonly words: readonly string[];
  readonly notices: readonly string[];
}

/** The first spellings of that tool, which it rewrites itself until its 2.0. */
const ONCE_LOOP = ["new", "guided", "validate", "plan", "convert", "migrate", "permissions"];
const ONCE_RUN = ["resume", "status", "ledger", "gate", "watch", "schedule", "prune", "proposals"];
const RUN_VERBS = ["start", ...ONCE_RUN, "help"];

/** One verb in our words. Flags that are not named here are spelled alike, or refused with our other ones. */
interface Spelling {
  readonly ours: readonly string[];
  /** That tool looks for everything beside the loop file; where ours takes no file, only the file's folder counts. */
  readonly takes: "file" | "file and run" | "file as a flag" | "folder" | "folder and run" | "nothing";
  /** Flags with a value, by our name. */
  readonly values?: Readonly<Record<string, string>>;
  /** Flags that mean nothing here, with the reason. */
  readonly moot?: Readonly<Record<string, string>>;
}

const GROUPS = ["loop", "run", "memory", "skills"];
const MOOT_WITH_VALUE = ["--run-id", "--limit", "--workdir"];
const QUIET = "what happens is always told; --quiet silences it";

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  "loop new": {
    ours: ["loop", "new"],
    takes: "nothing",
    values: {
      "-p": "--path",
      "--path": "--path",
      "-n": "--name",
      "--name": "--name",
      "--purpose": "--purpose",
      "--config-file": "--config-file",
    },
    moot: { "--git": "`git init` does that" },
  },
  "loop permissions": { ours: ["loop", "permissions"], takes: "file", values: { "--write": "--write" } },
  "loop validate": { ours: ["loop", "validate"], takes: "file" },
  "loop plan": { ours: ["loop", "plan"], takes: "file" },
  "loop convert": {
    ours: ["loop", "convert"],
    takes: "file",
    values: { "-o": "--out", "--out": "--out" },
  },
  "loop migrate": { ours: ["loop", "migrate"], takes: "file" },
  "run start": {
    ours: ["loop", "start"],
    takes: "file",
    moot: {
      "--run-id": "sessions name themselves",
      "--no-acquire": "nothing is ever acquired by itself",
      "-v": QUIET,
      "--verbose": QUIET,
    },
  },
  "run resume": {
    ours: ["loop", "resume"],
    takes: "folder and run",
    moot: { "--answer": "answer with `loopwright loop approve`", "-v": QUIET, "--verbose": QUIET },
  },
  "run status": { ours: ["status"], takes: "folder and run" },
  "run ledger": {
    ours: ["ledger", "show"],
    takes: "folder and run",
    moot: { "--limit": "the whole chain is shown; `| tail` cuts it" },
  },
  "run watch": {
    ours: ["loop", "watch"],
    takes: "file",
    values: { "--max-runs": "--max-runs" },
  },
  "run gate": {
    ours: ["loop", "gate"],
    takes: "file",
    values: { "--target": "--target" },
    moot: { "--workdir": "the folder of the loop file is judged" },
  },
  "run schedule": { ours: ["loop", "schedule"], takes: "file" },
  "run proposals": { ours: ["proposals", "list"], takes: "file and run" },
  "memory list": { ours: ["memory", "list"], takes: "file", values: { "--namespace": "--namespace" } },
  "memory promote": { ours: ["memory", "promote"], takes: "file as a flag" },
  "memory forget": { ours: ["memory", "forget"], takes: "file as a flag" },
  "skills list": {
    ours: ["skills", "list"],
    takes: "file",
    moot: { "--all": "your home is always looked in" },
  },
  "skills scores": { ours: ["skills", "scores"], takes: "file" },
  "skills search": {
    ours: ["skills", "search"],
    takes: "nothing",
    values: { "--min-stars": "--min-stars", "--limit": "--limit" },
  },
  providers: { ours: ["providers"], takes: "folder" },
  doctor: { ours: ["doctor"], takes: "folder" },
};

/** What has no counterpart, and what to do instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "skills acquire": "bring it in with `loopwright skills add SOURCE`, then `loopwright skills promote NAME`",
  "skills install":
    "bring each in with `loopwright skills add SOURCE`, then `loopwright skills promote NAME`",
  "loop guided": "`loopwright loop validate` explains each field that it does not like",
  "run prune": "worktrees are removed when their session no longer needs them",
};

/** That tool's command line, old or new, in our words. Problem: `bad-flag` for what we do not have. */
export function fromLoopsmith(argv: readonly string[]): Result<Translated> {
  const { words, notices } = modern(argv);
  const [first = "", second = ""] = words;
  if (first === "" || first.startsWith("-")) return ok({ words, notices });
  const isGroup = GROUPS.includes(first);
  const verb = isGroup ? `${first} ${second}` : first;
  const spelling = SPELLINGS[verb];
  if (spelling === undefined) {
    if (isGroup && (second === "" || second === "help" || second.startsWith("-")))
      return ok({ words: ["loop", "--help"], notices });
    return fail("bad-flag", `loopwright has no \`${verb}\``, {
      hint: ELSEWHERE[verb] ?? "`loopwright --help` lists what it has",
    });
  }
  return translate(spelling, words.slice(isGroup ? 2 : 1), notices);
}

/** Spellings of before its 1.0 in those of today. */
function modern(argv: readonly string[]): Translated {
  const [first = "", next = ""] = argv;
  const told = (words: readonly string[]): Translated => ({
    words,
    notices: [`\`${first}\` is spelled \`${words.slice(0, 2).join(" ")}\` now`],
  });
  if (ONCE_LOOP.includes(first)) return told(["loop", ...argv]);
  if (ONCE_RUN.includes(first)) return told(["run", ...argv]);
  const namesFile = argv.slice(1).some((word) => !word.startsWith("-"));
  if (first === "run" && namesFile && !RUN_VERBS.includes(next))
    return told(["run", "start", ...argv.slice(1)]);
  return { words: argv, notices: [] };
}

function translate(
  { ours, takes, values = {}, moot = {} }: Spelling,
  rest: readonly string[],
  before: readonly string[],
): Result<Translated> {
  const flags: string[] = [];
  const named: string[] = [];
  const notices = [...before];
  for (let at = 0; at < rest.length; at += 1) {
    const [word, inline] = splitFlag(rest[at] ?? "");
    const name = values[word];
    const why = moot[word];
    const hasOwnWord = inline === undefined && (name !== undefined || MOOT_WITH_VALUE.includes(word));
    if (hasOwnWord) at += 1;
    if (!word.startsWith("-")) named.push(word);
    else if (name !== undefined) flags.push(name, inline ?? rest[at] ?? "");
    else if (why !== undefined) notices.push(`${word} is left out: ${why}`);
    else flags.push(word);
  }
  return ok({ words: [...ours, ...placed(takes, named), ...flags], notices });
}

function splitFlag(word: string): readonly [string, string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function placed(takes: Spelling["takes"], named: readonly string[]): readonly string[] {
  const [file, ...others] = named;
  if (takes === "nothing" || file === undefined) return named;
  const folder = dirname(file) === "." ? [] : ["--cwd", dirname(file)];
  if (takes === "file") return [basename(file), ...others, ...folder];
  // What is proposed is worked out over all runs.
  if (takes === "file and run") return [basename(file), ...folder];
  if (takes === "file as a flag") return [...others, "--file", basename(file), ...folder];
  const [run, ...more] = others;
  const session = takes === "folder and run" && run !== undefined ? ["--session", run, ...more] : others;
  return [...session, ...folder];
}
