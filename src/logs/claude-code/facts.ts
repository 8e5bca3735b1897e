import type { TokenUsage } from "../../core/tokens.ts";
import type { AddKey } from "../group-keys.ts";
import { type DamageList, noDamage } from "../lines.ts";
import { textHash } from "../text-hash.ts";
import type { StatedSpend } from "./schema.ts";
import type { AdvisorCall } from "./spent.ts";

/** Where a log file stands in the tree, told from its path. */
export interface ClaudeFile {
  readonly path: string;
  readonly session: string;
  /** Set for a subagent's own transcript. */
  readonly subagent?: string;
  /** The path does not name the session: the first record that does decides. */
  readonly isSessionInside?: true;
}

/** What one file says, compact and as plain JSON: all that is needed to merge it with the others. */
export interface ClaudeFacts {
  file: ClaudeFile;
  lines: number;
  bytes: number;
  cwd: string | undefined;
  branch: string | undefined;
  firstAtMs: number | undefined;
  lastAtMs: number | undefined;
  /** Belongs to a conversation at all, rather than being some other file beside the sessions. */
  hasChain: boolean;
  /** By its own content this file starts with somebody else's history. */
  isFork: boolean;
  /** Time of the queue record that the file begins with, from before its first own prompt. */
  queuedAtMs: number | undefined;
  readonly calls: CallFact[];
  /** Prompts, by which the extent of copied history is told. */
  readonly anchors: { readonly line: number; readonly uuid: string; readonly atMs?: number | undefined }[];
  readonly costStates: CostState[];
  /** Message ids that this file proves to be shared by several calls. */
  readonly untrusted: number[];
  errors: number;
  readonly damaged: DamageList;
  readonly warnings: string[];
}

export interface CostState {
  readonly line: number;
  /** Time of the last record before it: it carries none itself. */
  readonly atMs?: number;
  readonly models: readonly StatedSpend[];
}

/**
 * One call as one file shows it: its partial records folded together. Every member is there, if only as undefined. Ids
 * are hashes, but for those of sessions.
 */
export interface CallFact {
  readonly firstLine: number;
  lastLine: number;
  readonly ref: number | undefined;
  readonly messageId: number | undefined;
  /** Of all its records, in order; none of a call whose request has a name of its own, which says more. */
  readonly uuids: number[];
  readonly parentUuid: number | undefined;
  requestId: number | undefined;
  owner: string | undefined;
  /** It follows a user's record that names another session. */
  readonly isForeign: boolean;
  readonly subagent: string | undefined;
  readonly isSidechain: boolean;
  readonly model: string;
  usage: TokenUsage;
  tier: string | undefined;
  webSearches: number;
  advisors: readonly AdvisorCall[];
  hasStopReason: boolean;
  recordedUsd: number | undefined;
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
  atMs: number;
  readonly isTimeGuessed: boolean;
}

/** Lists inside the object would make it several times as slow to make, and there is one for every file. */
export function noFacts(file: ClaudeFile): ClaudeFacts {
  const calls: CallFact[] = [];
  const anchors: ClaudeFacts["anchors"] = [];
  const costStates: CostState[] = [];
  const untrusted: number[] = [];
  const damaged = noDamage();
  const warnings: string[] = [];
  return {
    file,
    lines: 0,
    bytes: 0,
    cwd: undefined,
    branch: undefined,
    firstAtMs: undefined,
    lastAtMs: undefined,
    hasChain: false,
    isFork: false,
    queuedAtMs: undefined,
    calls,
    anchors,
    costStates,
    untrusted,
    errors: 0,
    damaged,
    warnings,
  };
}

/**
 * What ties files to others: its session, the sessions named as makers of its calls, and the calls themselves. Copies of a
 * call share its message id, or the request's own name, or else their records' uuids.
 */
export function claudeKeys(files: readonly ClaudeFacts[], add: AddKey): void {
  let named: string | undefined;
  const addSession = (session: string | undefined): void => {
    // Nearly all calls name the one that the last one named.
    if (session === undefined || session === named) return;
    named = session;
    add(textHash(session, "s"));
  };
  for (const { file, calls } of files) {
    addSession(file.session);
    for (const { owner, messageId, ref, uuids } of calls) {
      addSession(owner);
      const id = messageId ?? ref ?? uuids[0];
      if (id !== undefined) add(id);
    }
  }
}
