import type { Entry, LineMembers } from "../sift/index.ts";
import { type AssistantRecord, type ClaudeRecord, SYNTHETIC, type UserRecord } from "./schema.ts";
import { type ApiCounts, type SpentTokens, tierOf, tokensOf } from "./spent.ts";

/** Larger usage objects are no usage that any writer writes. */
const KEPT_BYTES = 4096;

/**
 * The short way to what `readRecord` says of the two kinds of record that are nearly all: without an object for each and
 * without the ids of tools, which count only where ids of messages are shared.
 */
export class QuickClaude {
  readonly #line: LineMembers;
  readonly #keys: ReturnType<typeof keysOf>;
  #lastUsage: { readonly bytes: Buffer; readonly spent: SpentTokens } | undefined;

  constructor(line: LineMembers) {
    this.#line = line;
    this.#keys = keysOf(line);
  }

  /** Undefined when the record must be read the long way. */
  read(): ClaudeRecord | undefined {
    const line = this.#line;
    const { type, message } = this.#keys;
    switch (line.text(line.outer(type))) {
      case "assistant":
        return line.enter(line.outer(message)) ? this.#assistant() : undefined;
      case "user":
        return line.enter(line.outer(message)) ? this.#user() : undefined;
      default:
        return undefined;
    }
  }

  #assistant(): AssistantRecord | undefined {
    const line = this.#line;
    const keys = this.#keys;
    const usage = line.inner(keys.usage);
    const model = line.text(line.inner(keys.model));
    if (!line.isObject(usage) || model === SYNTHETIC || line.isTrue(line.outer(keys.isApiErrorMessage)))
      return undefined;
    if (line.outer(keys.costUSD) !== 0) return undefined;
    const hasStopReason = line.text(line.inner(keys.stopReason)) !== undefined;
    const messageId = line.text(line.inner(keys.id));
    // From here on the usage is the object whose members are found.
    const spent = this.#spent(usage);
    if (spent === undefined) return undefined;
    const record: Writable<AssistantRecord> = {
      kind: "assistant",
      isSidechain: line.isTrue(line.outer(keys.isSidechain)),
      hasStopReason,
      model: model ?? "unknown",
      usage: spent.usage,
      webSearches: spent.webSearches,
      advisors: spent.advisors,
      toolUses: [],
    };
    const requestId = line.text(line.outer(keys.requestId));
    const requestRef = line.text(line.outer(keys.requestRef));
    const owner = line.text(line.outer(keys.requestSessionId));
    if (messageId !== undefined) record.messageId = messageId;
    if (requestId !== undefined) record.requestId = requestId;
    if (requestRef !== undefined) record.requestRef = requestRef;
    else this.#name(record);
    if (owner !== undefined) record.requestSessionId = owner;
    if (spent.tier !== undefined) record.tier = spent.tier;
    this.#place(record);
    return record;
  }

  #user(): UserRecord {
    const line = this.#line;
    const keys = this.#keys;
    const content = line.inner(keys.content);
    const hasToolResults = line.holdsObject(content, keys.type, "tool_result", keys.toolUseId);
    const record: Writable<UserRecord> = {
      kind: "user",
      isSidechain: line.isTrue(line.outer(keys.isSidechain)),
      isPrompt: !hasToolResults && !line.isTrue(line.outer(keys.isMeta)),
      hasToolResults,
      toolResults: [],
    };
    const uuid = line.text(line.outer(keys.uuid));
    if (uuid !== undefined) record.uuid = uuid;
    this.#place(record);
    return record;
  }

  /** Where the request has no name of its own, the records' names tell calls apart. */
  #name(record: Writable<AssistantRecord>): void {
    const line = this.#line;
    const uuid = line.text(line.outer(this.#keys.uuid));
    const parentUuid = line.text(line.outer(this.#keys.parentUuid));
    if (uuid !== undefined) record.uuid = uuid;
    if (parentUuid !== undefined) record.parentUuid = parentUuid;
  }

  #place(record: Writable<Placed>): void {
    const line = this.#line;
    const keys = this.#keys;
    const sessionId = line.text(line.outer(keys.sessionId));
    const agentId = line.text(line.outer(keys.agentId));
    const cwd = line.text(line.outer(keys.cwd));
    const branch = line.text(line.outer(keys.gitBranch));
    const atMs = line.timeMs(line.outer(keys.timestamp));
    if (sessionId !== undefined) record.sessionId = sessionId;
    if (agentId !== undefined) record.agentId = agentId;
    if (cwd !== undefined) record.cwd = cwd;
    if (branch !== undefined) record.branch = branch;
    if (atMs !== undefined) record.atMs = atMs;
  }

  /** The records of one call repeat its usage to the letter. */
  #spent(usage: Entry): SpentTokens | undefined {
    const line = this.#line;
    if (this.#lastUsage !== undefined && line.isSame(usage, this.#lastUsage.bytes))
      return this.#lastUsage.spent;
    const spent = this.#readSpent(usage);
    if (spent === undefined) return undefined;
    const bytes = line.copyOf(usage);
    this.#lastUsage = bytes.length > KEPT_BYTES ? undefined : { bytes, spent };
    return spent;
  }

  /** Undefined where a count is none, or where calls of other models are inside. */
  #readSpent(entry: Entry): SpentTokens | undefined {
    const line = this.#line;
    const keys = this.#keys;
    line.enter(entry);
    if (!line.isEmptyList(line.inner(keys.iterations))) return undefined;
    const split = line.inner(keys.split);
    const details = line.inner(keys.details);
    const tools = line.inner(keys.serverTools);
    const tier = tierOf(line.text(line.inner(keys.speed)), line.text(line.inner(keys.serviceTier)));
    const counts: Writable<ApiCounts> = {
      input: line.count(line.inner(keys.input)),
      written: line.count(line.inner(keys.written)),
      written5m: undefined,
      written1h: undefined,
      read: line.count(line.inner(keys.read)),
      output: line.count(line.inner(keys.output)),
      thinking: undefined,
    };
    if (line.enter(split)) {
      counts.written5m = line.count(line.inner(keys.written5m));
      counts.written1h = line.count(line.inner(keys.written1h));
    }
    if (line.enter(details)) counts.thinking = line.count(line.inner(keys.thinking));
    const webSearches = line.enter(tools) ? line.count(line.inner(keys.webSearches)) : undefined;
    if (isOdd(counts) || Number.isNaN(webSearches)) return undefined;
    const spent: Writable<SpentTokens> = {
      usage: tokensOf(counts),
      webSearches: webSearches ?? 0,
      advisors: NO_ADVISORS,
    };
    if (tier !== undefined) spent.tier = tier;
    return spent;
  }
}

