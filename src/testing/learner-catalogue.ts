import type { AttemptFacts, PartFacts, PieceFacts, RunFacts, WorkflowFacts } from "../learn/index.ts";
import { monthOf } from "../learn/index.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic } from "../learn/kernels/normal.ts";

/** How varied the work of a simulated user is. */
export interface Catalogue {
  readonly types: number;
  readonly repositories: number;
  readonly models: number;
  readonly shapes: number;
  readonly parts: number;
  readonly months: number;
}

const FAMILIES = ["claude-opus", "claude-sonnet", "gpt-6-astra", "gpt-6-luna", "gemini-3-pro"];
const EFFORTS = ["low", "medium", "high"];
const LANGUAGES = ["go", "python", "rust", "typescript"];
const SIZES = ["small", "medium", "large"];
const LAST_MONTH = monthOf(Date.UTC(2026, 10));

/** Runs of one user: implement, then review with a gate, up to three rounds. Equal arguments give equal runs. */
export function simulateUser(seed: number, count: number, catalogue: Catalogue): readonly RunFacts[] {
  return Array.from({ length: count }, (_, n) => simulateRun(seed, n, count, catalogue));
}

function simulateRun(seed: number, n: number, count: number, catalogue: Catalogue): RunFacts {
  const stream = keyedStream(seed, `user run ${n}`);
  const truth = keyedStream(seed, "user effects");
  let next = 0;
  const below = (limit: number): number => {
    next += 1;
    return Math.floor(stream.uniform(next) ** 1.5 * limit);
  };
  const [type, repo, shape] = [
    below(catalogue.types),
    below(catalogue.repositories),
    below(catalogue.shapes),
  ];
  const pieces = ["implement", "review"].map((role) => {
    const model = below(catalogue.models);
    const piece = pieceOf(role, model, EFFORTS[below(EFFORTS.length)] ?? "high");
    return { model, piece };
  });
  const workflow: WorkflowFacts = {
    shape: `shape-${shape}`,
    pieces: pieces.map(({ piece }) => piece),
    gates: [{ id: "review", rule: "review", piece: "review", sendsBackTo: "implement" }],
    rounds: 3,
  };
  const models = pieces.map(({ model }) => model);
  const skill =
    0.4 + 0.5 * truth.normal(type) + models.reduce((sum, m) => sum + 0.3 * truth.normal(100 + m), 0);
  const passes = [0, 1, 2].map((round) => stream.uniform(200 + round) < logistic(skill + 0.3 * round));
  const roundsUsed = passes.includes(true) ? passes.indexOf(true) + 1 : 3;
  const shared = 0.4 * stream.normal(300);
  const attempts = Array.from({ length: roundsUsed }, (_, round) =>
    pieces.map(({ piece, model }, p): AttemptFacts => {
      const noise = shared + 0.5 * stream.normal(310 + 2 * round + p);
      const costUsd = Math.exp(0.2 * model - p + 0.3 * truth.normal(200 + shape) + noise);
      return {
        piece: piece.id,
        round: round + 1,
        setting: piece.setting,
        costUsd,
        costWeight: 1,
        tokens: Math.round(1e5 * costUsd),
        isFailed: p === 0 && passes[round] === false,
      };
    }),
  ).flat();
  return {
    id: `run-${String(n).padStart(7, "0")}`,
    source: "user",
    task: {
      id: `task-${n}`,
      type: `type-${type}`,
      repo: `acme/r${repo}`,
      features: new Map([
        ["language", LANGUAGES[below(LANGUAGES.length)] ?? "go"],
        ["size", SIZES[below(SIZES.length)] ?? "small"],
      ]),
    },
    workflow,
    month: LAST_MONTH - catalogue.months + 1 + Math.floor((n / count) * catalogue.months),
    verdict: { isAccepted: stream.uniform(400) < logistic(skill + 0.6), reliability: 0.98 },
    roundsUsed,
    isExhausted: !passes.includes(true),
    attempts,
    gates: passes
      .slice(0, roundsUsed)
      .map((isPassed, round) => ({ gate: "review", round: round + 1, isPassed })),
    scores: [],
    parts: Array.from({ length: catalogue.parts }, (_, part) => part)
      .filter((part) => stream.uniform(500 + part) < 0.3)
      .map((part): PartFacts => ({ harness: "claude-code", part: `skill:s${part}`, share: 1 })),
  };
}

function pieceOf(role: string, model: number, effort: string): PieceFacts {
  const name = `${FAMILIES[model % FAMILIES.length]}-${Math.floor(model / FAMILIES.length)}`;
  return {
    id: role,
    role: role === "review" ? "reviewer" : "implementer",
    width: 1,
    setting: { harness: "claude-code", model: name, effort },
    isMechanical: false,
    dependsOn: role === "review" ? ["implement"] : [],
  };
}
