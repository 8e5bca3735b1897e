import type { Result } from "../core/result.ts";

/** The few files that a check and the engine exchange: report, metrics file, our reporter module. */
export interface CheckFiles {
  /** The first `capBytes` bytes of a regular file; undefined when there is none. */
  read(path: string, capBytes: number): Promise<Result<Uint8Array | undefined>>;
  /** Makes the folders above it (mode 700) and writes the file. */
  write(path: string, text: string): Promise<Result<void>>;
  /** Removes a file; an absent one is no problem. Never follows a link, never removes a folder. */
  remove(path: string): Promise<Result<void>>;
}
