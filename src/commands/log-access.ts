import type { Result } from "../core/result.ts";
import type { LogEnvironment } from "../logs/environment.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import type { ScanPorts } from "../logs/summary-scan.ts";

/** The agents' own logs on this machine. */
export interface LogAccess {
  readonly env: LogEnvironment;
  ports(useCache: boolean): ScanPorts;
  /**
   * The user's price table in front of ours; the catalogue, which takes time to load, behind them when one of the
   * models needs it. A table that cannot be read is a problem, never left out.
   */
  prices(models: ReadonlySet<string>, file?: string): Promise<Result<CallPrices>>;
}
