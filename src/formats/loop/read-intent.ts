import type { Fields } from "./fields.ts";
import { CHECK_MODES, type Loop, type LoopFeatures } from "./types.ts";

export type LoopIntent = Pick<Loop, "background" | "prerequisites" | "goals" | "success">;

export function readFeatures(fields: Fields): LoopFeatures {
  return {
    parallelExecution: fields.flag("parallel_execution", true),
    humanApproval: fields.flag("human_approval", true),
    marketplaceSkills: fields.flag("marketplace_skills", false),
    externalSideEffects: fields.flag("external_side_effects", false),
    selfEvolution: fields.flag("self_evolution", false),
  };
}

export function readIntent(fields: Fields): LoopIntent {
  return {
    background: fields.maps("background", (fact) => {
      const note = fact.optionalText("note");
      return { key: fact.text("key"), value: fact.text("value"), ...(note !== undefined && { note }) };
    }),
    prerequisites: fields.maps("prerequisites", (step) => {
      const evidence = step.optionalText("evidence");
      return {
        step: step.text("step"),
        isDone: step.flag("done", false),
        ...(evidence !== undefined && { evidence }),
      };
    }),
    goals: fields.maps("goals", (goal) => {
      const priority = goal.optional("priority", (key) => goal.whole(key));
      return {
        name: goal.text("name"),
        description: goal.text("description"),
        dependsOn: goal.texts("depends_on"),
        ...(priority !== undefined && { priority }),
      };
    }),
    success: fields.maps("success", (scenario) => {
      const threshold = scenario.optional("threshold", (key) => scenario.number(key));
      return {
        target: scenario.text("target"),
        name: scenario.text("name"),
        mode: scenario.word("mode", CHECK_MODES),
        statement: scenario.text("statement"),
        ...(threshold !== undefined && { threshold }),
      };
    }),
  };
}
