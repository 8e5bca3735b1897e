export { CATALOGUE_IDS, catalogue, catalogueShapes, namedWorkflow } from "./catalogue.ts";
export { diffLines, labelOf } from "./compare.ts";
export { dependenciesOf } from "./flow.ts";
export { formatWorkflow } from "./format.ts";
export { fromOcp } from "./from-ocp.ts";
export { inferConfiguration } from "./infer-ocp.ts";
export { parseWorkflow, type WorkflowRead } from "./parse.ts";
export { parseSet, type SetOverride } from "./read-settings.ts";
export { foldRole, type Role } from "./roles.ts";
export {
  allShapes,
  buildShape,
  DEFAULT_ROUNDS,
  nearestInCatalogue,
  type Shape,
  shapeName,
  shapeNamed,
} from "./shapes.ts";
export {
  configurationIdOf,
  isConfiguration,
  toOcpSetting,
  toOcpSettings,
  toOcpWorkflow,
} from "./to-ocp.ts";
export * from "./types.ts";
