import type { SessionId } from "../core/ids.ts";
import { evidenceText } from "./evidence.ts";
import type { SessionState } from "./state.ts";

/** What of a session that reached its goals is worth keeping, as files by name. */
export function successFiles(
  session: SessionId,
  state: SessionState,
  loopFile: { readonly name: string; readonly text: string },
): Readonly<Record<string, string>> {
  return {
    "SKILL.md": skillText(session, state, loopFile.name),
    "EVIDENCE.md": evidenceText(session, state),
    [loopFile.name]: loopFile.text,
  };
}

/** Only words of the loop's author and figures of the ledger: what agents said is no part of a skill. */
function skillText(session: SessionId, state: SessionState, file: string): string {
  const { spec, iteration, satisfiedTree } = state;
  const description = `Reaches again what the loop "${spec.title}" has reached: ${spec.goals.map(({ description: what }) => what).join(" ")}`;
  const targets = state.gates.at(-1)?.result.targets ?? [];
  return `---
name: ${nameOf(spec.title)}
description: ${JSON.stringify(description.slice(0, 1000))}
---

# ${spec.title}

${spec.goals.map(({ name, description: what }) => `- **${name}**: ${what}`).join("\n")}

Reached in ${iteration} ${iteration === 1 ? "iteration" : "iterations"} by session ${session}, on the tree ${(satisfiedTree ?? "").slice(0, 12)}:

${targets.map(({ target, satisfied, passed, failed, uncheckable }) => `- ${target}: ${satisfied ? "satisfied" : "not satisfied"}, ${passed} of ${passed + failed + uncheckable} blocking checks passed`).join("\n")}

## Again

Put \`${file}\` into a repository, look through its checks and its prerequisites, then:

    loopwright loop validate ${file}
    loopwright loop start ${file}

\`EVIDENCE.md\` holds every verdict on the way. Whether it is reached again is decided by the checks, as it was then.
`;
}

/** A folder's name for a loop. */
export function nameOf(title: string): string {
  const plain = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return plain === "" ? "loop" : plain;
}
