import { assertNever } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessEnd, ProcessOutcome, ProcessRequest, RunningProcess } from "../../ports/process.ts";
import { Family } from "./family.ts";
import { KillLadder } from "./kill-ladder.ts";
import { type ChildEnd, type Launched, readRecord } from "./launch.ts";
import { identityOf, type ProcessTable } from "./process-table.ts";
import type { ShimRecord } from "./shim.ts";
import { signalOfExitCode } from "./signals.ts";
import { StreamTail } from "./stream-tail.ts";

const TICK_MS = 20;
/** While we do not get to look, because we are blocked or stopped, a process is not called quiet. */
const LONGEST_QUIET_TICK_MS = 100;
/** How often descendants are noted where only descent tells them: at every tick at first, then more calmly. */
const EAGER_SAMPLING_MS = 2000;
const SAMPLE_EVERY_MS = 100;
const SWEEP_TICK_MS = 5;
const SWEEP_GIVE_UP_MS = 5000;

export interface SupervisorTools {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly host: string;
}

type StopOrder = Parameters<RunningProcess["stop"]>[0];

/** Watches one started process until every process of it is gone. */
export function supervise(
  tools: SupervisorTools,
  launched: Launched,
  request: ProcessRequest,
): RunningProcess {
  const supervisor = new Supervisor(tools, launched, request);
  return {
    identity: identityOf(tools.table, launched.root, tools.host),
    containment: launched.containment,
    outcome: supervisor.run(),
    stop: (how) => supervisor.stop(how),
    touch: () => supervisor.touch(),
  };
}

class Supervisor {
  readonly #tools: SupervisorTools;
  readonly #launched: Launched;
  readonly #request: ProcessRequest;
  readonly #family: Family;
  readonly #ladder: KillLadder;
  readonly #tails: readonly [StreamTail, StreamTail];
  #childEnd: ChildEnd | undefined;
  #order: StopOrder | undefined;
  #quietMs = 0;
  #lastTickMs: number;
  #sampleDueMs = 0;
  #wake = new AbortController();

