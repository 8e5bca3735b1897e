/** The parts of a path of any system; most have no backslash, and a plain separator is split several times as fast. */
export function partsOf(path: string): string[] {
  return path.includes("\\") ? path.split(/[\\/]/) : path.split("/");
}

/** The last part, without its ending if it has that one. */
export function nameOf(path: string, ending: string): string {
  const from = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return path.slice(from, path.endsWith(ending) ? -ending.length : undefined);
}
