import type { Result } from "../core/result.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { RunPorts } from "./ports.ts";
import type { SessionSpec } from "./spec.ts";

/** The folder that a session began in, with the ignore rules that it froze. */
export function openWorkspaceOf(
  { workspaces, files }: Pick<RunPorts, "workspaces" | "files">,
  { topLevel, ignoreRules }: Pick<SessionSpec, "topLevel" | "ignoreRules">,
): Promise<Result<Workspace>> {
  return workspaces.open(topLevel, files.workspaceStore(topLevel), ignoreRules);
}
