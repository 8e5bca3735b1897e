import type { ShippedPrior } from "../belief.ts";
import prior from "./prior.json" with { type: "json" };

/** The prior that comes with the program: a summary of published figures, see docs/planning.md. */
export const SHIPPED_PRIOR: ShippedPrior = prior;
