import type { MapReader } from "./map-reader.ts";
import {
  LOOP_ROLES,
  type LoopConcurrency,
  type LoopGoal,
  type LoopJoin,
  type LoopPiece,
  TIERS,
} from "./types.ts";

const PIECE_LATER = {
  skills: "",
  stage: "",
  isolated: "write `isolation: {mode: worktree}` or leave it out",
};

export interface LoopGraph {
  readonly pieces: readonly LoopPiece[];
  readonly concurrency: LoopConcurrency;
  readonly join: LoopJoin;
  /** The key under which the file lists its pieces. */
  readonly piecesPath: string;
}

export function readGoals(intent: MapReader): readonly LoopGoal[] {
  return intent.maps("goals", (map) => {
    const priority = map.optional("priority", (key) => map.whole(key));
    const goal: LoopGoal = {
      name: map.text("name"),
      description: map.text("description"),
      dependsOn: map.texts("depends_on"),
      ...(priority !== undefined && { priority }),
    };
    map.close();
    return goal;
  });
}

export function readGraph(graph: MapReader): LoopGraph {
  const key = graph.spelling("pieces", "nodes");
  const read: LoopGraph = {
    pieces: graph.maps(key, readPiece),
    concurrency: readConcurrency(graph.map("concurrency")),
    join: readJoin(graph.map("join")),
    piecesPath: graph.at(key),
  };
  graph.close({ container_image: "" });
  return read;
}

function readPiece(map: MapReader): LoopPiece {
  const provider = map.optionalText("provider");
  const piece: LoopPiece = {
    id: map.text("id"),
    role: map.word("role", LOOP_ROLES),
    instruction: map.text("instruction"),
    dependsOn: map.texts("depends_on"),
    goals: map.texts("goals"),
    tier: map.word("tier", TIERS, "standard"),
    ...(provider !== undefined && { provider }),
    weight: map.number("weight", 1),
    isolation: readIsolation(map.map("isolation")),
  };
  map.close(PIECE_LATER);
  return piece;
}

function readIsolation(map: MapReader): LoopPiece["isolation"] {
  const mode = map.word("mode", ["none", "worktree", "container"], "none");
  if (mode === "container") {
    map.refuse("mode", "containers are not supported yet", "not-supported-yet", "use `mode: worktree`");
    return "worktree";
  }
  map.close({ image: "", network: "" });
  return mode;
}

function readConcurrency(map: MapReader): LoopConcurrency {
  const mode = map.word("mode", ["sequential", "fixed", "auto"], "auto");
  const read: LoopConcurrency =
    mode === "sequential"
      ? { mode }
      : mode === "fixed"
        ? { mode, maxParallel: map.whole("max_parallel") }
        : { mode, cap: map.whole("cap", 16), minMarginalGain: map.number("min_marginal_gain", 0.05, 0) };
  map.close();
  return read;
}

function readJoin(map: MapReader): LoopJoin {
  const strategy = map.word("strategy", ["wait_for_all", "quorum", "first_success"], "wait_for_all");
  const read: LoopJoin = strategy === "quorum" ? { strategy, count: map.whole("count") } : { strategy };
  map.close();
  return read;
}
