import { fail, ok, type Result } from "../../core/result.ts";
import { ask, type ContainerDependencies } from "./client.ts";

const PROBE_MS = 10_000;

/** Docker and podman differ where their command lines are alike. `isRootless`: root inside is nobody special outside. */
export interface Runtime {
  readonly program: string;
  readonly label: string;
  readonly kind: "docker" | "podman";
  readonly isRootless: boolean;
}

/** `LOOPSMITH_DOCKER` names another program with the same command line. */
export async function findRuntime(dependencies: ContainerDependencies): Promise<Result<Runtime>> {
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
    const version = await ask(
      dependencies,
      program,
      ["version", "--format", "{{.Server.Version}}"],
      PROBE_MS,
    );
    if (version.ok && version.text !== "")
      return ok({ program, label: `${name} ${version.text}`, ...(await natureOf(dependencies, program)) });
    const cause = version.ok || version.cause === undefined ? "" : ` (${version.cause})`;
    problems.push(`${name} is here, but its service does not answer${cause}`);
  }
  return fail("container-unavailable", problems.join("; "), { hint: "start Docker, or install podman" });
}

/** By what it answers, since either may be installed under the other's name. */
async function natureOf(
  dependencies: ContainerDependencies,
  program: string,
): Promise<Pick<Runtime, "kind" | "isRootless">> {
  const info = async (template: string): Promise<string> => {
    const said = await ask(dependencies, program, ["info", "--format", template], PROBE_MS);
    return said.ok ? said.text : "";
  };
  const podman = await info("{{.Host.Security.Rootless}}");
  if (podman === "true" || podman === "false") return { kind: "podman", isRootless: podman === "true" };
  return { kind: "docker", isRootless: (await info("{{.SecurityOptions}}")).includes("name=rootless") };
}
