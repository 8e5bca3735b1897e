import accepted from "./accepted.mjs";
import costs from "./costs.mjs";
import drift from "./drift.mjs";
import gates from "./gates.mjs";
import parts from "./parts.mjs";
import prior from "./prior.mjs";
import ranks from "./ranks.mjs";
import sampler from "./sampler.mjs";

/**
 * Each has `cells(isQuick)`, one per row of its table, with how many simulated `users` it has; `user(lib, cell, seed)`,
 * sums over one of them; and `print(rows)`, which prints the table of `{cell, users}` and says what was to be reached.
 */
export const STUDIES = [parts, ranks, sampler, drift, costs, accepted, gates, prior];
