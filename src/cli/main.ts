import { run as scan } from "@stricli/core";
import { ExitCode } from "../commands/exit-codes.ts";
import { exitOf } from "../commands/problem-exit.ts";
import { COMMAND_TABLE } from "../commands/table.ts";
import type { CommandContext, CommandOutput } from "../commands/types.ts";
import { InvariantError, ok, type Problem, type Result } from "../core/result.ts";
import { buildGrammar, entryOf, type Scanned } from "./app.ts";
import { createFace, type Face } from "./face.ts";
import type { Host } from "./host.ts";
import { NO_SUCH_COMMAND } from "./scan-text.ts";

const ANY_WIDTH = 10_000;

/**
 * One command line, from words to exit code. stdout is data, stderr is talk; with `--json` there is exactly one
 * object on stdout, on failure too (streams: one a line).
 */
export async function main(host: Host): Promise<ExitCode> {
  const meant = host.translate?.(host.argv) ?? ok({ words: host.argv, notices: [] });
  if (!meant.ok) return problem(host, meant.problem, host.argv.includes("--json"));
  for (const notice of meant.value.notices) host.stderr(`${notice}\n`);
  const words = impliedGo(meant.value.words, host.rootedAt);
  const asJson = words.includes("--json");
  const scanned = await scanWords(host, words);
  if (!scanned.ok) return problem(host, scanned.problem, asJson);
  if (scanned.value === undefined) return ExitCode.ok;
  const face = createFace(host, scanned.value);
  const context = host.makeContext(face.globals, face);
  try {
    const refused = refuseInsideAttempt(scanned.value, context);
    const result = refused ?? (await scanned.value.command.run(context, scanned.value));
    await face.finish();
    return result.ok
      ? await print(host, face, scanned.value, result.value)
      : problem(host, result.problem, face.globals.json);
  } catch (error) {
    await face.finish();
    return internal(host, error, face.globals.json);
  } finally {
    await context.close();
  }
}

/** `loopwright "GOAL" --check CMD` is `go`. A single unknown word stays one, so that a typo gets its suggestion. */
function impliedGo(argv: readonly string[], rootedAt: readonly string[]): readonly string[] {
  const [first] = argv;
  if (first === undefined || rootedAt.length > 0 || first.startsWith("-")) return argv;
  if (COMMAND_TABLE.some((entry) => entry.path[0] === first)) return argv;
  const meansGo = first.includes(" ") || argv.some((word) => /^--(check|goal-file)(=|$)/.test(word));
  return meansGo ? ["go", ...argv] : argv;
}

/** Scans the words; undefined when the scanner answered by itself (help, version). */
async function scanWords(host: Host, words: readonly string[]): Promise<Result<Scanned | undefined>> {
  let found: Scanned | undefined;
  const said = { out: "", err: "" };
  const process: { exitCode?: number | string | null } & Record<
    "stdout" | "stderr",
    { write(text: string): void }
  > & {
      readonly env: Host["env"];
    } = {
    stdout: {
      write: (text: string) => {
        said.out += text;
      },
    },
    stderr: {
      write: (text: string) => {
        said.err += text;
      },
    },
    env: host.env,
  };
  const meant = await entryOf(words, host.rootedAt)?.load();
  await scan(buildGrammar(host.name, host.version, host.rootedAt, meant), words, {
    process,
    found: (scanned: Scanned) => {
      found = scanned;
    },
  } as never);
  if (Number(process.exitCode ?? 0) !== 0) {
    const [message = "bad command line"] = said.err.trim().split("\n");
    const isUnknown = message.startsWith(NO_SUCH_COMMAND);
    const command = isUnknown ? [] : words.slice(0, 1);
    return {
      ok: false,
      problem: {
        code: isUnknown ? "unknown-command" : "bad-flag",
        message: firstLower(message),
        hint: [host.name, ...command, "--help"].join(" "),
      },
    };
  }
  if (found === undefined) host.stdout(said.out);
  return { ok: true, value: found };
}

function firstLower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function refuseInsideAttempt(scanned: Scanned, context: CommandContext): Result<CommandOutput> | undefined {
  if (scanned.command.personOnly !== true || !context.insideAttempt) return undefined;
  const name = scanned.command.path.join(" ");
  return {
    ok: false,
    problem: {
      code: "person-only",
      message: `only a person may \`${name}\`, and this is an attempt of a session`,
    },
  };
}

async function print(host: Host, face: Face, scanned: Scanned, output: CommandOutput): Promise<ExitCode> {
  if (scanned.command.streams === true || output.streamed === true) return output.exit;
  if (face.globals.json) {
    host.stdout(`${JSON.stringify(output.json)}\n`);
    return output.exit;
  }
  const { render } = await import("./render/index.ts");
  // What is piped is cut by nobody; what follows talk on the same screen is set apart from it.
  const columns = host.isStdoutTerminal ? host.columns : ANY_WIDTH;
  const isSameScreen = host.isStdoutTerminal && host.isStderrTerminal;
  const gap = isSameScreen && face.hasSpoken() ? "\n" : "";
  host.stdout(gap + render(output.json, { columns, color: face.color, name: host.name }));
  return output.exit;
}

function problem(host: Host, found: Problem, asJson: boolean): ExitCode {
  const exit = exitOf(found.code);
  if (asJson) {
    const { code, message, hint, at } = found;
    host.stdout(
      `${JSON.stringify({ schema: "loopwright.problem/1", ok: false, problem: { code, message, hint, at }, exit })}\n`,
    );
    return exit;
  }
  const where = found.at === undefined ? "" : `${found.at} `;
  host.stderr(`${host.name}: ${where}${found.message}\n`);
  if (found.hint !== undefined) host.stderr(`  try: ${found.hint}\n`);
  return exit;
}

/** A bug of ours: a short line for the user, the detail in a file. */
function internal(host: Host, error: unknown, asJson: boolean): ExitCode {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const file = host.writeCrashReport(detail);
  const message = error instanceof InvariantError ? error.message : "something went wrong that should not";
  if (asJson) {
    const body = { code: "internal-error", message, hint: `the detail is in ${file}` };
    host.stdout(
      `${JSON.stringify({ schema: "loopwright.problem/1", ok: false, problem: body, exit: ExitCode.internal })}\n`,
    );
  } else {
    host.stderr(`${host.name}: internal error: ${message}\n  the detail is in ${file}\n`);
  }
  return ExitCode.internal;
}
