import type { Progress } from "../commands/types.ts";
import { formatCost } from "../core/money.ts";
import { formatDuration } from "../core/time.ts";
import { totalTokens } from "../core/tokens.ts";
import { createColors } from "./colors.ts";
import { eventLine } from "./event-line.ts";
import type { Host } from "./host.ts";
import { clip, formatCount } from "./text.ts";

const REDRAW_MS = 200;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** What a person sees on stderr while a command works: lines that stay, and on a terminal one line that is redrawn. */
export interface LiveView {
  line(text: string): void;
  readonly progress: (progress: Progress) => void;
  pause(): void;
  resume(): void;
  close(): void;
}

interface Now {
  piece: string;
  attempt: number;
  startedMs: number;
  activity: string;
}

export function openLiveView(
  host: Host,
  options: { readonly quiet: boolean; readonly color: boolean },
): LiveView {
  const colors = createColors(options.color);
  const isLive = host.isStderrTerminal && !options.quiet;
  let latest: Extract<Progress, { kind: "event" }>["state"] | undefined;
  let now: Now | undefined;
  let frame = 0;
  let drawn = false;
  let paused = false;

  const erase = (): void => {
    if (drawn) host.stderr("\r\u001b[2K");
    drawn = false;
  };
  const draw = (): void => {
    if (!isLive || paused || latest === undefined || now === undefined) return;
    frame += 1;
    const spend =
      latest.cost.basis === undefined && latest.cost.unknownParts === 0 ? "$0.00" : formatCost(latest.cost);
    const tokens = totalTokens(latest.usage);
    const parts = [
      `${now.piece} #${now.attempt}`,
      formatDuration(host.now() - now.startedMs),
      ...(tokens === undefined ? [] : [`${formatCount(tokens)} tokens`]),
      spend,
      now.activity,
    ];
    const text = clip(
      `${FRAMES[frame % FRAMES.length] ?? ""} ${parts.filter((part) => part !== "").join(" · ")}`,
      host.columns - 1,
    );
    host.stderr(`\r\u001b[2K${colors.dim(text)}`);
    drawn = true;
  };
  const stopTimer = isLive ? host.every(REDRAW_MS, draw) : () => undefined;
  const line = (text: string): void => {
    if (options.quiet) return;
    erase();
    host.stderr(`${text}\n`);
  };
  return {
    line,
    progress: (progress) => {
      if (progress.kind === "activity") {
        if (now !== undefined) now.activity = activityText(progress.activity);
        return;
      }
      latest = progress.state;
      now = nowOf(progress, now, host.now());
      const text = eventLine(progress, colors, host.columns);
      if (text !== undefined) line(text);
    },
    pause: () => {
      erase();
      paused = true;
    },
    resume: () => {
      paused = false;
    },
    close: () => {
      stopTimer();
      erase();
    },
  };
}

function nowOf(
  progress: Extract<Progress, { kind: "event" }>,
  before: Now | undefined,
  atMs: number,
): Now | undefined {
  const { event } = progress;
  switch (event.type) {
    case "attempt:dispatched":
      return { piece: event.data.piece, attempt: event.data.n, startedMs: atMs, activity: "starting" };
    case "gate:started":
      return {
        piece: event.data.piece,
        attempt: event.data.iteration,
        startedMs: atMs,
        activity: "running the checks",
      };
    case "session:moved":
      return event.data.to === "running" && before === undefined
        ? { piece: "baseline", attempt: 1, startedMs: atMs, activity: "running the checks before any work" }
        : before;
    case "session:stopped":
    case "session:parked":
    case "person:asked":
      return undefined;
    default:
      return before;
  }
}

function activityText(activity: Extract<Progress, { kind: "activity" }>["activity"]): string {
  switch (activity.kind) {
    case "activity":
      return activity.what;
    case "text":
      return activity.text.trim().split("\n").at(-1) ?? "";
    case "model":
      return activity.model;
    case "session":
    case "usage":
    case "result":
      return "";
  }
}
