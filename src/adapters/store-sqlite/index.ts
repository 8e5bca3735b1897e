export { hasDatabase } from "./home.ts";

import { ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AttemptQueue } from "../../ports/queue.ts";
import type { Store } from "../../ports/store.ts";
import { blobs } from "./blobs.ts";
import { commands } from "./commands.ts";
import type { Connection } from "./connection.ts";
import { loadDriver } from "./driver.ts";
import { blobFolder, databaseFile, refuseNetworkFileSystem } from "./home.ts";
import { integrity } from "./integrity.ts";
import { leases } from "./leases.ts";
import { loopRecords } from "./loop-records.ts";
import { openWriter } from "./open-writer.ts";
import { attemptQueue } from "./queue.ts";
import { Reader } from "./reader.ts";
import { recommendations } from "./recommendations.ts";
import { runs } from "./runs.ts";
import { sessions } from "./sessions.ts";
import type { WritePoint } from "./write-points.ts";

export { WRITE_POINTS, type WritePoint } from "./write-points.ts";

export interface StoreOptions {
  /** Makes no file and takes no lock; a store that is not there reads as empty, and writing is a bug. */
  readonly readOnly?: boolean;
  /** Called just before and just after each durable step: a crash test ends the process in it. */
  readonly onWritePoint?: (name: WritePoint) => void;
  /** How long a store that others write to is tried again before `store-locked`; 5 s by default. */
  readonly lockWaitMs?: number;
}
export interface OpenedStore {
  readonly store: Store;
  readonly queue: AttemptQueue;
}

/**
 * Opens the embedded store in `home` (`loopwright.db` and `blobs/`), making or migrating it when needed. Problems:
 * `store-unusable`, `store-network-fs`, `store-newer`, `store-locked`, `store-full`, `store-damaged`.
 */
export async function openStore(
  home: string,
  clock: Clock,
  options: StoreOptions = {},
): Promise<Result<OpenedStore>> {
  const local = refuseNetworkFileSystem(home);
  if (!local.ok) return local;
  const driver = loadDriver();
  if (!driver.ok) return driver;
  const file = databaseFile(home);
  const { lockWaitMs = 5000, onWritePoint = () => undefined } = options;
  const patience = { clock, lockWaitMs };
  const connection = options.readOnly
    ? await openReader(new Reader(file, driver.value, patience))
    : await openWriter(home, driver.value, { ...patience, onWritePoint });
  if (!connection.ok) return connection;
  return ok(assemble(connection.value, home, clock, onWritePoint));
}

/** The two ports over one connection. */
export function assemble(
  connection: Connection,
  home: string,
  clock: Clock,
  onWritePoint: (name: WritePoint) => void,
): OpenedStore {
  const store: Store = {
    ...sessions(connection, clock),
    ...leases(connection),
    ...commands(connection),
    ...blobs(blobFolder(home), onWritePoint),
    ...integrity(connection, blobFolder(home)),
    ...runs(connection),
    ...recommendations(connection),
    ...loopRecords(connection),
    close: () => connection.close(),
  };
  return { store, queue: attemptQueue(connection) };
}

/** A first read tells whether the file can be read at all. */
async function openReader(reader: Reader): Promise<Result<Connection>> {
  const probe = await reader.read(() => undefined);
  return probe.ok ? ok(reader) : probe;
}
