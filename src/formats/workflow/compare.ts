import { configurationIdOf } from "./to-ocp.ts";
import type { Setting, WorkflowFile, WorkflowPiece } from "./types.ts";

/** One line: `<workflow id>: <model>/<effort>, ...`, with `N x ` before a piece of width N. */
export function labelOf({ workflow, settings }: Pick<WorkflowFile, "workflow" | "settings">): string {
  const parts = workflow.pieces.map(({ id, width }) => {
    const copies = width > 1 ? `${width} x ` : "";
    return `${copies}${wordOf(settings[id])}`;
  });
  return `${workflow.id}: ${parts.join(", ")}`;
}

function wordOf(setting: Setting | undefined): string {
  return setting === undefined ? "?" : `${setting.model ?? setting.harness}/${setting.effort}`;
}

/**
 * What changes from one configuration to the other, a line each: shape, then piece by piece what was added or set
 * otherwise, what was removed, width, rounds. Empty only when both are the same configuration.
 */
export function diffLines(from: WorkflowFile, to: WorkflowFile): readonly string[] {
  const id = configurationIdOf(from);
  if (id !== undefined && id === configurationIdOf(to)) return [];
  const before = new Map(from.workflow.pieces.map((piece) => [piece.id, piece]));
  const after = new Map(to.workflow.pieces.map((piece) => [piece.id, piece]));
  const lines: string[] = [];
  if (from.workflow.id !== to.workflow.id) lines.push(`shape: ${from.workflow.id} -> ${to.workflow.id}`);
  for (const piece of to.workflow.pieces) {
    const old = from.settings[piece.id];
    const now = to.settings[piece.id];
    if (!before.has(piece.id)) lines.push(`added ${nameOf(piece)} (${wordOf(now)})`);
    else lines.push(...settingLine(piece.id, old, now));
  }
  for (const piece of from.workflow.pieces) {
    if (!after.has(piece.id)) lines.push(`removed ${nameOf(piece)}`);
  }
  for (const piece of to.workflow.pieces) {
    const width = before.get(piece.id)?.width;
    if (width !== undefined && width !== piece.width)
      lines.push(`${piece.id}: ${width} -> ${piece.width} copies`);
  }
  const rounds = [from.workflow.control.rounds, to.workflow.control.rounds] as const;
  if (rounds[0] !== rounds[1]) lines.push(`rounds: ${rounds[0]} -> ${rounds[1]}, the first one counted`);
  return lines.length === 0 ? ["settings changed"] : lines;
}

function nameOf({ id, role }: WorkflowPiece): string {
  return role === undefined || role === id ? id : `${role} ${id}`;
}

/** The most telling difference only: a model brings its effort and harness along. */
function settingLine(piece: string, old: Setting | undefined, now: Setting | undefined): readonly string[] {
  if (old === undefined && now === undefined) return [];
  if (old === undefined || now === undefined) return [`${piece}: ${wordOf(old)} -> ${wordOf(now)}`];
  if (old.model !== now.model) return [`${piece}: ${wordOf(old)} -> ${wordOf(now)}`];
  if (old.effort !== now.effort) return [`${piece}: effort ${old.effort} -> ${now.effort}`];
  return old.harness === now.harness ? [] : [`${piece}: harness ${old.harness} -> ${now.harness}`];
}
