/** A path from a folder on, without `.` and `..`; a relative path without a folder stays relative. */
export function resolvePath(folder: string | undefined, path: string): string {
  const isWhole = path.startsWith("/") || /^[A-Za-z]:/.test(path);
  if (!isWhole && folder === undefined) return path;
  const whole = isWhole ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `${whole.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
