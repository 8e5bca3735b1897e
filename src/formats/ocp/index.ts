export { configurationId, type WorkflowLookup } from "./configuration-id.ts";
export type { Finding } from "./finding.ts";
export { formatOcp } from "./format.ts";
export { type NumberTexts, readJson } from "./json-text.ts";
export { type InferConfiguration, type Migration, migrateOcp } from "./migrate.ts";
export { ocpSchema } from "./ocp-schema.ts";
export { checkSlateSet } from "./rules/slate-set.ts";
export { type FoundBy, runKeys } from "./run-keys.ts";
export { ocpToContract } from "./to-contract.ts";
export * from "./types.ts";
export {
  asOcpDocument,
  type OcpReport,
  type ReadOcp,
  readStoredOcp,
  type ValidateOptions,
  validateOcp,
} from "./validate.ts";
