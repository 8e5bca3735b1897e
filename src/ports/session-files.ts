import type { Digest } from "../core/hash.ts";
import type { AttemptId, SessionId } from "../core/ids.ts";
import type { Result } from "../core/result.ts";

/** Our own folders and files of a session, outside any checkout. */
export interface SessionFiles {
  /** The folder that holds all of ours, the store too. */
  readonly home: string;
  /** For streams and the exit code of one attempt. */
  attemptDir(session: SessionId, attempt: AttemptId): string;
  /** For check rooms and other throw-away content of one session. */
  scratchDir(session: SessionId): string;
  /** For the object store and index of one checkout. */
  workspaceStore(realPath: string): string;
  worktreeDir(session: SessionId, name: string): string;
  /** The bytes of a file in pieces; nothing when it does not exist. */
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Makes `programs` executable in `folder`, by their names, and an empty file at `log` that they may write to. */
  writePrograms(
    folder: string,
    programs: Readonly<Record<string, string>>,
    log: string,
  ): Promise<Result<void>>;
  /** Hash inventory of a trace folder: says complete, not correct. */
  seal(dir: string): Promise<Result<Digest>>;
  /** A readable copy for people under `<topLevel>/.loopwright/sessions/`, which ignores itself. */
  writeEvidence(topLevel: string, path: string, text: string): Promise<Result<void>>;
  /** Names in one of our folders; none when it does not exist. */
  names(dir: string): Promise<readonly string[]>;
  /** Throws away what checks left. What was frozen at the start stays: a resume and a later verdict need it. */
  removeScratch(session: SessionId): Promise<void>;
  /** Throws away everything of a session that never began. */
  discard(session: SessionId): Promise<void>;
}
