import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InlineFiles } from "../../src/testing/inline-repo.ts";
import type { Lab } from "../lab.ts";

/** A small session whose end depends on nothing but tree and prompt, so that crashes on the way change nothing. */
export interface Scene {
  readonly name: string;
  readonly files: InlineFiles;
  /** Writes what the command needs outside the project, and gives the command line that starts it. */
  command(lab: Lab): readonly string[];
}

/** How long an attempt takes in all. */
export interface Pace {
  readonly attemptMs: number;
}

const QUICK: Pace = { attemptMs: 40 };

/**
 * Writes a wrong answer until it is told that a try has failed. It works in two steps, so that being cut off between
 * them leaves something that a later attempt must finish, and it bends the check each time.
 */
function answerAgent({ attemptMs }: Pace): string {
  const half = (attemptMs / 2000).toFixed(3);
  return `
case "$(cat)" in *"The last try"*) word=right ;; *) word=wrong ;; esac
echo unfinished > answer.txt
echo exit 0 > check.sh
sleep ${half}
mkdir -p notes
echo "$word, because" > notes/why.txt
sleep ${half}
echo "$word" > answer.txt
`;
}

/** A session started by `go`, with these flags. */
export function goScene(name: string, flags: readonly string[], pace: Pace = QUICK): Scene {
  return {
    name,
    files: {
      "check.sh": "grep -qx right answer.txt && grep -q right notes/why.txt\n",
      "README.md": "Write the right answer.\n",
    },
    command: (lab) => {
      const provider = lab.agent(answerAgent(pace));
      return ["go", "write it", "--check", "sh check.sh", "--provider", provider, ...flags, "--json"];
    },
  };
}

/** Two pieces beside each other in worktrees of their own, and one that reads what both made. */
export function graphScene(name: string, { attemptMs }: Pace = QUICK): Scene {
  const agent = `
task=$(cat)
case "$task" in *"The last try"*) word=right ;; *) word=wrong ;; esac
sleep ${(attemptMs / 1000).toFixed(3)}
case "$task" in
*MAKE-ONE*) echo "one $word" > one.txt ;;
*MAKE-TWO*) echo "two $word" > two.txt ;;
*) cat one.txt two.txt > both.txt ;;
esac
`;
  const loop = (lab: Lab): string => `name: parts
intent:
  goals: [{name: whole, description: Both parts are right.}]
execution:
  graph:
    concurrency: {mode: fixed, max_parallel: 2}
    nodes:
      - {id: one, role: builder, instruction: MAKE-ONE, isolation: {mode: worktree}}
      - {id: two, role: builder, instruction: MAKE-TWO, isolation: {mode: worktree}}
      - {id: both, role: builder, instruction: JOIN, depends_on: [one, two]}
  providers:
    providers:
      - {id: writer, kind: byok, command: /bin/sh, args: ["${outside(lab, "agent.sh", agent)}"]}
safety:
  checks:
    - target: whole
      name: both
      mode: objective
      statement: both parts are right
      detector: {type: script, command: "test \\"$(cat both.txt)\\" = \\"$(cat expected.txt)\\""}
`;
  return {
    name,
    files: { "expected.txt": "one right\ntwo right\n" },
    command: (lab) => [
      "loop",
      "start",
      outside(lab, "loop.yaml", loop(lab)),
      "--level",
      "in-place",
      "--json",
    ],
  };
}

function outside(lab: Lab, name: string, text: string): string {
  const path = join(lab.outside, name);
  writeFileSync(path, text);
  return path;
}
