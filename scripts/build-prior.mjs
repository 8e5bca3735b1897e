// Builds the shipped prior from published figures: `node scripts/build-prior.mjs`.
// The figures lie beside this script with the link of each row; `--import FILE` takes them from a larger collection.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cellOf, key, refuseNegative, scaleWeights, weightOf } from "./prior/weights.mjs";

const root = resolve(import.meta.dirname, "..");
const FIGURES = join(root, "scripts/prior/figures.json");
const PRIOR = join(root, "src/learn/prior/prior.json");
/** Harnesses that users can run; the others' effects only keep the models' apart. */
const HARNESSES = ["claude-code", "codex", "gemini-cli", "opencode"];
const REFERENCE_LEVELS = ["role:implementer", "topology:solo", "position:solo#0", "type:bug_fix"];
const ROW_FIELDS = [
  "id",
  "benchmark",
  "source_id",
  "source",
  "date",
  "model",
  "provider",
  "family",
  "effort",
].concat(["harness", "n_tasks", "trials", "pass_rate", "cost_usd_per_task", "tokens_total", "use"]);

const from = process.argv.indexOf("--import");
if (from > 0) importFigures(process.argv[from + 1]);
const figures = JSON.parse(readFileSync(FIGURES, "utf8"));
writeFileSync(PRIOR, `${JSON.stringify(build(figures), null, 2)}\n`);
spawnSync(join(root, "node_modules/.bin/biome"), ["format", "--write", PRIOR, FIGURES], { stdio: "ignore" });

