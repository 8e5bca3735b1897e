/** Questions to the edges of a workflow, from pieces to artifacts to pieces. */
type Edges = readonly (readonly [string, string])[];

/** Everything that a node depends on, itself left out. */
export function upstreamOf(node: string, edges: Edges): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [from, to] of edges) {
      if (to !== next || found.has(from)) continue;
      found.add(from);
      open.push(from);
    }
  }
  found.delete(node);
  return found;
}

/** The pieces that a piece waits for: those that write what it reads, in the order of `pieces`. */
export function dependenciesOf(piece: string, pieces: readonly string[], edges: Edges): readonly string[] {
  const read = edges.filter(([, to]) => to === piece).map(([from]) => from);
  const writers = new Set(edges.filter(([, to]) => read.includes(to)).map(([from]) => from));
  return pieces.filter((id) => id !== piece && writers.has(id));
}

/** A way around a circle, its first node repeated at the end; undefined when there is none. */
export function cycleOf(edges: Edges): readonly string[] | undefined {
  const stuck = inCircles(edges);
  const path: string[] = [];
  for (let node = [...stuck.keys()][0]; node !== undefined; node = stuck.get(node)) {
    const at = path.indexOf(node);
    if (at >= 0) return [...path.slice(at), node];
    path.push(node);
  }
  return undefined;
}

/** Nodes that stay when whatever leads nowhere is taken away again and again, each with one that follows it. */
function inCircles(edges: Edges): ReadonlyMap<string, string> {
  let left = edges;
  for (;;) {
    const starts = new Set(left.map(([from]) => from));
    const next = left.filter(([, to]) => starts.has(to));
    if (next.length === left.length) return new Map(left);
    left = next;
  }
}
