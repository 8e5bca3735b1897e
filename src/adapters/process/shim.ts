/**
 * The shell that stands between us and the command: it outlives us and notes how the command ended. Inside a pid
 * namespace it is pid 1, which the command cannot kill, and which reaps what the command leaves behind.
 */
export const NONCE_VARIABLE = "LOOPWRIGHT_NONCE";
const CARRIER = "LOOPWRIGHT_ENV_";
/** A shell drops variables whose names it cannot spell, and sets these itself. `env` puts them back. */
const MANAGED = new Set([
  "PWD",
  "OLDPWD",
  "SHLVL",
  "_",
  "IFS",
  "OPTIND",
  "PPID",
  "LINENO",
  "PS1",
  "PS2",
  "PS4",
]);

export interface ShimPlan {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The script, to be run as `sh -c SCRIPT sh COMMAND ARGS...` with the record file open as descriptor 3, and the
 * environment that makes the command see exactly `env` (a bash that plays `sh` adds `_`).
 *
 * The record is `started`, then `CODE SURVIVORS`; each is one short write, so a complete line is a true line. The shell
 * itself ends with the code of the command.
 */
export function shimPlan(env: Readonly<Record<string, string>>, ownNamespace: boolean): ShimPlan {
  const carried: Record<string, string> = {};
  const restore: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !MANAGED.has(name)) {
      carried[name] = value;
      continue;
    }
    // By way of the environment, not of the command line, which every user of the machine can read.
    const carrier = `${CARRIER}${restore.length}`;
    carried[carrier] = `${name}=${value}`;
    restore.push(`-u ${carrier}`);
  }
  const values = restore.map((_, index) => `"$${CARRIER}${index}"`);
  const prefix = restore.length === 0 ? "" : `/usr/bin/env ${restore.join(" ")} ${values.join(" ")} `;
  const script = [
    // A handler, not "ignore": the command starts with default signals, and the shell lives to write its record.
    "trap : HUP INT TERM",
    "unset PWD OLDPWD",
    // Kept apart: the shell would tell the command's stderr about the signal that ended it.
    "exec 4>&2 2>/dev/null",
    "echo started >&3",
    `(exec ${prefix}"$@" 2>&4 3>&- 4>&-)`,
    "code=$?",
    "left=0",
    ...(ownNamespace ? [COUNT_SURVIVORS] : []),
    'echo "$code $left" >&3',
    'exit "$code"',
  ].join("\n");
  return { script, env: carried };
}

/** Zombies are not survivors; the kernel kills the rest as soon as pid 1 ends. */
const COUNT_SURVIVORS = `for stat in /proc/[0-9]*/stat; do
  case $stat in /proc/1/stat) continue ;; esac
  read -r line < "$stat" || continue
  case $line in *") Z "*) ;; *) left=$((left + 1)) ;; esac
done`;

export type ShimRecord =
  | { readonly state: "absent" }
  | { readonly state: "started" }
  | { readonly state: "ended"; readonly exitCode: number; readonly survivors: number };

export function parseRecord(text: string): ShimRecord {
  const ended = /^started\n(\d{1,3}) (\d+)\n/.exec(text);
  if (ended !== null) return { state: "ended", exitCode: Number(ended[1]), survivors: Number(ended[2]) };
  return { state: text.startsWith("started\n") ? "started" : "absent" };
}
