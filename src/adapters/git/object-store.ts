import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import type { Result } from "../../core/result.ts";
import type { Git, GitCall, GitOutput } from "./git-process.ts";

/**
 * Our own repository: objects named by SHA-256 and stored without compression, no alternates, no hooks, no filters.
 * Its attributes switch off, for every path, whatever a `.gitattributes` in the tree could do to the bytes.
 */
export interface ObjectStore {
  readonly git: Git;
  readonly folder: string;
  readonly gitDir: string;
  /** Runs git in our repository, with `dir` as the working tree when given. */
  run(args: readonly string[], at?: At): Promise<Result<GitOutput>>;
  stream(args: readonly string[], input: string, onChunk: (chunk: Buffer) => void): Promise<Result<void>>;
  /** Puts back our own config and attributes if anything has changed them. */
  ensure(): void;
  /** A path in our scratch folder that nothing else uses. */
  scratch(name: string): string;
}

export interface At {
  readonly dir?: string;
  readonly index?: string;
  readonly input?: string | Uint8Array;
  readonly answers?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
}

const CONFIG = (objectFormat: "sha1" | "sha256"): string => `[core]
	repositoryformatversion = 1
	bare = false
	fileMode = true
	symlinks = true
	ignoreCase = false
	autocrlf = false
	safecrlf = false
	protectNTFS = false
	protectHFS = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	sparseCheckout = false
	trustctime = true
	checkStat = default
	preloadIndex = true
	looseCompression = 0
	compression = 0
	logAllRefUpdates = false
	fsync = loose-object,pack,pack-metadata
	fsyncMethod = batch
[extensions]
	objectFormat = ${objectFormat}
[gc]
	auto = 0
`;

const ATTRIBUTES = "* -text !eol -ident !filter !working-tree-encoding !diff !merge !whitespace\n";

/** Counts for the whole thread: two workspaces of one folder must not share a scratch file. */
let scratched = 0;

export function openObjectStore(git: Git, folder: string): ObjectStore {
  const gitDir = join(folder, "git");
  const scratchDir = join(folder, "scratch");
  const call = (args: readonly string[], at: At): GitCall => ({
    args,
    cwd: at.dir ?? gitDir,
    env: {
      ...plainEnvironment(folder),
      GIT_DIR: gitDir,
      ...(at.dir === undefined ? {} : { GIT_WORK_TREE: at.dir }),
      ...(at.index === undefined ? {} : { GIT_INDEX_FILE: at.index }),
      ...at.env,
    },
    ...(at.input === undefined ? {} : { input: at.input }),
    ...(at.answers === undefined ? {} : { answers: at.answers }),
  });
  return {
    git,
    folder,
    gitDir,
    run: (args, at = {}) => git.run(call(args, at)),
    stream: (args, input, onChunk) => git.stream(call(args, { input }), onChunk),
    ensure: () => layRepository(gitDir, "sha256"),
    scratch: (name) => {
      mkdirSync(scratchDir, { recursive: true });
      scratched += 1;
      return join(scratchDir, `${name}-${process.pid}-${threadId}-${scratched}`);
    },
  };
}

/** An environment in which git reads no configuration but that of the repository it is told to use. */
export function plainEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** Makes or repairs the skeleton of a repository of ours; objects are left alone. */
export function layRepository(gitDir: string, objectFormat: "sha1" | "sha256"): void {
  for (const folder of ["objects/info", "refs", "info"]) mkdirSync(join(gitDir, folder), { recursive: true });
  rmSync(join(gitDir, "objects/info/alternates"), { force: true });
  rmSync(join(gitDir, "config.worktree"), { force: true });
  rmSync(join(gitDir, "info/grafts"), { force: true });
  keep(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  keep(join(gitDir, "config"), CONFIG(objectFormat));
  keep(join(gitDir, "info/attributes"), ATTRIBUTES);
}

function keep(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch {
    // Absent: written below.
  }
  writeFileSync(path, text);
}
