import { fail, ok, type Result } from "../core/result.ts";
import { migrateOcp, type OcpDocument } from "../formats/ocp/index.ts";
import { inferConfiguration } from "../formats/workflow/index.ts";
import type { AgentGraph } from "../logs/graph/build.ts";
import { documentGraph } from "../record/document-graph.ts";
import { MAX_DOCUMENT_BYTES } from "../record/intake.ts";
import { documentFiles } from "./document-files.ts";
import type { CommandContext } from "./types.ts";

/** A graph that can be shown, and what it is as a run document. */
export interface DrawnGraph {
  readonly graph: AgentGraph;
  /** Known dollars by node id, in millionths. */
  readonly microUsd: ReadonlyMap<string, number>;
  readonly document: () => Result<string>;
}

/** The attempts of run documents of any version; no log is read. As a run document one of them comes out whole. */
export async function fromDocuments(
  context: CommandContext,
  words: readonly string[],
): Promise<Result<DrawnGraph>> {
  const { paths, missing } = await documentFiles(context, words);
  if (missing.length > 0) return fail("no-such-file", `no such file or folder: ${missing.join(", ")}`);
  if (paths.length === 0) return fail("no-such-file", `no *.ocp.json in ${words.join(", ")}`);
  const texts: string[] = [];
  const drawn = [];
  for (const path of paths) {
    const bytes = await context.files.read(path, MAX_DOCUMENT_BYTES);
    if (!bytes.ok) return bytes;
    const migrated = migrateOcp(bytes.value, inferConfiguration);
    if (!migrated.ok) return fail(migrated.problem.code, `${path}: ${migrated.problem.message}`);
    texts.push(migrated.value.text);
    const document: OcpDocument = JSON.parse(migrated.value.text);
    drawn.push(documentGraph(document, paths.length === 1 ? undefined : (id) => `${document.run.id}/${id}`));
  }
  const [only = ""] = texts;
  return ok({
    graph: {
      nodes: drawn.flatMap(({ graph }) => graph.nodes),
      edges: drawn.flatMap(({ graph }) => graph.edges),
      artifacts: drawn.flatMap(({ graph }) => graph.artifacts),
      readsWithoutWrites: 0,
      launchesWithoutSession: 0,
    },
    microUsd: new Map(drawn.flatMap(({ microUsd }) => [...microUsd])),
    document: () =>
      texts.length === 1
        ? ok(only)
        : fail("bad-flag", "several run documents do not become one", {
            hint: "name one file, or use --format json, dot or html",
          }),
  });
}
