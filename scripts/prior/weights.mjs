// How much each published figure counts in the shipped prior.

export function cellOf(figures, row) {
  const shared = figures.slope_of[`${row.source_id}/${row.benchmark}`];
  return `${shared ?? row.source_id}/${row.benchmark}`;
}

export function weightOf(figures, row, field) {
  const own = figures.weights.by_benchmark[row.source_id]?.[row.benchmark];
  const source = figures.sources.find(({ id }) => id === row.source_id);
  return (field === "weight_success" ? own : undefined) ?? source?.[field] ?? 0;
}

export function key(figures, row) {
  return `${cellOf(figures, row)}|${row.model}`;
}

/** Pseudo-runs of each model in each cell, capped so that no model counts more than 15. */
export function scaleWeights(figures, rows) {
  const cells = new Map();
  for (const row of rows) {
    const id = key(figures, row);
    const cell = cells.get(id) ?? {
      model: row.model,
      benchmark: row.benchmark,
      rates: [],
      w: 0,
      cautious: true,
    };
    cell.rates.push(Math.min(0.97, Math.max(0.03, row.pass_rate)));
    cell.w = Math.max(cell.w, weightOf(figures, row, "weight_success"));
    cell.cautious &&= row.use === "caution";
    cells.set(id, cell);
  }
  for (const cell of cells.values()) if (cell.cautious) cell.w *= figures.weights.caution_factor;
  const cap = (matches, most) => {
    const chosen = [...cells.values()].filter(matches);
    const total = chosen.reduce((sum, { w }) => sum + w, 0);
    if (total > most) for (const cell of chosen) cell.w *= most / total;
  };
  for (const model of new Set(rows.map((row) => row.model))) {
    cap(
      (cell) => cell.model === model && cell.benchmark === "terminal-bench-4.0",
      figures.weights.cap_terminal_bench_4,
    );
    cap((cell) => cell.model === model, figures.weights.cap_per_model);
  }
  return new Map(
    [...cells].map(([id, { w, rates }]) => [
      id,
      { w, mean: rates.reduce((a, b) => a + b, 0) / rates.length },
    ]),
  );
}

/** A weight below zero would turn what a figure says around. */
export function refuseNegative({ weights, sources }) {
  const named = [
    ...Object.entries(weights.by_benchmark).flatMap(([source, own]) =>
      Object.entries(own).map(([benchmark, weight]) => [`${source}/${benchmark}`, weight]),
    ),
    ...sources.flatMap(({ id, weight_success, weight_cost_tokens }) => [
      [id, weight_success ?? 0],
      [id, weight_cost_tokens ?? 0],
    ]),
  ];
  const wrong = named.find(([, weight]) => !(weight >= 0));
  if (wrong !== undefined) throw new RangeError(`the weight of ${wrong[0]} is ${wrong[1]}`);
}
