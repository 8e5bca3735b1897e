import { execFile } from "node:child_process";
import type { Notice, Notifier } from "../../ports/notifier.ts";

/** Ways to reach a person, all that are set. */
export interface NotifySettings {
  readonly desktop: boolean;
  /** Gets the notice as a JSON body. */
  readonly webhook?: string;
  /** Words of a command that gets the notice as one line of JSON on stdin. */
  readonly command?: readonly string[];
}

interface Face {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a person who sits here. */
  talk(line: string): void;
}

const PATIENCE_MS = 5_000;

export function createNotifier(face: Face, settings: NotifySettings): Notifier {
  const { webhook, command } = settings;
  const ways: readonly ((notice: Notice) => Promise<string | undefined>)[] = [
    ...(settings.desktop ? [(notice: Notice) => onDesktop(face, notice)] : []),
    ...(webhook === undefined ? [] : [(notice: Notice) => post(webhook, notice)]),
    ...(command === undefined ? [] : [(notice: Notice) => run(face, command, lineOf(notice))]),
  ];
  return {
    tell: async (notice) => {
      if (notice.kind !== "ended") face.talk(`\u0007${notice.text}`);
      const failures = await Promise.all(ways.map((way) => way(notice)));
      for (const failure of failures) if (failure !== undefined) face.talk(`no notice: ${failure}`);
    },
  };
}

function lineOf(notice: Notice): string {
  return `${JSON.stringify({ schema: "loopwright.notice/1", ...notice })}\n`;
}

async function post(url: string, notice: Notice): Promise<string | undefined> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: lineOf(notice),
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `the webhook answered ${answer.status}`;
  } catch {
    // The reason may hold the address, which may hold a secret.
    return "the webhook cannot be reached";
  }
}

function onDesktop(face: Face, notice: Notice): Promise<string | undefined> {
  const { title, text } = notice;
  const env = { ...face.env, LOOPWRIGHT_TITLE: title, LOOPWRIGHT_TEXT: text };
  return run({ ...face, env }, desktopCommand(face.platform, title, text), "");
}

const APPLE_SCRIPT = ["on run {a, b}", "display notification b with title a", "end run"];
const POWER_SHELL =
  "Add-Type -AssemblyName System.Windows.Forms; $n = New-Object System.Windows.Forms.NotifyIcon; " +
  "$n.Icon = [System.Drawing.SystemIcons]::Information; $n.Visible = $true; " +
  "$n.ShowBalloonTip(5000, $env:LOOPWRIGHT_TITLE, $env:LOOPWRIGHT_TEXT, 'Info'); Start-Sleep 1; $n.Dispose()";

/** Words of the platform's own program. Title and text are arguments or variables, never part of a script. */
export function desktopCommand(platform: NodeJS.Platform, title: string, text: string): readonly string[] {
  switch (platform) {
    case "darwin":
      return ["osascript", ...APPLE_SCRIPT.flatMap((line) => ["-e", line]), title, text];
    case "win32":
      return ["powershell", "-NoProfile", "-NonInteractive", "-Command", POWER_SHELL];
    default:
      return ["notify-send", "--app-name=loopwright", "--", title, text];
  }
}

function run(face: Face, words: readonly string[], stdin: string): Promise<string | undefined> {
  const [program = "", ...args] = words;
  return new Promise((done) => {
    const options = { timeout: PATIENCE_MS, killSignal: "SIGKILL", env: { ...face.env } } as const;
    const child = execFile(program, args, options, (error) => {
      done(error === null ? undefined : `${program} failed`);
    });
    // A command that does not read is no failure.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(stdin);
  });
}
