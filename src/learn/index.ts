export {
  type Belief,
  DESIGN_VERSION,
  fitBelief,
  fitBeliefBeside,
  keepFit,
  runsInOrder,
  type ShippedPrior,
} from "./belief.ts";
export type { HeadBelief } from "./fit/head-belief.ts";
export { isFitOf } from "./keep.ts";
export { HeadDraws } from "./predict/draws.ts";
export { withListPrices } from "./prior/list-prices.ts";
export { type EffectView, effectView, partEffects } from "./ranges/effect.ts";
export * from "./rows/facts.ts";
export { knownFeatures } from "./rows/features.ts";
export { modelPath } from "./rows/model-path.ts";
export { OWN_FAMILY_EXT } from "./rows/preferences.ts";
export { lnListPrice, lnPriceChange, type PriceSteps, priceSteps } from "./rows/price-steps.ts";
export { horizonOf, type RunEvidence, readRun } from "./rows/read-run.ts";
export { workflowFacts } from "./rows/read-workflow.ts";
