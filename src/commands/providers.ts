import { ok } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, orNull, text } from "./schema.ts";
import type { Command } from "./types.ts";

export const providers: Command = {
  path: ["providers"],
  group: "Loops",
  brief: "The coding agents that were found on this machine",
  args: [],
  flags: {},
  output: answer("providers", {
    providers: list(
      object({
        id: text,
        kind: text,
        available: flag,
        path: orNull(text),
        version: orNull(text),
        reason: orNull(text),
      }),
    ),
  }),
  async run(context) {
    const found = await context.detectProviders();
    return ok({
      exit: ExitCode.ok,
      json: {
        schema: "loopwright.providers/1",
        ok: true,
        providers: found.map((provider) => ({
          id: provider.id,
          kind: provider.kind,
          available: provider.available,
          path: provider.path ?? null,
          version: provider.version ?? null,
          reason: provider.reason ?? null,
        })),
      },
    });
  },
};
