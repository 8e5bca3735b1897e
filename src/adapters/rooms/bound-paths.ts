import { open } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import type { Manifest, ManifestEntry } from "./manifest.ts";

/** Longer files of these kinds are programs or data, not pointers to a folder. */
const POINTER_BYTES = 64 * 1024;

/**
 * Why a dependency folder works only where it is, or undefined: an absolute link, a `.pth` file, an editable install
 * or a start line that leads into the working folder would let a copy run what an agent writes there.
 *
 * @param folder path of the dependency folder relative to `root`
 */
export async function boundReason(
  root: string,
  folder: string,
  manifest: Manifest,
): Promise<string | undefined> {
  for (const entry of manifest) {
    const path = `${folder}/${entry.path}`;
    if (entry.kind === "link") {
      const why = linkReason(root, path, entry.target);
      if (why !== undefined) return why;
    }
    if (entry.kind === "file" && mayPoint(entry)) {
      if (await mentions(join(root, path), root)) return `${path} leads into the working folder`;
    }
  }
  return undefined;
}

function linkReason(root: string, path: string, target: string): string | undefined {
  if (isAbsolute(target)) {
    return isInside(root, normalize(target))
      ? `${path} is an absolute link into the working folder`
      : undefined;
  }
  const end = normalize(join(root, path, "..", target));
  return isInside(root, end) ? undefined : `${path} is a relative link that leaves the working folder`;
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function mayPoint(entry: Extract<ManifestEntry, { kind: "file" }>): boolean {
  return (
    /(^|\/)(\.?bin|Scripts)\/[^/]+$/.test(entry.path) ||
    /\.(pth|egg-link)$/.test(entry.path) ||
    /(^|\/)__editable__[^/]*$/.test(entry.path)
  );
}

async function mentions(file: string, root: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const buffer = Buffer.alloc(POINTER_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, POINTER_BYTES, 0);
    const text = buffer.subarray(0, bytesRead).toString("latin1");
    const needle = Buffer.from(root, "utf8").toString("latin1");
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      const next = text.charAt(at + needle.length);
      if (!/[A-Za-z0-9_.-]/.test(next)) return true;
    }
    return false;
  } finally {
    await handle.close();
  }
}
