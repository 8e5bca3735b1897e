import type { JsonObject } from "../../core/canonical-json.ts";
import type { Fields } from "./fields.ts";
import { readGraph, readPhases } from "./read-graph.ts";
import { readFeatures, readIntent } from "./read-intent.ts";
import { readDefaultSkill, readMemory, readSkills } from "./read-memory.ts";
import { readProviders } from "./read-providers.ts";
import { readSafety } from "./read-safety.ts";
import { readEvolution, readTriggers } from "./read-triggers.ts";
import { SchemaFields } from "./schema-fields.ts";
import type { Loop } from "./types.ts";

/** Under which spelling a file lists what later checks name by path. */
export interface LoopPaths {
  readonly piecesPath: string;
  readonly pieceLimitsPath: string;
}

export const USUAL_PATHS: LoopPaths = {
  piecesPath: "execution.graph.nodes",
  pieceLimitsPath: "safety.limits.per_node",
};

/** The grammar, whole. The defaults stand here and in the readers, nowhere else. */
export function readGrammar(fields: Fields): { readonly loop: Loop; readonly paths: LoopPaths } {
  const { piecesPath, ...execution } = fields.map("execution", readExecution);
  const { pieceLimitsPath, ...safety } = fields.map("safety", readSafety);
  const loop: Loop = {
    name: fields.text("name"),
    version: fields.text("version", "0.1.0"),
    description: fields.text("description", ""),
    environment: fields.word("environment", ["dev", "staging", "prod"], "dev"),
    features: fields.map("features", readFeatures),
    ...fields.map("intent", readIntent),
    ...execution,
    ...safety,
    evolution: fields.map("evolution", readEvolution),
  };
  return { loop, paths: { piecesPath, pieceLimitsPath } };
}

function readExecution(fields: Fields) {
  return {
    ...fields.map("graph", readGraph),
    ...fields.map("providers", readProviders),
    phases: fields.map("phases", readPhases),
    memory: fields.map("memory", readMemory),
    skills: fields.map("skills", readSkills),
    defaultSkills: fields.maps("default_skills", readDefaultSkill),
    triggers: fields.map("triggers", readTriggers),
  };
}

/** JSON Schema of the grammar for editors and other programs. */
export function loopSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "loop.yaml 1.0",
    ...SchemaFields.schemaOf(readGrammar),
  };
}
