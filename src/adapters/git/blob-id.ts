import { createHash } from "node:crypto";

/** The id that git gives these bytes as a blob in a SHA-256 repository. */
export function blobId(bytes: Uint8Array): string {
  return createHash("sha256").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
