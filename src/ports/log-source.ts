/** A log file as found. `device` and `inode` tell a file from one that was put in its place. */
export interface LogFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** With fractions: exact to a quarter of a microsecond. */
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

/** At once where there is nothing to wait for: a hand-over for each chunk takes longer than most chunks. */
export type LogChunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Takes a file's bytes in memory of its own, so that no block of them is copied. */
export interface LogSink {
  /** How many bytes may come next, into `bytes` from `at` on; asked before each time, which may move both. */
  room(): number;
  readonly bytes: Uint8Array;
  readonly at: number;
  took(count: number): void;
}

/** Where agent logs come from. Read-only. */
export interface LogSource {
  list(trees: readonly LogTree[]): Promise<LogListing>;
  /**
   * The file's bytes in order, decompressed when its name ends in `.zst` (then `fromByte` counts decompressed bytes).
   * `toByte` ends the reading early, and so does the size that was listed: what was appended since belongs to the next
   * reading. A chunk is valid until the next one is asked for. The iteration throws an Error with the reason when the file
   * cannot be read (any further).
   */
  read(
    file: Pick<LogFile, "path"> & Partial<Pick<LogFile, "sizeBytes">>,
    fromByte: number,
    toByte?: number,
  ): LogChunks;
  /**
   * The same bytes at once, up to the size that was listed. False, and nothing done, for a file that must be read in
   * another way. Throws an Error with the reason when the file cannot be read (any further).
   */
  pour(
    file: Pick<LogFile, "path"> & Partial<Pick<LogFile, "sizeBytes">>,
    fromByte: number,
    into: LogSink,
  ): boolean;
}

/**
 * What is read of an agent's SQLite database, by the name of its file: one line of JSON for each row of each query, with
 * the query's name as `table`. Text of conversations is never selected. A query that this version of the database cannot
 * answer gives one line with its `problem`.
 */
export interface LogDatabase {
  readonly fileName: RegExp;
  readonly queries: Readonly<Record<string, string>>;
}

/**
 * What earlier scans learned, kept between runs. Losing any of it costs time, never a result: readers check what they
 * get against the files. Failures to read or write are silent for that reason.
 */
export interface LogCache {
  /** Files of this size on get a checkpoint; shorter ones are read again whole when they change. */
  readonly longFileBytes: number;
  /** No scan has left anything yet. */
  isEmpty(): boolean;
  index(): Uint8Array | undefined;
  newIndex(): NewIndex;
  /** What all files came to, as text that says which versions of which files it is of. */
  totals(): string | undefined;
  /** Replaces the totals whole. */
  saveTotals(text: string): void;
  /** Where the reading of one long file stopped; `key` is a file name. */
  checkpoint(key: string): string | undefined;
  saveCheckpoint(key: string, text: string): void;
}

/** An index that is being written, line by line so that nobody needs to hold all of it. One of the two ends it. */
export interface NewIndex {
  add(line: string): void;
  /** Replaces the index whole, so that a concurrent reader sees the old or the new one; keeps only these checkpoints. */
  finish(checkpoints: readonly string[]): void;
  drop(): void;
}

/** The files that must be read together: one session's, or one thread's. */
export interface LogGroup {
  readonly agent: string;
  readonly id: string;
  readonly files: readonly LogFile[];
}

/** What is read together: one group, or several that share calls. */
export type LogSet = readonly LogGroup[];

/** Reads sets of log files, on as many threads as it sees fit, in any order. What was read of a set is one line of text. */
export interface LogReaders {
  read(sets: readonly LogSet[]): AsyncIterable<readonly string[]>;
  /** Much may be read soon: what takes time to get ready does so meanwhile. */
  prepare(): void;
  /** Ends what is kept ready for a further reading. */
  close(): void;
}
