import type { GraphEdge } from "./build.ts";
import { nodeId } from "./node-id.ts";
import type { EventTier, FileEvent } from "./tool-events.ts";

/** A file that one session wrote and another read. */
export interface Artifact {
  readonly path: string;
  readonly kind: string;
  /** In the order of their first writes. */
  readonly writers: readonly string[];
  readonly readers: readonly string[];
  readonly firstWriteMs: number;
  readonly writes: number;
  readonly reads: number;
}

export interface JoinedReads {
  readonly edges: readonly GraphEdge[];
  readonly artifacts: readonly Artifact[];
  readonly unmatched: number;
}

/** Each read with the latest write before it; where another session made that, it depends on it. */
export function joinReads(events: readonly FileEvent[]): JoinedReads {
  const writes = new Map<string, FileEvent[]>();
  const byTime = [...events].sort((a, b) => a.atMs - b.atMs || (nodeOf(a) < nodeOf(b) ? -1 : 1));
  for (const event of byTime) {
    if (event.kind !== "write") continue;
    const earlier = writes.get(event.path);
    if (earlier === undefined) writes.set(event.path, [event]);
    else earlier.push(event);
  }
  const edges: GraphEdge[] = [];
  let unmatched = 0;
  for (const read of byTime) {
    if (read.kind !== "read") continue;
    const write = writes.get(read.path)?.findLast((event) => event.atMs <= read.atMs);
    if (write === undefined) unmatched += 1;
    else if (nodeOf(write) !== nodeOf(read)) edges.push(artifactEdge(write, read));
  }
  return { edges, artifacts: artifactsOf(edges, byTime), unmatched };
}

function artifactEdge(write: FileEvent, read: FileEvent): GraphEdge {
  const tier: EventTier = write.tier === "verified" && read.tier === "verified" ? "verified" : "heuristic";
  return { from: nodeOf(write), to: nodeOf(read), kind: "artifact", tier, path: read.path };
}

function nodeOf(event: FileEvent): string {
  return nodeId(event.session, event.subagent);
}

function artifactsOf(edges: readonly GraphEdge[], byTime: readonly FileEvent[]): Artifact[] {
  const paths = [...new Set(edges.flatMap(({ path }) => path ?? []))].sort();
  const wanted = new Set(paths);
  const byPath = new Map<string, FileEvent[]>();
  for (const event of byTime) {
    if (wanted.has(event.path)) byPath.set(event.path, [...(byPath.get(event.path) ?? []), event]);
  }
  return paths.map((path) => {
    const own = byPath.get(path) ?? [];
    const writes = own.filter(({ kind }) => kind === "write");
    return {
      path,
      kind: kindOfFile(path),
      writers: [...new Set(writes.map(nodeOf))],
      readers: [...new Set(edges.flatMap((edge) => (edge.path === path ? edge.to : [])))].sort(),
      firstWriteMs: writes[0]?.atMs ?? 0,
      writes: writes.length,
      reads: own.length - writes.length,
    };
  });
}

const DOCUMENT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/plan|roadmap|todo|backlog|task|status/, "plan"],
  [/review|verdict|referee|audit|critique/, "review"],
  [/spec|rfc|contract|requirements|amendment/, "spec"],
  [/report|recon|summary|findings|postmortem|retro/, "report"],
];
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\.(ts|tsx|js|jsx|mjs|cjs|py|rs|go|java|kt|c|h|cc|cpp|cs|rb|php|swift|sh|sql|css|html)$/, "code"],
  [/\.(csv|tsv|jsonl|parquet|ndjson)$/, "data"],
  [/\.(json|ya?ml|toml|ini|cfg|conf|env|lock)$/, "config"],
];

/** What a file is for, by its path: always a guess. */
export function kindOfFile(path: string): string {
  const lower = path.toLowerCase();
  const name = lower.split("/").at(-1) ?? "";
  if (/(^|\/)tests?\//.test(lower) || /^test_.*\.py$|[._]test\.[a-z]+$|^conftest\.py$/.test(name))
    return "test";
  if (/\.(log|out|err)$/.test(name) || /(^|\/)logs\//.test(lower)) return "log";
  if (/\.(md|txt|rst|adoc)$/.test(name) || !name.includes(".")) {
    const said = DOCUMENT_WORDS.find(([pattern]) => pattern.test(name))?.[1];
    return said ?? (name.includes(".") ? "doc" : "other");
  }
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}
