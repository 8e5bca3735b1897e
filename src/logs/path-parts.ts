/** The parts of a path of any system; most have no backslash, and a plain separator is split several times as fast. */
export function partsOf(path: string): string[] {
  return path.includes("\\") ? path.split(/[\\/]/) : path.split("/");
}
