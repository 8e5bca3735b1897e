import { ok, type Result } from "../core/result.ts";
import type { TreeEntry, TreeId, Workspace } from "../ports/workspace.ts";
import { commandText, resolveCommand } from "../verify/command.ts";
import { namedPaths } from "../verify/protect.ts";
import type { Check } from "../verify/types.ts";

const MAX_SCRIPT_BYTES = 64 * 1024;

/**
 * What the checks come to on the base tree: their command lines, the package scripts behind them, and the text of
 * the scripts that these name. Protection is decided on it.
 */
export async function frozenCommands(
  workspace: Workspace,
  base: TreeId,
  entries: readonly TreeEntry[],
  checks: readonly Check[],
): Promise<Result<readonly string[]>> {
  const scripts = await packageScripts(workspace, base);
  if (!scripts.ok) return scripts;
  const lines = checks.flatMap((check) => {
    if (!("command" in check.detector)) return [];
    const { text, via } = resolveCommand(check.detector.command, scripts.value);
    return [commandText(check.detector.command), ...via, text];
  });
  const texts: string[] = [];
  for (const path of new Set(lines.flatMap((line) => namedPaths(line, entries)))) {
    const bytes = await workspace.read(base, path);
    if (bytes.ok && bytes.value !== undefined && bytes.value.length <= MAX_SCRIPT_BYTES) {
      texts.push(new TextDecoder().decode(bytes.value));
    }
  }
  return ok([...lines, ...texts]);
}

/** The `scripts` of the top-level package.json; none when there is none or it is no JSON. */
async function packageScripts(workspace: Workspace, base: TreeId): Promise<Result<Record<string, string>>> {
  const bytes = await workspace.read(base, "package.json");
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return ok({});
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes.value));
    const scripts = isObject(manifest) ? manifest["scripts"] : undefined;
    if (!isObject(scripts)) return ok({});
    const pairs = Object.entries(scripts).flatMap(([name, line]) =>
      typeof line === "string" ? [[name, line]] : [],
    );
    return ok(Object.fromEntries(pairs) as Record<string, string>);
  } catch {
    return ok({});
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
