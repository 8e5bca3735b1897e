import type { Json } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import { formatOcp, type Migration, migrateOcp } from "../formats/ocp/index.ts";
import { inferConfiguration } from "../formats/workflow/index.ts";
import type { AgentGraph } from "../logs/graph/build.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import type { SessionSummary } from "../logs/summary.ts";
import { graphDocument } from "../record/graph-document.ts";
import { nodePrices } from "./graph-read.ts";
import type { CommandContext } from "./types.ts";

/** A graph as a checked run document, with the workflow that it shows. */
export function documentOf(
  context: CommandContext,
  graph: AgentGraph,
  sessions: readonly SessionSummary[],
  prices: CallPrices,
  producer: string,
): Result<Migration> {
  const document = graphDocument(graph, {
    producer,
    version: context.version,
    now: instant(context.now()),
    microUsd: nodePrices(sessions, prices),
  });
  const json: Json = JSON.parse(JSON.stringify(document));
  return migrateOcp(formatOcp(json), inferConfiguration);
}
