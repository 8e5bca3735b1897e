import type { LogChunks, LogListing, LogSource, LogTree } from "../../ports/log-source.ts";
import { pourLog, readLog } from "./read.ts";
import { listTrees } from "./walk.ts";

/** Agent logs on this machine's file system. */
export function logFiles(): LogSource {
  return {
    list: async (trees: readonly LogTree[]): Promise<LogListing> => listTrees(trees),
    read: ({ path, sizeBytes }, fromByte: number, toByte?: number): LogChunks =>
      readLog(path, fromByte, { toByte, sizeBytes }),
    pour: ({ path, sizeBytes }, fromByte, into) => pourLog(path, fromByte, sizeBytes, into),
  };
}
