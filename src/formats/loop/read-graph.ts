import type { Fields } from "./fields.ts";
import type { LoopPhases } from "./policy-types.ts";
import {
  LOOP_ROLES,
  type Loop,
  type LoopConcurrency,
  type LoopIsolation,
  type LoopJoin,
  type LoopPiece,
  TIERS,
} from "./types.ts";

export type LoopGraph = Pick<Loop, "pieces" | "concurrency" | "join" | "containerImage"> & {
  /** The key under which the file lists its pieces. */
  readonly piecesPath: string;
};

export function readGraph(fields: Fields): LoopGraph {
  const key = fields.spelling("pieces", "nodes");
  const containerImage = fields.optionalText("container_image");
  return {
    pieces: fields.maps(key, readPiece),
    concurrency: fields.map("concurrency", readConcurrency),
    join: fields.map("join", readJoin),
    ...(containerImage !== undefined && { containerImage }),
    piecesPath: fields.at(key),
  };
}

function readPiece(fields: Fields): LoopPiece {
  const provider = fields.optionalText("provider");
  const phase = fields.optionalText("stage");
  return {
    id: fields.text("id"),
    role: fields.word("role", LOOP_ROLES),
    instruction: fields.text("instruction"),
    dependsOn: fields.texts("depends_on"),
    goals: fields.texts("goals"),
    tier: fields.word("tier", TIERS, "standard"),
    ...(provider !== undefined && { provider }),
    skills: fields.texts("skills"),
    ...(phase !== undefined && { phase }),
    weight: fields.number("weight", 1),
    isolation: fields.map("isolation", readIsolation),
  };
}

function readIsolation(fields: Fields): LoopIsolation {
  return fields.variant<LoopIsolation["mode"], LoopIsolation>(
    "mode",
    {
      none: () => ({ mode: "none" }),
      worktree: () => ({ mode: "worktree" }),
      container: (container) => {
        const image = container.optionalText("image");
        const network = container.flag("network", false);
        return { mode: "container", ...(image !== undefined && { image }), network };
      },
    },
    "none",
  );
}

function readConcurrency(fields: Fields): LoopConcurrency {
  return fields.variant<LoopConcurrency["mode"], LoopConcurrency>(
    "mode",
    {
      sequential: () => ({ mode: "sequential" }),
      fixed: (fixed) => ({ mode: "fixed", maxParallel: fixed.whole("max_parallel") }),
      auto: (auto) => ({
        mode: "auto",
        cap: auto.whole("cap", 16),
        minMarginalGain: auto.number("min_marginal_gain", 0.05, { atLeast: 0 }),
      }),
    },
    "auto",
  );
}

function readJoin(fields: Fields): LoopJoin {
  return fields.variant<LoopJoin["strategy"], LoopJoin>(
    "strategy",
    {
      wait_for_all: () => ({ strategy: "wait_for_all" }),
      quorum: (quorum) => ({ strategy: "quorum", count: quorum.whole("count") }),
      first_success: () => ({ strategy: "first_success" }),
    },
    "wait_for_all",
  );
}

export function readPhases(fields: Fields): LoopPhases {
  const chains = fields.texts("dependency").map((text, index) => {
    const chain = text.split("->").map((name) => name.trim());
    if (chain.length < 2 || chain.includes("")) {
      fields.refuse(
        `dependency[${index}]`,
        `expected phases and arrows, got "${text}"`,
        "bad-input",
        "a -> b",
      );
    }
    return chain;
  });
  const items = fields.maps("items", (phase) => {
    const note = phase.optionalText("note");
    return {
      name: phase.text("name"),
      guideline: phase.text("guideline"),
      ...(note !== undefined && { note }),
    };
  });
  return { items, chains };
}
