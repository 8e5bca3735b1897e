import type { Result } from "../core/result.ts";

/** Files that the user names on a command line, relative to where the command was started. */
export interface UserFiles {
  kind(path: string): Promise<"file" | "folder" | "none">;
  /** Paths of the files in a folder whose names end in `ending`, sorted; not of folders below it. */
  list(folder: string, ending: string): Promise<readonly string[]>;
  /** Relative paths of all files below a folder, sorted, with `/`; links are not followed; at most `most`. */
  below(folder: string, most: number): Promise<readonly string[]>;
  /** `no-such-file` when it cannot be read, `bad-input` when it is larger than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Result<Uint8Array>>;
  /** Whole or not at all; missing folders are made. `bad-input` when it cannot be written. */
  write(path: string, text: string): Promise<Result<void>>;
  /**
   * The newest change of a file or folder at or below a path, in ms; 0 when there is nothing. Without what links lead to and
   * without everything of a name in `skip`, at any depth.
   */
  changedAt(path: string, skip: readonly string[]): Promise<number>;
}
