import type { LogChunks, LogFile, LogListing, LogSource, LogTree } from "../../ports/log-source.ts";
import { readLog } from "./read.ts";
import { listTrees } from "./walk.ts";

/** Agent logs on this machine's file system. */
export function logFiles(): LogSource {
  return {
    list: async (trees: readonly LogTree[]): Promise<LogListing> => listTrees(trees),
    read: (file: Pick<LogFile, "path">, fromByte: number, toByte?: number): LogChunks =>
      readLog(file.path, fromByte, toByte),
  };
}
