import { readFile } from "node:fs/promises";
import { byCodePoint } from "../../core/canonical-json.ts";
import { type Digest, sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { isAbsent } from "./anchored.ts";

/** One thing inside a dependency folder. `path` is relative to the folder. */
export type ManifestEntry =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "file"; readonly path: string; readonly executable: boolean; readonly sha256: string };

/** Everything in a folder, by path in code point order. */
export type Manifest = readonly ManifestEntry[];

/** One JSON array a line, so that equal folders give equal text. */
export function formatManifest(manifest: Manifest): string {
  const ordered = manifest.toSorted((a, b) => byCodePoint(a.path, b.path));
  return ordered.map((entry) => `${JSON.stringify(row(entry))}\n`).join("");
}

function row(entry: ManifestEntry): readonly string[] {
  switch (entry.kind) {
    case "folder":
      return ["d", entry.path];
    case "link":
      return ["l", entry.path, entry.target];
    case "file":
      return [entry.executable ? "x" : "f", entry.path, entry.sha256];
  }
}

export function manifestDigest(manifest: Manifest): Digest {
  return sha256(formatManifest(manifest));
}

/** Reads a manifest and proves that it is the one that `digest` names. Problem: `tree-tampered`. */
export async function readManifest(file: string, digest: string): Promise<Result<Manifest | undefined>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isAbsent(error)) return ok(undefined);
    throw error;
  }
  if (sha256(text) !== digest) {
    return fail("tree-tampered", `a dependency manifest does not have its recorded hash: ${file}`);
  }
  return ok(parseManifest(text));
}

/** Reads what `formatManifest` wrote. */
export function parseManifest(text: string): Manifest {
  const entries: ManifestEntry[] = [];
  for (const line of text.split("\n")) {
    const entry = line === "" ? undefined : parseRow(JSON.parse(line));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function parseRow(row: unknown): ManifestEntry | undefined {
  if (!Array.isArray(row)) return undefined;
  const [kind, path, detail] = row.map(String);
  if (path === undefined) return undefined;
  if (kind === "d") return { kind: "folder", path };
  if (detail === undefined) return undefined;
  if (kind === "l") return { kind: "link", path, target: detail };
  return { kind: "file", path, executable: kind === "x", sha256: detail };
}

/** Paths that differ between two manifests of one folder: added, removed or changed. */
export function manifestDifference(from: Manifest, to: Manifest): readonly string[] {
  const before = new Map(from.map((entry) => [entry.path, JSON.stringify(row(entry))]));
  const changed: string[] = [];
  for (const entry of to) {
    if (before.get(entry.path) !== JSON.stringify(row(entry))) changed.push(entry.path);
    before.delete(entry.path);
  }
  return [...changed, ...before.keys()].sort(byCodePoint);
}
