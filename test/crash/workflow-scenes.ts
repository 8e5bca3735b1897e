import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import type { Scene } from "./scenes.ts";

const PASS = '{"verdict":"pass","evidence":[{"where":"answer.txt:1","what":"it gives a reason"}]}';
const FAIL = '{"verdict":"fail","findings":[{"where":"answer.txt:1","what":"a reason is missing"}]}';
const PICK = '{"pick":"A","evidence":[{"where":"A","what":"it is right"}]}';

/** The builder mends what the reviewer asks for; both depend on tree and prompt alone. */
const BUILDER = `
case "$(cat)" in *"a reason is missing"*) word="right, because" ;; *) word=right ;; esac
sleep 0.03
echo "$word" > answer.txt
`;
const REVIEWER = `
cat > /dev/null
if grep -q because answer.txt; then echo '${PASS}'; else echo '${FAIL}'; fi
`;
const SELECTOR = `
cat > /dev/null
echo '${PICK}'
`;

/** Work that is reviewed, sent back once and accepted. */
export const reviewedScene: Scene = workflowScene("reviewed", "implement_review", {
  implement: BUILDER,
  review: REVIEWER,
});

/** Three tries side by side, one of which is picked and merged. */
export const pickedScene: Scene = workflowScene("picked", "best_of_n", {
  implement: BUILDER,
  select: SELECTOR,
});

function workflowScene(name: string, workflow: string, agents: Readonly<Record<string, string>>): Scene {
  const sets = (lab: Lab): readonly string[] =>
    Object.entries(agents).flatMap(([piece, script]) => {
      const path = join(lab.outside, `${piece}.sh`);
      writeFileSync(path, script);
      return ["--set", `${piece}=command:/bin/sh '${path}'`];
    });
  return {
    name,
    files: { "README.md": "Write the right answer, with a reason.\n" },
    command: (lab) => [
      "loop",
      "start",
      "--workflow",
      workflow,
      ...sets(lab),
      "--goal",
      "write it",
      "--check",
      "grep -q right answer.txt",
      "--level",
      "in-place",
      "--json",
    ],
  };
}
