import { type Finding, finding, type Report } from "../finding.ts";
import { textAt } from "../members.ts";

/**
 * E194 across the documents of one call: runs of one slate have one task and one base commit. The first
 * document of a slate sets the expectation; findings are given per document, in the order of `documents`.
 */
export function checkSlateSet(documents: readonly unknown[]): readonly (readonly Finding[])[] {
  const expected = new Map<
    string,
    { readonly task: string | undefined; readonly commit: string | undefined }
  >();
  return documents.map((document) => {
    const found: Finding[] = [];
    const slate = textAt(document, "run", "slate", "id");
    if (slate === undefined) return found;
    const task = textAt(document, "run", "task", "id");
    const commit =
      textAt(document, "run", "task", "base_commit") ?? textAt(document, "run", "slate", "base_commit");
    const first = expected.get(slate);
    if (first === undefined) expected.set(slate, { task, commit });
    const report: Report = (code, path, message) => found.push(finding(code, path, message));
    if (first !== undefined && first.task !== task) {
      report(
        "E194",
        ["run", "task", "id"],
        `another run of the slate '${slate}' has the task '${first.task}'`,
      );
    }
    if (first !== undefined && first.commit !== commit) {
      const path = ["run", "task", "base_commit"];
      report("E194", path, `another run of the slate '${slate}' started from '${first.commit}'`);
    }
    return found;
  });
}