const NO_ADVISORS: SpentTokens["advisors"] = [];

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

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Placed = Pick<UserRecord, "sessionId" | "agentId" | "cwd" | "branch" | "atMs">;

function keysOf(line: LineMembers) {
  return {
    type: line.keyOf("type"),
    uuid: line.keyOf("uuid"),
    parentUuid: line.keyOf("parentUuid"),
    sessionId: line.keyOf("sessionId"),
    timestamp: line.keyOf("timestamp"),
    cwd: line.keyOf("cwd"),
    gitBranch: line.keyOf("gitBranch"),
    agentId: line.keyOf("agentId"),
    requestId: line.keyOf("requestId"),
    requestRef: line.keyOf("requestRef"),
    requestSessionId: line.keyOf("requestSessionId"),
    isSidechain: line.keyOf("isSidechain"),
    isMeta: line.keyOf("isMeta"),
    isApiErrorMessage: line.keyOf("isApiErrorMessage"),
    costUSD: line.keyOf("costUSD"),
    message: line.keyOf("message"),
    id: line.keyOf("id"),
    model: line.keyOf("model"),
    content: line.keyOf("content"),
    toolUseId: line.keyOf("tool_use_id"),
    stopReason: line.keyOf("stop_reason"),
    usage: line.keyOf("usage"),
    input: line.keyOf("input_tokens"),
    written: line.keyOf("cache_creation_input_tokens"),
    split: line.keyOf("cache_creation"),
    written5m: line.keyOf("ephemeral_5m_input_tokens"),
    written1h: line.keyOf("ephemeral_1h_input_tokens"),
    read: line.keyOf("cache_read_input_tokens"),
    output: line.keyOf("output_tokens"),
    details: line.keyOf("output_tokens_details"),
    thinking: line.keyOf("thinking_tokens"),
    serverTools: line.keyOf("server_tool_use"),
    webSearches: line.keyOf("web_search_requests"),
    iterations: line.keyOf("iterations"),
    speed: line.keyOf("speed"),
    serviceTier: line.keyOf("service_tier"),
  };
}
