import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createCheckFiles } from "./adapters/check-files/index.ts";
import { createContainers } from "./adapters/containers/index.ts";
import { createWorkspaceProvider } from "./adapters/git/index.ts";
import { logFiles } from "./adapters/log-files/index.ts";
import { createProcessRunner } from "./adapters/process/index.ts";
import { which } from "./adapters/process/lookup.ts";
import { createCheckRooms } from "./adapters/rooms/index.ts";
import { createSessionFiles } from "./adapters/session-files/index.ts";
import { systemClock, systemEntropy } from "./adapters/system/clock.ts";
import type { Process } from "./compose.ts";
import { type CrashPoint, mortalRunner } from "./compose-crash.ts";
import { notifierOf } from "./compose-notify.ts";
import { pricesOf } from "./compose-prices.ts";
import { providersOf } from "./compose-providers.ts";
import { ok, type Result } from "./core/result.ts";
import { createUsageReader } from "./logs/usage-reader.ts";
import type { AttemptQueue } from "./ports/queue.ts";
import type { Store } from "./ports/store.ts";
import { HEARTBEAT_MS, type Heart, LEASE_MS, type RunPorts } from "./run/ports.ts";

/** Variables that tools of this machine may need beside PATH: proxies, certificates, language. */
const TOOL_VARIABLES =
  /^(HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|LANG|LC_\w+|npm_config_\w+|PIP_\w+|GOPROXY|GONOSUMDB|GOFLAGS|CARGO_HOME|RUSTUP_HOME)$/;

interface Parts {
  readonly process: Process;
  readonly home: string;
  readonly store: Store;
  readonly queue: AttemptQueue;
  readonly host: string;
  readonly point: CrashPoint;
}

/** Everything the engine touches, real. */
export async function enginePorts(parts: Parts): Promise<Result<RunPorts>> {
  const { process, home, store, queue, host, point } = parts;
  const prices = await pricesOf(home);
  if (!prices.ok) return prices;
  const toolPath = process.env["PATH"] ?? "";
  const runner = mortalRunner(createProcessRunner({ clock: systemClock, host, toolPath }), point);
  const self = runner.self();
  const toolEnv = Object.fromEntries(
    Object.entries(process.env).filter(
      (pair): pair is [string, string] => TOOL_VARIABLES.test(pair[0]) && pair[1] !== undefined,
    ),
  );
  return ok({
    clock: systemClock,
    entropy: systemEntropy,
    store,
    queue,
    process: runner,
    workspaces: createWorkspaceProvider({ environment: process.env, onStep: point }),
    rooms: createCheckRooms({
      process: runner,
      clock: systemClock,
      entropy: systemEntropy,
      toolPath,
      cacheDir: join(home, "cache"),
      toolEnv,
      onStep: (step) => point(`room ${step}`),
    }),
    checkFiles: createCheckFiles(),
    containers: createContainers({ path: process.env["PATH"] ?? "", which, environment: process.env }),
    providers: providersOf(process.env),
    prices: prices.value,
    usageReader: createUsageReader(logFiles(), {
      homeDir: process.env["HOME"] ?? home,
      variables: process.env,
    }),
    files: createSessionFiles(home),
    notifier: await notifierOf(home, process.env, process.talk),
    environment: process.env,
    holder: {
      pid: self.pid,
      host,
      bootId: self.bootId,
      startTicks: self.startTicks,
      since: new Date(systemClock.now()).toISOString(),
    },
    version: process.version,
    heart: threadHeart(home),
  });
}

/** One worker thread a lease. */
function threadHeart(home: string): Heart {
  return {
    keep: ({ session, fence }, onLost) => {
      const workerData = { home, session, fence, everyMs: HEARTBEAT_MS, leaseMs: LEASE_MS };
      const worker = new Worker(new URL("./heartbeat.cjs", import.meta.url), { workerData });
      worker.unref();
      worker.on("message", onLost);
      worker.on("error", () => undefined);
      return { stop: () => void worker.terminate() };
    },
  };
}
