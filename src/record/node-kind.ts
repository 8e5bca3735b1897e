const NODE_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    planner: "plan",
    implementer: "impl",
    worker: "impl",
    reviewer: "review",
    tester: "test",
    referee: "gate",
    docs: "docs",
  }),
);

/** The kind of node that a piece of this role is in the record. */
export function nodeKind(role: string | undefined): string {
  return NODE_KINDS.get(role ?? "") ?? "task";
}
