/** Where the agents' files are: a home directory and the environment variables that move them. */
export interface LogEnvironment {
  readonly homeDir: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Files and folders to read instead of the agents' own places. */
  readonly only?: readonly string[];
}
