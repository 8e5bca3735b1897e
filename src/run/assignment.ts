import { canonicalJson, type Json } from "../core/canonical-json.ts";
import { type Digest, sha256 } from "../core/hash.ts";
import type { AttemptId, SessionId } from "../core/ids.ts";
import type { Permission, ProviderSpec } from "../ports/provider.ts";
import type { TreeId } from "../ports/workspace.ts";

/** The frozen order to do one piece once. Its canonical JSON and hash are fixed before anything runs. */
export interface Assignment {
  readonly attempt: AttemptId;
  readonly session: SessionId;
  readonly piece: string;
  readonly iteration: number;
  readonly n: number;
  readonly provider: ProviderSpec;
  readonly prompt: string;
  readonly system: string;
  readonly tier: string;
  readonly permission: Permission;
  readonly isolation: "none" | "worktree";
  readonly sandbox?: { readonly network: boolean; readonly image?: string };
  readonly workDir: string;
  readonly before: TreeId;
  /** A fresh UUID for agents that take one. */
  readonly agentSession: string;
  readonly wallMs: number;
  readonly idleMs: number;
  readonly streamCapBytes: number;
}

export interface FrozenAssignment {
  readonly text: string;
  readonly digest: Digest;
}

export function freeze(assignment: Assignment): FrozenAssignment {
  const text = canonicalJson(assignment as unknown as Json);
  return { text, digest: sha256(text) };
}

/** A random (version 4) UUID from 16 bytes. */
export function uuid(bytes: Uint8Array): string {
  const hex = [...bytes.slice(0, 16)]
    .map((byte, index) => {
      if (index === 6) return (byte & 0x0f) | 0x40;
      return index === 8 ? (byte & 0x3f) | 0x80 : byte;
    })
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
