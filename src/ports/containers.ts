import type { Result } from "../core/result.ts";

/** What one container is to be. Paths are the same inside as outside. */
export interface ContainerRequest {
  readonly image: string;
  /** Ours alone: by it the container is found and removed, whatever became of who started it. */
  readonly name: string;
  readonly cwd: string;
  /** `cwd` and what lies in folders that are there: all of it is there when the container starts. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly network: boolean;
}

/** The words before a command that is to run in a container: `words`, names of variables, `image`, the command. */
export interface ContainerWords {
  readonly words: readonly string[];
  readonly image: string;
  /** Variables that the program which starts it reads, and that stay outside. */
  readonly clientEnv: readonly string[];
}

/** Docker or podman, by their command line. */
export interface Containers {
  /** The program and version that works here, looked for once. Problem: `container-unavailable`. */
  runtime(): Promise<Result<string>>;
  /** Nothing is ever pulled. Problem: `container-unavailable`, with the command that pulls, for an image that is not there. */
  hasImage(image: string): Promise<Result<void>>;
  /** Problem: `container-unavailable` for a path that its command line cannot carry. */
  words(request: ContainerRequest): Promise<Result<ContainerWords>>;
  /** Ends it if it is still there. */
  remove(name: string): Promise<void>;
}
