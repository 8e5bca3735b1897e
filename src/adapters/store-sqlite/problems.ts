import { fail, type Result } from "../../core/result.ts";
import { DamagedRowError } from "./columns.ts";

/** Primary result codes of SQLite (sqlite.org/rescode.html); the driver reports extended ones, low byte first. */
const SQLITE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  auth: 23,
  notADatabase: 26,
} as const;

/** True while waiting may help. Locked and protocol are what a start or a recovery of another process can show. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.busy || code === SQLITE.locked || code === SQLITE.protocol;
}

/** The problem behind an error of SQLite or of the file system; rethrows every other error: it is a bug of ours. */
export function storeProblem(error: unknown, file: string): Result<never> {
  const cause = error instanceof Error ? { cause: error.message } : {};
  if (error instanceof DamagedRowError) return storeDamaged(file, error.message);
  switch (systemCode(error) ?? sqliteCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
    case SQLITE.full:
      return fail("store-full", `no space left for the store ${file}; nothing was written`, {
        hint: "free some disk space, then `loopwright loop resume`",
        ...cause,
      });
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return storeDamaged(file, error instanceof Error ? error.message : String(error));
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
    case "ENOENT":
    case "EIO":
    case SQLITE.readOnly:
    case SQLITE.ioError:
    case SQLITE.cantOpen:
    case SQLITE.auth:
      return fail("store-unusable", `the store ${file} cannot be read or written`, {
        hint: "check the folder's permissions and the disk, or choose another folder with LOOPWRIGHT_HOME",
        ...cause,
      });
    default:
      throw error;
  }
}

export function storeDamaged(file: string, cause: string): Result<never> {
  return fail("store-damaged", `the store ${file} is damaged`, {
    hint: "stop all loops, keep a copy, run `loopwright store check`, and put back the newest backup beside the file",
    cause,
  });
}

export function storeNewer(file: string, found: number, known: number): Result<never> {
  return fail("store-newer", `the store ${file} has schema version ${found}, this program knows ${known}`, {
    hint: "update loopwright to the version that wrote it",
  });
}

export function storeLocked(file: string, waitedMs: number, holder: string | undefined): Result<never> {
  const seconds = (waitedMs / 1000).toFixed(1);
  const by = holder ?? "another process";
  return fail("store-locked", `the store ${file} has been locked for ${seconds} s by ${by}`, {
    hint: "wait for that process or end it, then run the command again; nothing was lost",
  });
}

/** The shared-memory file could not be made as large as it must be: what a full disk gives when a store is opened. */
const SHARED_MEMORY_SIZE = 4874;

/**
 * The packaged driver 1.2.1 drops the number of an error that comes after the first row of `all`; what is left is
 * SQLite's own fixed text for it (sqlite3ErrStr). Not needed with node:sqlite.
 */
const CODE_OF_TEXT: Readonly<Record<string, number>> = {
  "database is locked": SQLITE.busy,
  "database table is locked": SQLITE.locked,
  "attempt to write a readonly database": SQLITE.readOnly,
  "disk I/O error": SQLITE.ioError,
  "database disk image is malformed": SQLITE.corrupt,
  "database or disk is full": SQLITE.full,
  "unable to open database file": SQLITE.cantOpen,
  "locking protocol": SQLITE.protocol,
  "file is not a database": SQLITE.notADatabase,
};

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  if ("errcode" in error && typeof error.errcode === "number") {
    return error.errcode === SHARED_MEMORY_SIZE ? SQLITE.full : error.errcode & 0xff;
  }
  return CODE_OF_TEXT[error.message];
}

function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^E[A-Z]+$/.test(error.code) ? error.code : undefined;
}
