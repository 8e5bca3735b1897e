import type { Json } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import { formatOcp, type Migration, migrateOcp } from "../formats/ocp/index.ts";
import { inferConfiguration } from "../formats/workflow/index.ts";
import type { AgentGraph } from "../logs/graph/build.ts";
import { graphDocument } from "../record/graph-document.ts";
import type { CommandContext } from "./types.ts";

/** A graph as a checked run document, with the workflow that it shows. `microUsd`: known dollars by node id, in millionths. */
export function documentOf(
  context: CommandContext,
  graph: AgentGraph,
  microUsd: ReadonlyMap<string, number>,
  producer: string,
): Result<Migration> {
  const document = graphDocument(graph, {
    producer,
    version: context.version,
    now: instant(context.now()),
    microUsd,
  });
  const json: Json = JSON.parse(JSON.stringify(document));
  return migrateOcp(formatOcp(json), inferConfiguration);
}
