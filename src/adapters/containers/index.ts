import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import { fail, ok, type Result } from "../../core/result.ts";
import type { ContainerRequest, Containers, ContainerWords } from "../../ports/containers.ts";

export interface ContainerDependencies {
  readonly path: string;
  readonly which: (command: string, path: string) => string | undefined;
  /** Ours: how its client finds its daemon. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PROBE_MS = 5000;
const REMOVE_MS = 30_000;
const CLIENT_ENV = [
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "CONTAINER_HOST",
  "XDG_RUNTIME_DIR",
];
/** Enough for any build, and no way to use the machine up. */
const MOST_PROCESSES = 4096;
const MEMORY_SHARE = 0.75;

interface Runtime {
  readonly program: string;
  readonly label: string;
}

/** `LOOPSMITH_DOCKER` names another program with the same command line. */
export function createContainers(dependencies: ContainerDependencies): Containers {
  let found: Promise<Result<Runtime>> | undefined;
  const runtime = (): Promise<Result<Runtime>> => {
    found ??= findRuntime(dependencies);
    return found;
  };
  return {
    runtime: async () => {
      const here = await runtime();
      return here.ok ? ok(here.value.label) : here;
    },
    hasImage: async (image) => {
      const here = await runtime();
      if (!here.ok) return here;
      const seen = await run(dependencies, here.value.program, ["image", "inspect", image], PROBE_MS);
      return seen === undefined
        ? fail("container-unavailable", `the image ${image} is not here, and nothing is pulled in a run`, {
            hint: `${here.value.program} pull ${image}`,
          })
        : ok(undefined);
    },
    words: async (request) => {
      const here = await runtime();
      return here.ok ? wordsOf(here.value.program, request) : here;
    },
    remove: async (name) => {
      const here = await runtime();
      if (here.ok) await run(dependencies, here.value.program, ["rm", "--force", name], REMOVE_MS);
    },
  };
}

async function findRuntime(dependencies: ContainerDependencies): Promise<Result<Runtime>> {
  const { path, which, environment } = dependencies;
  const named = environment["LOOPSMITH_DOCKER"];
  const names = named === undefined || named === "" ? ["docker", "podman"] : [named];
  const problems: string[] = [];
  for (const name of names) {
    const program = which(name, path);
    if (program === undefined) {
      problems.push(`${name} is not on PATH`);
      continue;
    }
    const version = await run(
      dependencies,
      program,
      ["version", "--format", "{{.Server.Version}}"],
      PROBE_MS,
    );
    if (version !== undefined && version.trim() !== "")
      return ok({ program, label: `${name} ${version.trim()}` });
    problems.push(`${name} is here, but its service does not answer`);
  }
  return fail("container-unavailable", problems.join("; "), { hint: "start Docker, or install podman" });
}

function wordsOf(program: string, request: ContainerRequest): Result<ContainerWords> {
  const { name, image, cwd, network } = request;
  const mounts = [
    ...request.readable.filter((path) => existsSync(path)).map((path) => ({ path, more: ",readonly" })),
    ...request.writable
      .filter((path) => existsSync(path) || path === cwd)
      .map((path) => ({ path, more: "" })),
  ];
  const odd = mounts.find(({ path }) => /[,"\n]/.test(path));
  if (odd !== undefined) {
    return fail("container-unavailable", `a container cannot be given the path ${odd.path}`, {
      hint: "use a folder without commas and quotes in its path",
    });
  }
  const memory = `${Math.floor(totalmem() * MEMORY_SHARE)}b`;
  return ok({
    image,
    clientEnv: CLIENT_ENV,
    words: [
      ...[program, "run", "--rm", "--interactive", "--init", "--name", name, "--pull", "never"],
      ...["--workdir", cwd, "--network", network ? "bridge" : "none"],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
      ...["--pids-limit", String(MOST_PROCESSES), "--memory", memory],
      ...["--read-only", "--tmpfs", "/tmp:exec", "--env", "HOME=/tmp"],
      ...userWords(),
      ...mounts.flatMap(({ path, more }) => ["--mount", `type=bind,source=${path},target=${path}${more}`]),
    ],
  });
}

/** What is written belongs to us, not to root. */
function userWords(): readonly string[] {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  return user === undefined || group === undefined ? [] : ["--user", `${user}:${group}`];
}

/** What it printed; undefined when it failed or took longer. */
function run(
  { path, environment }: ContainerDependencies,
  program: string,
  args: readonly string[],
  timeout: number,
): Promise<string | undefined> {
  const known = ["HOME", ...CLIENT_ENV].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...Object.fromEntries(known), PATH: path };
  return new Promise((done) => {
    const child = execFile(program, args, { env, timeout, killSignal: "SIGKILL" }, (error, stdout) =>
      done(error === null ? stdout : undefined),
    );
    child.stdin?.end();
  });
}
