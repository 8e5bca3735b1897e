import type { InlineFiles } from "../../src/testing/inline-repo.ts";
import type { Lab } from "../lab.ts";

/** A small session whose end depends on nothing but the tree and the prompt, so that crashes on the way change nothing. */
export interface Scene {
  readonly name: string;
  readonly files: InlineFiles;
  /** The command line that starts it. */
  command(lab: Lab): readonly string[];
}

export interface Pace {
  /** How long an attempt takes in all. */
  readonly attemptMs: number;
}

/**
 * Writes a wrong answer until it is told that a try has failed. It works in two steps, so that being cut off between
 * them leaves something that a later attempt must finish, and it bends the check each time.
 */
function agentOf(lab: Lab, { attemptMs }: Pace): string {
  const half = (attemptMs / 2000).toFixed(3);
  return lab.agent(`
case "$(cat)" in *"The last try"*) word=right ;; *) word=wrong ;; esac
echo unfinished > answer.txt
echo exit 0 > check.sh
sleep ${half}
mkdir -p notes
echo "$word, because" > notes/why.txt
sleep ${half}
echo "$word" > answer.txt
`);
}

const FILES: InlineFiles = {
  "check.sh": "grep -qx right answer.txt && grep -q right notes/why.txt\n",
  "README.md": "Write the right answer.\n",
};

/** A session started by `go`, with these flags. */
export function goScene(name: string, flags: readonly string[], pace: Pace = { attemptMs: 40 }): Scene {
  return {
    name,
    files: FILES,
    command: (lab) => [
      "go",
      "write the answer",
      "--check",
      "sh check.sh",
      "--provider",
      agentOf(lab, pace),
      ...flags,
      "--json",
    ],
  };
}
