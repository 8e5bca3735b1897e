import { checkLoop } from "./check-loop.ts";
import { openLoop } from "./document.ts";
import { type Finding, Findings } from "./findings.ts";
import { type LoopPaths, readGrammar, USUAL_PATHS } from "./grammar.ts";
import { MapReader } from "./map-reader.ts";
import { OLD_KEYS } from "./migrate.ts";
import { findRisks } from "./risks/index.ts";
import type { Loop } from "./types.ts";

/** What a loop file says, as far as it could be read. */
export interface LoopRead {
  /** Absent when a value has no meaning; a loop that breaks rules across values is there. */
  readonly loop?: Loop;
  /** In the order of the file. */
  readonly findings: readonly Finding[];
  /** Under which spelling the file lists its pieces and their limits. */
  readonly paths: LoopPaths;
  /** Whether the file itself says something there. */
  isWritten(path: string): boolean;
  /** `file:line:column` of a path of the 1.0 grammar, or of the nearest thing around it that is written down. */
  placeOf(path: string): string | undefined;
}

/**
 * Reads a loop.yaml (YAML 1.2, so JSON too). Everything at once, each finding at its `file:line:column`; a key that the
 * grammar does not have is refused with the key it was probably meant to be. The 0.3 grammar is read too; paths are then
 * those of 1.0, places those of the text.
 */
export async function parseLoop(text: string, file: string): Promise<LoopRead> {
  const opened = await openLoop(text, file);
  const findings = new Findings();
  const isWritten = (path: string) => findings.isWritten(path);
  const placeOf = (path: string) => findings.placeOf(path);
  if (!opened.ok) {
    const broken = opened.problems.map((problem): Finding => ({ severity: "error", path: "", ...problem }));
    return { findings: broken, paths: USUAL_PATHS, isWritten, placeOf };
  }
  const { root, moves } = opened.value;
  for (const { from, to, at, isDropped } of moves) {
    if (!isDropped) continue;
    findings.mark(from, at);
    findings.error("bad-input", from, `means the same as ${to}, which is written too`, "remove one of them");
  }
  const { loop, paths } = MapReader.readWhole(root, findings, readGrammar, OLD_KEYS);
  checkLoop(loop, paths, findings);
  if (findings.isRead) findRisks(loop, paths, findings);
  return { ...(findings.isRead && { loop }), findings: findings.all, paths, isWritten, placeOf };
}
