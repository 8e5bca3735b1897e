import { execFile } from "node:child_process";

export interface ContainerDependencies {
  readonly path: string;
  readonly which: (command: string, path: string) => string | undefined;
  /** Ours: how its client finds its daemon, its settings and its images. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const CLIENT_ENV = [
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "CONTAINER_HOST",
  "CONTAINERS_CONF",
  "CONTAINERS_STORAGE_CONF",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
];

/** What the program said: its answer, or why there is none. */
export type Said =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly cause: string | undefined };

/** One question to the program's own service. */
export function ask(
  { path, environment }: ContainerDependencies,
  program: string,
  args: readonly string[],
  timeout: number,
): Promise<Said> {
  const known = ["HOME", ...CLIENT_ENV].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...Object.fromEntries(known), PATH: path };
  return new Promise((done) => {
    const child = execFile(program, args, { env, timeout, killSignal: "SIGKILL" }, (error, stdout, stderr) =>
      done(error === null ? { ok: true, text: stdout.trim() } : { ok: false, cause: lastLine(stderr) }),
    );
    child.stdin?.end();
  });
}

function lastLine(text: string): string | undefined {
  const line = text.trim().split("\n").at(-1);
  return line === "" ? undefined : line;
}