/** Keeps the rows that the prior uses, with their links, and the named judgements. */
function importFigures(path) {
  const all = JSON.parse(readFileSync(path, "utf8"));
  const rows = all.rows
    .filter((row) => (row.use === "ok" || row.use === "caution") && row.topology === "solo")
    .map((row) => ({ ...row, tokens_total: row.tokens_per_task?.total ?? null }))
    .map((row) => Object.fromEntries(ROW_FIELDS.map((field) => [field, row[field] ?? null])));
  const { weights, slope_of, slope_range, compile_scales, export_sd_factor } = all.recommended;
  const { success, gate, cost_ln_usd, tokens_ln_total } = all.recommended;
  const cited = new Set(
    JSON.stringify([success.nodes, gate.nodes, cost_ln_usd.nodes]).match(/\be\d{3}\b/g) ?? [],
  );
  const figures = {
    about:
      "Published figures behind the shipped prior, one source link per row, and the judgements beside them.",
    compiled: all.compiled,
    weights,
    slope_of,
    slope_range,
    compile_scales,
    export_sd_factor,
    slopes: all.derived.success_scaled.slopes.map(({ benchmark, source_id, slope, rows: count }) => ({
      benchmark,
      source_id,
      slope,
      rows: count,
    })),
    sources: all.sources.map(({ id, title, weight_success, weight_cost_tokens }) => ({
      id,
      title,
      weight_success,
      weight_cost_tokens,
    })),
    effects: all.effects
      .filter(({ id }) => cited.has(id))
      .map(({ id, what, source }) => ({ id, what, source })),
    judgements: { success, gate, cost: cost_ln_usd, tokens: tokens_ln_total },
    rows,
  };
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 1)}\n`);
}

function build(figures) {
  refuseNegative(figures);
  const success = fitRows(successRows(figures), figures.compile_scales);
  const cost = fitRows(amountRows(figures, "cost_usd_per_task"), costScales(figures.judgements.cost.scales));
  const tokens = fitRows(amountRows(figures, "tokens_total"), costScales(figures.judgements.tokens.scales));
  const { judgements } = figures;
  return {
    version: figures.compiled,
    design_version: 1,
    about: "Summary of published figures about coding agents. Rebuild with scripts/build-prior.mjs.",
    heads: {
      success: head(success, judgements.success, figures, judgements.success.intercept),
      gate: {
        groups: groupsOf(judgements.success.scales),
        nodes: judgements.gate.nodes.map(renameGate).map(judged),
      },
      cost: {
        ...head(cost, judgements.cost, figures, {
          mean: Math.log(judgements.cost.intercept.ln_usd_median),
          sd: judgements.cost.intercept.sd,
        }),
        sigma: judgements.cost.sigma,
        omega: judgements.cost.omega,
      },
      tokens: { ...head(tokens, judgements.tokens, figures, { mean: Math.log(1.2e6), sd: 1.5 }) },
    },
  };
}

/** The gate of tests is called by its rule. */
function renameGate(node) {
  return node.id === "gate:tests" ? { ...node, id: "gate:tests_pass" } : node;
}

function groupsOf(scales) {
  const groups = {};
  for (const [group, [sd, lnSd]] of Object.entries(scales)) {
    groups[group] = { ln_phi_mean: round(Math.log(sd)), ln_phi_sd: lnSd };
  }
  return groups;
}

function judged({ id, mean, sd }) {
  return { id, mean, sd, runs: 0 };
}

/** Fitted nodes of models and harnesses, judged nodes of the rest, and the intercept of a known setup. */
function head(fitted, judgement, figures, setup) {
  const named = new Map(
    judgement.nodes.filter(({ id }) => !id.startsWith("acceptance:")).map((n) => [n.id, judged(n)]),
  );
  // The intercept is that of a solo implementer on a bug fix of middling size: these levels are its zero.
  for (const id of REFERENCE_LEVELS) if (!named.has(id)) named.set(id, { id, mean: 0, sd: 0.1, runs: 0 });
  named.set("topology:implement_check", { id: "topology:implement_check", mean: 0, sd: 0.3, runs: 0 });
  named.set("position:implement_check#0", { id: "position:implement_check#0", mean: 0, sd: 0.1, runs: 0 });
  const factor = figures.export_sd_factor;
  for (const { id, mean, sd, runs } of fitted) {
    const group = id.slice(0, id.indexOf(":"));
    if (group === "effort") continue;
    if (group === "harness" && (!HARNESSES.includes(id.slice(8)) || named.has(id))) continue;
    const width = group === "model" ? Math.max(0.4, sd) : sd * (factor[group] ?? 1);
    named.set(id, { id, mean: round(mean), sd: round(width), runs });
  }
  const reference = [
    "provider:anthropic",
    "family:anthropic/opus",
    "model:claude-opus-4-8",
    "harness:claude-code",
  ];
  const offset = reference.reduce((sum, id) => sum + (named.get(id)?.mean ?? 0), 0);
  named.set("fixed:intercept", {
    id: "fixed:intercept",
    mean: round(setup.mean - offset),
    sd: setup.sd,
    runs: 0,
  });
  const nodes = [...named.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { groups: groupsOf(judgement.scales), nodes };
}

function costScales(scales) {
  return Object.fromEntries(Object.entries(scales).map(([group, [sd]]) => [group, sd]));
}

function slopeOf(figures, row) {
  const source = figures.slope_of[`${row.source_id}/${row.benchmark}`] ?? row.source_id;
  const found = figures.slopes.find((one) => one.benchmark === row.benchmark && one.source_id === source);
  if (found === undefined) return 1;
  const [low, high] = figures.slope_range;
  const slope = Math.min(high, Math.max(low, found.slope));
  return found.rows < 8 ? (slope + 1) / 2 : slope;
}

function successRows(figures) {
  const { weights } = figures;
  const usable = figures.rows.filter((row) => {
    if (row.pass_rate === null || weightOf(figures, row, "weight_success") <= 0) return false;
    if (row.source_id === "tb21-launch" && row.benchmark !== "terminal-bench-2.1") return false;
    const trials = row.trials ?? row.n_tasks ?? 100;
    const solved = row.pass_rate * trials;
    return solved >= weights.min_successes && trials - solved >= weights.min_failures;
  });
  const scaled = scaleWeights(figures, usable);
  return usable.map((row) => {
    const a = slopeOf(figures, row);
    const p = Math.min(weights.clamp[1], Math.max(weights.clamp[0], row.pass_rate));
    const { w, mean } = scaled.get(key(figures, row));
    return {
      row,
      cell: cellOf(figures, row),
      y: Math.log(p / (1 - p)) / a,
      own: Math.max(1 / (w * mean * (1 - mean) * a * a), 0.12),
      noise: Math.max(1 / (8 * p * (1 - p) * a * a), 0.05),
    };
  });
}

/** Dollars or tokens. Dollars of different years are not compared. */
function amountRows(figures, field) {
  return figures.rows
    .filter((row) => row[field] > 0 && weightOf(figures, row, "weight_cost_tokens") > 0)
    .map((row) => ({
      row,
      cell: `${cellOf(figures, row)}${field === "tokens_total" ? "" : `/${row.date?.slice(0, 4) ?? ""}`}`,
      y: Math.log(row[field]),
      own: 1 / weightOf(figures, row, "weight_cost_tokens"),
      noise: 0.09,
    }));
}

/** The normal posterior of all nodes; nuisance intercepts and model-by-source terms are dropped. */
function fitRows(rows, scales) {
  const nodes = new Map();
  const node = (id, variance) => {
    if (!nodes.has(id)) nodes.set(id, { index: nodes.size, variance, runs: 0 });
    const known = nodes.get(id);
    known.runs += 1;
    return known.index;
  };
  const design = rows.map(({ row, cell, own }) => {
    const family = `${row.provider}/${row.family}`;
    const terms = [node(`c:${cell}`, 100), node(`u:${cell}|${row.model}`, own)];
    terms.push(node(`provider:${row.provider}`, scales.provider ** 2));
    terms.push(node(`family:${family}`, scales.family ** 2), node(`model:${row.model}`, scales.model ** 2));
    if (row.effort !== null) {
      terms.push(node(`effort:${row.effort}`, scales.effort ** 2));
      terms.push(node(`family_effort:${family}|${row.effort}`, scales.family_effort ** 2));
    }
    if (row.harness !== null) terms.push(node(`harness:${row.harness}`, scales.harness ** 2));
    return terms;
  });
  const n = nodes.size;
  const precision = Array.from({ length: n }, () => new Float64Array(n));
  const shift = new Float64Array(n);
  for (const { index, variance } of nodes.values()) precision[index][index] = 1 / variance;
  design.forEach((terms, i) => {
    for (const a of terms) {
      shift[a] += rows[i].y / rows[i].noise;
      for (const b of terms) precision[a][b] += 1 / rows[i].noise;
    }
  });
  const { mean, variance } = solve(precision, shift);
  return [...nodes]
    .filter(([id]) => !/^[cu]:/.test(id))
    .map(([id, { index, runs }]) => ({ id, mean: mean[index], sd: Math.sqrt(variance[index]), runs }));
}

function solve(matrix, right) {
  const n = right.length;
  const l = matrix.map((row) => Float64Array.from(row));
  for (let j = 0; j < n; j += 1) {
    for (let k = 0; k < j; k += 1) l[j][j] -= l[j][k] ** 2;
    l[j][j] = Math.sqrt(l[j][j]);
    for (let i = j + 1; i < n; i += 1) {
      let value = l[i][j];
      for (let k = 0; k < j; k += 1) value -= l[i][k] * l[j][k];
      l[i][j] = value / l[j][j];
    }
  }
  const forward = (b) => {
    const x = Float64Array.from(b);
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < i; k += 1) x[i] -= l[i][k] * x[k];
      x[i] /= l[i][i];
    }
    return x;
  };
  const mean = forward(right);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < n; k += 1) mean[i] -= l[k][i] * mean[k];
    mean[i] /= l[i][i];
  }
  const variance = Float64Array.from({ length: n }, (_, j) => {
    const unit = new Float64Array(n);
    unit[j] = 1;
    return forward(unit).reduce((sum, value) => sum + value * value, 0);
  });
  return { mean, variance };
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
