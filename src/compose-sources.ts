import { withDatabases } from "./adapters/log-databases/index.ts";
import { logFiles } from "./adapters/log-files/index.ts";
import type { OpenDatabase } from "./adapters/store-sqlite/driver.ts";
import { LOG_DATABASES } from "./logs/databases.ts";
import type { LogSource } from "./ports/log-source.ts";

/** Agents' logs of this machine; a driver for databases is loaded when the first one is read. */
export function logSource(): LogSource {
  let open: OpenDatabase | undefined;
  return withDatabases(logFiles(), LOG_DATABASES, async (path) => {
    open ??= await openerOrThrow();
    return open(path, "read-only");
  });
}

async function openerOrThrow(): Promise<OpenDatabase> {
  const { loadDriver } = await import("./adapters/store-sqlite/driver.ts");
  const driver = loadDriver();
  if (driver.ok) return driver.value;
  throw new Error(driver.problem.message);
}
