export { type Belief, DESIGN_VERSION, fitBelief, type ShippedPrior } from "./belief.ts";
export type { HeadBelief } from "./fit/head-belief.ts";
export { HeadDraws } from "./predict/draws.ts";
export { type EffectView, effectView, partEffects } from "./ranges/effect.ts";
export * from "./rows/facts.ts";
export { knownFeatures } from "./rows/features.ts";
export { modelPath } from "./rows/model-path.ts";
export { type RunEvidence, readRun } from "./rows/read-run.ts";
export { workflowFacts } from "./rows/read-workflow.ts";
