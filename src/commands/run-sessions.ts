import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const DAY_MS = 86_400_000;

export const runSessions: Command = {
  path: ["run", "sessions"],
  group: "Record",
  brief: "The agents' sessions of this folder, latest first, to name in run attempt and run record",
  args: [],
  flags: {
    folder: {
      kind: "text",
      brief: "Sessions of this folder (here); all for every folder",
      placeholder: "DIR|all",
    },
    days: { kind: "count", brief: "Active in the last N days (7)", placeholder: "N" },
    limit: { kind: "count", brief: "At most this many (10)", placeholder: "N" },
  },
  output: answer("run-sessions", {
    folder: text,
    days: whole,
    sessions: list(
      object({
        harness: text,
        session: text,
        cwd: orNull(text),
        models: list(text),
        started_at: text,
        last_at: text,
      }),
    ),
    more: whole,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const folder = flags.text("folder") ?? context.cwd;
  const days = flags.count("days") ?? 7;
  const limit = flags.count("limit") ?? 10;
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const { sessions } = usage.value;
  const found = (await sessions()).filter(
    (seen) =>
      Date.parse(seen.lastAt) >= context.now() - days * DAY_MS && (folder === "all" || seen.cwd === folder),
  );
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.run-sessions/1",
      ok: true,
      folder,
      days,
      sessions: found.slice(0, limit).map((seen) => ({
        harness: seen.harness,
        session: seen.session,
        cwd: seen.cwd ?? null,
        models: [...seen.models],
        started_at: seen.startedAt,
        last_at: seen.lastAt,
      })),
      more: Math.max(0, found.length - limit),
    },
  });
}
