import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "./anchored.ts";

/** Larger files in a `bin` folder are programs. */
const SCRIPT_BYTES = 256 * 1024;
const NOWHERE = "/nonexistent";

/**
 * Makes the start scripts of an installed folder independent of where it was installed, so that a copy of it starts
 * itself and not the original.
 *
 * @param folder absolute path of the installed folder
 * @param root the checkout it was installed in
 */
export async function relocateScripts(folder: string, root: string): Promise<void> {
  if (folder.endsWith("/.venv")) await relocateBin(join(folder, "bin"), root, relocatePython);
  else await relocateBin(join(folder, ".bin"), root, (_name, text) => text.replaceAll(root, NOWHERE));
}

async function relocateBin(
  bin: string,
  root: string,
  rewrite: (name: string, text: string, root: string) => string | undefined,
): Promise<void> {
  for (const name of await namesIn(bin)) {
    const path = join(bin, name);
    const size = await sizeOf(path);
    if (size === undefined || size > SCRIPT_BYTES) continue;
    const bytes = await readFile(path);
    if (!bytes.includes(root)) continue;
    const text = rewrite(name, bytes.toString("utf8"), root);
    if (text === undefined) await rm(path);
    else await writeFile(path, text);
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** The size of a regular file that is no link; links lead to files that are looked at where they are. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

/** A line that both `sh` and Python read: it starts the interpreter that lies beside the script. */
const TRAMPOLINE = `#!/bin/sh
'''exec' "$(dirname -- "$(realpath -- "$0")")"/'python' "$0" "$@"
' '''
`;

function relocatePython(name: string, text: string, root: string): string | undefined {
  if (name === "activate") {
    const here = `"$(cd "$(dirname "\${BASH_SOURCE:-.venv/bin/activate}")/.." && pwd)"`;
    return text.replace(/^(\s*(?:export )?VIRTUAL_ENV=).*$/gm, (line, left: string) =>
      line.includes(root) ? `${left}${here}` : line,
    );
  }
  if (name.toLowerCase().startsWith("activate")) return undefined;
  return text.replace(/^#!.*\n/, (line) => (line.includes(root) ? TRAMPOLINE : line));
}
