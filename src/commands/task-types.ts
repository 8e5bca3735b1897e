import { ok } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readConfig } from "./home-config.ts";
import { answer, list, number, object, text } from "./schema.ts";
import type { Command } from "./types.ts";

export const taskTypes: Command = {
  path: ["task-types"],
  group: "Plan",
  brief: "What a task can be, and the features that tell tasks apart",
  args: [],
  flags: {},
  output: answer("task-types", {
    types: list(object({ id: text, title: text, description: text })),
    features: list(
      object({ key: text, kind: text, values: list(text), description: text, "edges?": list(number) }),
    ),
    subtypes: list(text),
    horizon: object({ description: text }),
  }),
  async run(context) {
    const config = await readConfig(context);
    if (!config.ok) return config;
    const { declaredFeatures } = await import("../formats/config/index.ts");
    const declared = declaredFeatures(config.value);
    if (!declared.ok) return declared;
    const subtypes = config.value.values.get("subtypes");
    const { FEATURES, TASK_TYPES } = await import("../formats/workflow/task-types.ts");
    return ok({
      exit: ExitCode.ok,
      json: {
        schema: "loopwright.task-types/1",
        ok: true,
        types: TASK_TYPES.map(({ id, title, description }) => ({ id, title, description })),
        features: [...FEATURES, ...declared.value].map(({ key, kind, values, description, edges }) => ({
          key,
          kind,
          values,
          description,
          ...(edges !== undefined && { edges }),
        })),
        subtypes: Array.isArray(subtypes) ? subtypes : [],
        horizon: { description: "wall-clock budget of a run: 8h, 90m, 2.5h, 7200 (seconds), 2d, or none" },
      },
    });
  },
};
