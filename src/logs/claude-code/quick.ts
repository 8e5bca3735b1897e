import { columnsOf, type LineMembers, type LineRows, type Sift } from "../sift/index.ts";
import { idHash } from "../text-hash.ts";
import { type AssistantRecord, type ClaudeRecord, SYNTHETIC, type UserRecord } from "./schema.ts";
import { type ApiCounts, type SpentTokens, tierOf, tokensOf } from "./spent.ts";
import { CLAUDE_MEMBERS, type ClaudeMember, type ClaudeRule } from "./wanted.ts";

/**
 * The short way to what `readRecord` says of the records that are nearly all: without an object for each member and
 * without the ids of tools, which count only where ids of messages are shared.
 */
export class QuickClaude {
  readonly #line: LineMembers;
  readonly #at: Sift<ClaudeMember, ClaudeRule>["members"];
  #lastUsage: { readonly version: number; readonly spent: SpentTokens } | undefined;

  constructor({ line, members }: Sift<ClaudeMember, ClaudeRule>) {
    this.#line = line;
    this.#at = members;
  }

  /** Undefined when the record must be read the long way. */
  read(): ClaudeRecord | undefined {
    const line = this.#line;
    const at = this.#at;
    switch (line.text(at.type)) {
      case "assistant":
        return line.isObject(at.message) ? this.#assistant() : undefined;
      case "user":
        return this.#user();
      case "cost-state":
        return undefined;
      case "queue-operation":
        return { kind: "queue", atMs: line.timeMs(at.timestamp) };
      default:
        return {
          kind: "other",
          isChain: line.text(at.uuid) !== undefined,
          sessionId: line.text(at.sessionId),
          atMs: line.timeMs(at.timestamp),
        };
    }
  }

  #assistant(): AssistantRecord | undefined {
    const line = this.#line;
    const at = this.#at;
    const model = line.text(at.model);
    if (!line.isObject(at.usage) || model === SYNTHETIC || line.isTrue(at.isApiErrorMessage))
      return undefined;
    const spent = line.has(at.costUSD) ? undefined : this.#spent();
    if (spent === undefined) return undefined;
    const requestRef = idHash(line.text(at.requestRef), "r");
    // Where the request has no name of its own, the records' names tell calls apart.
    const isNamed = requestRef !== undefined;
    return {
      kind: "assistant",
      uuid: isNamed ? undefined : idHash(line.text(at.uuid), "u"),
      parentUuid: isNamed ? undefined : idHash(line.text(at.parentUuid), "u"),
      sessionId: line.text(at.sessionId),
      messageId: idHash(line.text(at.messageId), "m"),
      requestId: idHash(line.text(at.requestId), "q"),
      requestRef,
      requestSessionId: line.text(at.requestSessionId),
      agentId: line.text(at.agentId),
      isSidechain: line.isTrue(at.isSidechain),
      hasStopReason: line.text(at.stopReason) !== undefined,
      model: model ?? "unknown",
      toolUses: NONE,
      recordedUsd: undefined,
      cwd: line.text(at.cwd),
      branch: line.text(at.gitBranch),
      atMs: line.timeMs(at.timestamp),
      usage: spent.usage,
      tier: spent.tier,
      webSearches: spent.webSearches,
      advisors: spent.advisors,
    };
  }

  #user(): UserRecord {
    const line = this.#line;
    const at = this.#at;
    const hasToolResults = line.holdsObject(at.block, at.blockType, "tool_result", at.toolUseId);
    return {
      kind: "user",
      uuid: hasToolResults ? undefined : line.text(at.uuid),
      sessionId: line.text(at.sessionId),
      agentId: line.text(at.agentId),
      isSidechain: line.isTrue(at.isSidechain),
      isPrompt: !hasToolResults && !line.isTrue(at.isMeta),
      hasToolResults,
      toolResults: NONE,
      cwd: line.text(at.cwd),
      branch: line.text(at.gitBranch),
      atMs: line.timeMs(at.timestamp),
    };
  }

  #spent(): SpentTokens | undefined {
    const version = this.#line.version(this.#at.usage);
    if (this.#lastUsage?.version === version) return this.#lastUsage.spent;
    if (this.#line.isSkipped(this.#at.usage)) return undefined;
    const spent = this.#readSpent();
    if (spent !== undefined) this.#lastUsage = { version, spent };
    return spent;
  }

  /** Undefined where a count is none, or where calls of other models are inside. */
  #readSpent(): SpentTokens | undefined {
    const line = this.#line;
    const at = this.#at;
    if (!line.isEmptyList(at.iterations)) return undefined;
    const counts: ApiCounts = {
      input: line.count(at.input),
      written: line.count(at.written),
      written5m: line.count(at.written5m),
      written1h: line.count(at.written1h),
      read: line.count(at.read),
      output: line.count(at.output),
      thinking: line.count(at.thinking),
    };
    const webSearches = line.count(at.webSearches) ?? 0;
    if (isOdd(counts) || Number.isNaN(webSearches)) return undefined;
    const tier = tierOf(line.text(at.speed), line.text(at.serviceTier));
    return { usage: tokensOf(counts), tier, webSearches, advisors: NONE };
  }
}

const NONE: readonly never[] = [];
const ROW = columnsOf(CLAUDE_MEMBERS.passed.calls.columns);

/** What a row says of a record that is else like the one that settled the rule. */
export function recordOfRow(like: AssistantRecord, rows: LineRows, row: number): AssistantRecord {
  return {
    kind: "assistant",
    uuid: undefined,
    parentUuid: undefined,
    sessionId: like.sessionId,
    messageId: rows.column(row, ROW.message),
    requestId: rows.column(row, ROW.request),
    requestRef: rows.column(row, ROW.ref),
    requestSessionId: like.requestSessionId,
    agentId: like.agentId,
    isSidechain: like.isSidechain,
    hasStopReason: rows.column(row, ROW.isStopped) === 1,
    model: like.model,
    toolUses: NONE,
    recordedUsd: undefined,
    cwd: like.cwd,
    branch: like.branch,
    atMs: rows.column(row, ROW.atMs),
    usage: tokensOf({
      input: rows.column(row, ROW.input),
      written: rows.column(row, ROW.written),
      written5m: rows.column(row, ROW.written5m),
      written1h: rows.column(row, ROW.written1h),
      read: rows.column(row, ROW.read),
      output: rows.column(row, ROW.output),
      thinking: rows.column(row, ROW.thinking),
    }),
    tier: like.tier,
    webSearches: rows.column(row, ROW.webSearches) ?? 0,
    advisors: NONE,
  };
}

function isOdd({ input, written, written5m, written1h, read, output, thinking }: ApiCounts): boolean {
  const sum =
    (input ?? 0) +
    (written ?? 0) +
    (written5m ?? 0) +
    (written1h ?? 0) +
    (read ?? 0) +
    (output ?? 0) +
    (thinking ?? 0);
  return Number.isNaN(sum);
}
