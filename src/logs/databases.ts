import type { LogDatabase } from "../ports/log-source.ts";
import { OPENCODE_DATABASE } from "./opencode/index.ts";
import { ATRIUM_DATABASE, BB_DATABASE, ORCA_DATABASE } from "./orchestrators/index.ts";

/** The databases that readers of ours know, for whoever opens them. */
export const LOG_DATABASES: readonly LogDatabase[] = [
  OPENCODE_DATABASE,
  ORCA_DATABASE,
  BB_DATABASE,
  ATRIUM_DATABASE,
];

/** New rows of a database stand in its journal until they are moved; it is listed to see changes, and never read itself. */
export function isJournal(path: string): boolean {
  return path.endsWith("-wal");
}

/** Files of one database are one group. */
export function databaseGroup(path: string): string {
  return path.replace(/-wal$/, "");
}
