export { configurationId, type WorkflowLookup } from "./configuration-id.ts";
export type { Finding } from "./finding.ts";
export { formatOcp } from "./format.ts";
export { type Migration, migrateOcp } from "./migrate.ts";
export { ocpSchema } from "./ocp-schema.ts";
export { checkSlateSet } from "./rules/slate-set.ts";
export * from "./types.ts";
export { asOcpDocument, type OcpReport, type ValidateOptions, validateOcp } from "./validate.ts";
