import type { Prepared } from "../run/start.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, list, object, text, whole } from "./schema.ts";
import type { CommandOutput } from "./types.ts";

export const DRY_RUN = answer("dry-run", {
  title: text,
  top_level: text,
  checks: list(text),
  providers: list(text),
  pieces: list(object({ id: text, kind: text, depends_on: list(text) })),
  protected: list(text),
  max_iterations: whole,
});

export function dryRunOutput(prepared: Prepared): CommandOutput {
  const { spec } = prepared;
  return {
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.dry-run/1",
      ok: true,
      title: spec.title,
      top_level: spec.topLevel,
      checks: spec.gate.checks.map((check) => check.name),
      providers: spec.providers.map((provider) => provider.id),
      pieces: spec.pieces.map((piece) => ({ id: piece.id, kind: piece.kind, depends_on: piece.dependsOn })),
      protected: [...spec.gate.protection.paths, ...spec.gate.protection.manifests],
      max_iterations: spec.limits.maxIterations,
    },
  };
}
