/** Programs of systems that start something on time. */
export const TIMER_KINDS = ["systemd", "launchd", "cron", "task-scheduler"] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

export interface TimerJob {
  /** Letters, digits and hyphens: names the timer, and no other. */
  readonly slug: string;
  readonly about: string;
  /** Words of the command, the program by its path. */
  readonly argv: readonly string[];
  readonly searchPath: string;
}

export interface TimerHost {
  readonly homeDir: string;
  readonly configDir: string;
  readonly uid: number;
}

/** What puts a job into a system's timer, and what takes it out again. */
export interface TimerPlan {
  readonly kind: TimerKind;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Run in order, after the files are written. */
  readonly install: readonly (readonly string[])[];
  /** Run in order, before the files are removed; one that fails stops nothing. */
  readonly remove: readonly (readonly string[])[];
  /** A line for the user's crontab, which is edited rather than written. */
  readonly crontab?: string;
}

/** Each look costs little, and what is due in between is caught up as `missed` says: once a minute is enough. */
const EVERY_S = 60;

export function timerPlan(kind: TimerKind, job: TimerJob, host: TimerHost): TimerPlan {
  switch (kind) {
    case "systemd":
      return systemd(job, host);
    case "launchd":
      return launchd(job, host);
    case "cron":
      return { kind, files: [], install: [], remove: [], crontab: cronLine(job) };
    case "task-scheduler":
      return taskScheduler(job);
  }
}

function systemd({ slug, about, argv, searchPath }: TimerJob, { configDir }: TimerHost): TimerPlan {
  const unit = `loopwright-${slug}`;
  const folder = `${configDir}/systemd/user`;
  const service = [
    "[Unit]",
    `Description=${plain(about).replaceAll("%", "%%")}`,
    "",
    "[Service]",
    "Type=oneshot",
    `Environment=${systemdWord(`PATH=${searchPath}`)}`,
    `ExecStart=${argv.map(systemdWord).join(" ")}`,
    // A run that takes longer than the beat is let go on: the next look waits for it.
    "TimeoutStartSec=infinity",
    // An agent's children are ended by us, with their notes taken.
    "KillMode=mixed",
  ];
  const timer = [
    "[Unit]",
    `Description=${plain(about).replaceAll("%", "%%")}`,
    "",
    "[Timer]",
    "OnCalendar=minutely",
    "Persistent=true",
    "",
    "[Install]",
    "WantedBy=timers.target",
  ];
  return {
    kind: "systemd",
    files: [
      { path: `${folder}/${unit}.service`, text: lines(service) },
      { path: `${folder}/${unit}.timer`, text: lines(timer) },
    ],
    install: [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", `${unit}.timer`],
    ],
    remove: [["systemctl", "--user", "disable", "--now", `${unit}.timer`]],
  };
}

function systemdWord(word: string): string {
  const escaped = plain(word).replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

function launchd({ slug, argv, searchPath }: TimerJob, { homeDir, uid }: TimerHost): TimerPlan {
  const label = `dev.loopwright.${slug}`;
  const path = `${homeDir}/Library/LaunchAgents/${label}.plist`;
  const text = lines([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    `  <key>Label</key><string>${xml(label)}</string>`,
    `  <key>ProgramArguments</key><array>${argv.map((word) => `<string>${xml(word)}</string>`).join("")}</array>`,
    `  <key>EnvironmentVariables</key><dict><key>PATH</key><string>${xml(searchPath)}</string></dict>`,
    `  <key>StartInterval</key><integer>${EVERY_S}</integer>`,
    "</dict></plist>",
  ]);
  return {
    kind: "launchd",
    files: [{ path, text }],
    install: [["launchctl", "bootstrap", `gui/${uid}`, path]],
    remove: [["launchctl", "bootout", `gui/${uid}/${label}`]],
  };
}

function xml(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return plain(text).replace(/[&<>]/g, (sign) => names[sign] ?? sign);
}

function taskScheduler({ slug, argv }: TimerJob): TimerPlan {
  const name = `loopwright\\${slug}`;
  const command = argv.map((word) => `"${plain(word).replaceAll('"', "")}"`).join(" ");
  return {
    kind: "task-scheduler",
    files: [],
    install: [["schtasks", "/Create", "/F", "/TN", name, "/SC", "MINUTE", "/MO", "1", "/TR", command]],
    remove: [["schtasks", "/Delete", "/F", "/TN", name]],
  };
}

/** For cron a percent sign ends the command, quoted or not. */
function cronLine({ slug, argv, searchPath }: TimerJob): string {
  const words = argv.map(shellWord).join(" ");
  const command = `PATH=${shellWord(searchPath)} ${words} >/dev/null 2>&1`;
  return `* * * * * ${command.replaceAll("%", "\\%")} ${markOf(slug)}`;
}

function markOf(slug: string): string {
  return `# loopwright ${slug}`;
}

/** The crontab with this job's line in place of any that it had; without one, taken out. */
export function editCrontab(crontab: string, slug: string, line: string | undefined): string {
  const others = crontab
    .split("\n")
    .filter((one) => !one.endsWith(` ${markOf(slug)}`))
    .join("\n")
    .replace(/\n+$/, "");
  const kept = others === "" ? "" : `${others}\n`;
  return line === undefined ? kept : `${kept}${line}\n`;
}

function shellWord(word: string): string {
  return `'${plain(word).replaceAll("'", "'\\''")}'`;
}

/** No line break of a name may begin a line of its own. */
function plain(text: string): string {
  return text.replace(/[\r\n\0]/g, " ");
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
