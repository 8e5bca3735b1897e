/** A log file as found. `device` and `inode` tell a file from one that was put in its place. */
export interface LogFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly device: string;
  readonly inode: string;
}

/** One folder to search. `wants` gets paths below `root` with `/` between the parts; false for a folder leaves it out whole. */
export interface LogTree {
  readonly root: string;
  wants(relativePath: string, kind: "file" | "folder"): boolean;
}

export interface LogListing {
  /** Each real file once, sorted by path, however many links lead to it. */
  readonly files: readonly LogFile[];
  /** Folders and files that could not be read. A root that does not exist is no problem. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
}

/** Where agent logs come from. Read-only. */
export interface LogSource {
  list(trees: readonly LogTree[]): Promise<LogListing>;
  /**
   * The file's bytes in order, decompressed when its name ends in `.zst` (then `fromByte` counts decompressed bytes).
   * A chunk is valid until the next one is asked for. The iteration throws an Error with the reason when the file cannot be read (any further).
   */
  read(file: Pick<LogFile, "path">, fromByte: number): AsyncIterable<Uint8Array>;
}
