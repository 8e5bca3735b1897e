import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { storeProblem } from "./problems.ts";

/** File systems that cannot share memory between hosts, which WAL needs: `f_type` of statfs(2) on Linux. */
const NETWORK_TYPES: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "CIFS",
  1397113167: "AFS",
  1937076805: "Coda",
  22092: "NCP",
  16914839: "9p",
  12805120: "Ceph",
  198183888: "Lustre",
  18225520: "GFS2",
  1952539503: "OCFS2",
  1196443219: "GPFS",
};

export function databaseFile(home: string): string {
  return join(home, "loopwright.db");
}

/** Whether a store was ever made in this home; opens nothing. */
export function hasDatabase(home: string): boolean {
  return existsSync(databaseFile(home));
}

export function blobFolder(home: string): string {
  return join(home, "blobs");
}

/** Makes the folders (mode 700) and the database file (mode 600), synced, when they are not there. */
export function prepareHome(home: string): Result<void> {
  const file = databaseFile(home);
  try {
    if (existsSync(file)) return ok(undefined);
    const made = mkdirSync(home, { recursive: true, mode: 0o700 });
    mkdirSync(blobFolder(home), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
    syncFolder(home);
    if (made !== undefined) syncFolder(dirname(made));
    return ok(undefined);
  } catch (error) {
    return storeProblem(error, file);
  }
}

/** Refuses a home on a network share with `store-network-fs`; the folder itself need not exist yet. */
export function refuseNetworkFileSystem(home: string, typeOf = fileSystemType): Result<void> {
  let folder = home;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const network = NETWORK_TYPES[typeOf(folder)];
  if (network === undefined) return ok(undefined);
  return fail("store-network-fs", `the store ${home} is on a network file system (${network})`, {
    hint: "choose a folder on a local disk with LOOPWRIGHT_HOME, or share a store through LOOPWRIGHT_STORE=postgres://...",
  });
}

/** Zero where the type says nothing: the numbers are Linux's. Some are negative in 32 bits there. */
function fileSystemType(folder: string): number {
  return process.platform === "linux" ? statfsSync(folder).type >>> 0 : 0;
}

/** Makes created and renamed names in a folder durable. Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