  constructor(tools: SupervisorTools, launched: Launched, request: ProcessRequest) {
    const { root, containment, paths } = launched;
    const { onOutput, streamCapBytes } = request;
    this.#tools = tools;
    this.#launched = launched;
    this.#request = request;
    this.#family = new Family(tools.table, {
      nonce: request.nonce,
      root,
      streamPaths: [paths.stdout, paths.stderr],
    });
    this.#ladder = new KillLadder({
      table: tools.table,
      family: this.#family,
      root,
      containment,
      graceMs: request.graceMs,
    });
    const tail = (stream: "stdout" | "stderr"): StreamTail =>
      new StreamTail(
        paths[stream],
        streamCapBytes,
        onOutput === undefined ? undefined : (chunk) => onOutput(chunk, stream),
      );
    this.#tails = [tail("stdout"), tail("stderr")];
    this.#lastTickMs = tools.clock.monotonic();
    void launched.exited.then((end) => {
      this.#childEnd = end;
      this.#wake.abort();
    });
  }

  touch(): void {
    this.#quietMs = 0;
  }

  stop(how: StopOrder): void {
    if (this.#order !== "force")
      this.#order = this.#order === undefined || how === "force" ? how : this.#order;
    this.#wake.abort();
  }

  async run(): Promise<ProcessOutcome> {
    const { clock } = this.#tools;
    // The caller gets the handle first: its consumer may want to use it.
    await nextTurn();
    let climbing = true;
    while (this.#childEnd === undefined && climbing) {
      const nowMs = clock.monotonic();
      this.#quietMs += Math.min(nowMs - this.#lastTickMs, LONGEST_QUIET_TICK_MS);
      this.#lastTickMs = nowMs;
      const more = this.#pump();
      this.#sample(nowMs);
      this.#obey(nowMs);
      this.#checkLimits(nowMs);
      climbing = this.#ladder.climb(nowMs);
      await (more ? nextTurn() : this.#pause());
    }
    const record = readRecord(this.#launched.paths.record);
    const swept = await this.#sweep(record);
    for (const tail of this.#tails) await tail.finish();
    return this.#outcome(record, swept);
  }

  #pump(): boolean {
    const turns = this.#tails.map((tail) => tail.pump());
    if (turns.some((turn) => turn.grew)) this.touch();
    return turns.some((turn) => turn.more);
  }

  #sample(nowMs: number): void {
    if (this.#launched.containment === "namespace" || nowMs < this.#sampleDueMs) return;
    const isEarly = nowMs - this.#launched.startedMs < EAGER_SAMPLING_MS;
    this.#sampleDueMs = nowMs + (isEarly ? TICK_MS : SAMPLE_EVERY_MS);
    this.#family.descend();
  }

  #obey(nowMs: number): void {
    switch (this.#order) {
      case undefined:
        break;
      case "cancel":
        this.#ladder.begin({ kind: "canceled" }, nowMs);
        break;
      case "stalled":
        this.#ladder.begin({ kind: "stalled", idleMs: Math.round(this.#quietMs) }, nowMs);
        break;
      case "force":
        this.#ladder.force(nowMs);
        break;
      default:
        assertNever(this.#order);
    }
  }

  #checkLimits(nowMs: number): void {
    const { wallMs, idleMs } = this.#request;
    if (wallMs !== undefined && nowMs - this.#launched.startedMs >= wallMs) {
      this.#ladder.begin({ kind: "timed-out", wallMs }, nowMs);
    }
    if (idleMs !== undefined && this.#quietMs >= idleMs) {
      this.#ladder.begin({ kind: "stalled", idleMs }, nowMs);
    }
  }

  /** Sleeps for the tick, or until the process ends or is to be stopped. */
  async #pause(): Promise<void> {
    if (this.#childEnd !== undefined) return;
    await this.#tools.clock.sleep(TICK_MS, this.#wake.signal);
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
  }

  /** A pid namespace that ended in order is empty; everything else is searched and killed until nothing is left. */
  async #sweep(record: ShimRecord): Promise<{ readonly survivors: number; readonly escaped: number }> {
    const { clock } = this.#tools;
    if (this.#launched.containment === "namespace" && record.state === "ended") {
      return { survivors: record.survivors, escaped: 0 };
    }
    const deadlineMs = clock.monotonic() + SWEEP_GIVE_UP_MS;
    let survivors = 0;
    for (;;) {
      const { left, newlyKilled } = this.#ladder.sweep();
      survivors += newlyKilled;
      if (left === 0 || clock.monotonic() > deadlineMs) return { survivors, escaped: left };
      await clock.sleep(SWEEP_TICK_MS);
    }
  }

  #outcome(
    record: ShimRecord,
    swept: { readonly survivors: number; readonly escaped: number },
  ): ProcessOutcome {
    const { containment, paths, startedMs } = this.#launched;
    const [stdout, stderr] = this.#tails;
    return {
      end: this.#ladder.cause ?? naturalEnd(record, this.#childEnd),
      durationMs: Math.round(this.#tools.clock.monotonic() - startedMs),
      containment,
      killedForcefully: this.#ladder.isForced,
      survivorsKilled: swept.survivors,
      escaped: swept.escaped,
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
      stdoutPath: paths.stdout,
      stderrPath: paths.stderr,
    };
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What we waited for ourselves cannot be forged; the record can, by what ran, and speaks where we could not wait. */
function naturalEnd(record: ShimRecord, childEnd: ChildEnd | undefined): ProcessEnd {
  const signal = childEnd?.signal ?? undefined;
  if (signal !== undefined) return { kind: "signalled", signal };
  return endOfCode(childEnd?.code ?? (record.state === "ended" ? record.exitCode : 1));
}

function endOfCode(exitCode: number): ProcessEnd {
  const signal = signalOfExitCode(exitCode);
  return signal === undefined ? { kind: "exited", exitCode } : { kind: "signalled", signal };
}
