import { epochMs, type Fields, fields, list, parseFields, text, timeMs } from "../fields.ts";
import { LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { codexCommand, patchedFiles } from "./codex-tools.ts";
import { nodeId } from "./node-id.ts";
import { resolvePath } from "./paths.ts";
import { shellFacts } from "./shell-facts.ts";

/** `verified`: a file tool's own call. `heuristic`: read from the text of a shell command. */
export type EventTier = "verified" | "heuristic";

/** A file that an agent wrote or read, as its log shows the tool call. */
export interface FileEvent {
  readonly kind: "write" | "read";
  readonly path: string;
  readonly atMs: number;
  readonly session: string;
  readonly subagent?: string;
  readonly tier: EventTier;
}

/** A shell command that starts other agents. The text itself is not kept. */
export interface LaunchCall {
  readonly session: string;
  readonly subagent?: string;
  /** One name for each start. */
  readonly agents: readonly string[];
  readonly startMs: number;
  endMs?: number;
  readonly isBackground: boolean;
  readonly cwd?: string;
  /** Its text asks for a review. */
  readonly isReview: boolean;
  /** Folder names in the text, to tell a launch in another project. */
  readonly mentions: readonly string[];
}

export interface ToolFacts {
  readonly files: readonly FileEvent[];
  readonly launches: readonly LaunchCall[];
  /** Calls that started a sub-agent, with who made them. */
  readonly spawnedBy: ReadonlyMap<string, string | undefined>;
  /** When sub-agents were at work, by node: the only place that says so. */
  readonly times: ReadonlyMap<string, TimeSpan>;
}

export interface TimeSpan {
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

interface Pending {
  readonly files: readonly FileEvent[];
  readonly launch?: LaunchCall;
}

const WRITERS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const SPAWNERS = new Set(["Agent", "Task"]);
const PATH_KEYS = ["file_path", "notebook_path", "path"] as const;
const MARKERS = [
  '"usage":{',
  '"tool_use"',
  '"tool_result"',
  '"response_item"',
  '"turn_context"',
  '"table":"tool"',
];

/** Finds tool calls in one log; everything else about them, their text above all, is left alone. Failed calls do not count. */
export class ToolEvents implements LineVisitor {
  readonly #scanner = new LineScanner(MARKERS, this);
  readonly #session: string;
  readonly #subagent: string | undefined;
  readonly #pending = new Map<string, Pending>();
  readonly #files: FileEvent[] = [];
  readonly #launches: LaunchCall[] = [];
  readonly #spawnedBy = new Map<string, string | undefined>();
  readonly #times = new Map<string, TimeSpan>();
  #cwd: string | undefined;

  constructor(session: string, subagent: string | undefined, cwd?: string) {
    this.#session = session;
    this.#subagent = subagent;
    this.#cwd = cwd;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** A call whose result is not there yet has happened all the same. */
  finish(): ToolFacts {
    this.#scanner.finish();
    for (const id of [...this.#pending.keys()]) this.#settle(id, false, undefined);
    return { files: this.#files, launches: this.#launches, spawnedBy: this.#spawnedBy, times: this.#times };
  }

  damage(): void {
    // Counted by the scan of the same file.
  }

  line(line: MarkedLine): void {
    if (line.marks === 0) return;
    const parsed = parseFields(line.text());
    if (parsed === undefined || parsed === "broken") return;
    const atMs = timeMs(parsed["timestamp"]) ?? 0;
    this.#atWork(this.#subagent ?? text(parsed["agentId"]), atMs);
    switch (parsed["type"]) {
      case "assistant":
        this.#claudeCalls(parsed, atMs);
        return;
      case "user":
        this.#claudeResults(parsed, atMs);
        return;
      case "response_item":
        this.#codexItem(fields(parsed["payload"]) ?? {}, atMs);
        return;
      case "turn_context":
        this.#cwd = text(fields(parsed["payload"])?.["cwd"]) ?? this.#cwd;
        return;
      default:
        if (parsed["table"] === "tool") this.#opencodeTool(parsed);
    }
  }

  #atWork(subagent: string | undefined, atMs: number): void {
    if (subagent === undefined || atMs === 0) return;
    const id = nodeId(this.#session, subagent);
    const { firstAtMs, lastAtMs } = this.#times.get(id) ?? { firstAtMs: atMs, lastAtMs: atMs };
    this.#times.set(id, { firstAtMs: Math.min(firstAtMs, atMs), lastAtMs: Math.max(lastAtMs, atMs) });
  }

  #claudeCalls(line: Fields, atMs: number): void {
    const agent = this.#subagent ?? text(line["agentId"]);
    const cwd = text(line["cwd"]) ?? this.#cwd;
    for (const block of list(fields(line["message"])?.["content"])) {
      const entry = fields(block);
      const name = text(entry?.["name"]);
      if (entry?.["type"] !== "tool_use" || name === undefined) continue;
      const id = text(entry["id"]) ?? "";
      const input = fields(entry["input"]);
      if (SPAWNERS.has(name)) this.#spawnedBy.set(id, agent);
      if (name === "Bash") {
        const isBackground = input?.["run_in_background"] === true;
        this.#shell(id, text(input?.["command"]) ?? "", { atMs, agent, cwd, isBackground });
        continue;
      }
      const path = PATH_KEYS.map((key) => text(input?.[key])).find((value) => value !== undefined);
      if (path === undefined || !(WRITERS.has(name) || name === "Read")) continue;
      const kind = name === "Read" ? "read" : "write";
      this.#pending.set(id, { files: [this.#event(kind, resolvePath(cwd, path), atMs, agent, "verified")] });
    }
  }

  #claudeResults(line: Fields, atMs: number): void {
    for (const block of list(fields(line["message"])?.["content"])) {
      const entry = fields(block);
      if (entry?.["type"] !== "tool_result") continue;
      this.#settle(text(entry["tool_use_id"]) ?? "", entry["is_error"] === true, atMs);
    }
  }

  #codexItem(item: Fields, atMs: number): void {
    const id = text(item["call_id"]) ?? `line ${this.#scanner.number}`;
    if (/_output$/.test(text(item["type"]) ?? "")) {
      this.#settle(id, hasFailed(item["output"]), atMs);
      return;
    }
    const { command, patch, workdir } = codexCommand(item);
    const cwd = workdir === undefined ? this.#cwd : resolvePath(this.#cwd, workdir);
    if (patch !== undefined) {
      const files = patchedFiles(patch).map((path) =>
        this.#event("write", resolvePath(cwd, path), atMs, undefined, "verified"),
      );
      if (files.length > 0) this.#pending.set(id, { files });
    } else if (command !== undefined) {
      this.#shell(id, command, { atMs, agent: undefined, cwd, isBackground: false });
    }
  }

  #opencodeTool(row: Fields): void {
    const [session, path] = [text(row["session_id"]), text(row["path"])];
    if (session === undefined || path === undefined) return;
    const kind = row["tool"] === "read" ? "read" : "write";
    this.#files.push({ kind, path, atMs: epochMs(row["at"]) ?? 0, session, tier: "verified" });
  }

  #shell(
    id: string,
    command: string,
    {
      atMs,
      agent,
      cwd,
      isBackground,
    }: {
      readonly atMs: number;
      readonly agent: string | undefined;
      readonly cwd: string | undefined;
      readonly isBackground: boolean;
    },
  ): void {
    const facts = shellFacts(command, cwd);
    const files = [
      ...facts.writes.map((path) => this.#event("write", path, atMs, agent, "heuristic")),
      ...facts.reads.map((path) => this.#event("read", path, atMs, agent, "heuristic")),
    ];
    if (facts.launches.length === 0) {
      if (files.length > 0) this.#pending.set(id, { files });
      return;
    }
    const launch: LaunchCall = {
      session: this.#session,
      ...(agent === undefined ? {} : { subagent: agent }),
      agents: facts.launches,
      startMs: atMs,
      isBackground: facts.isBackground || isBackground,
      ...(cwd === undefined ? {} : { cwd }),
      isReview: /review|referee|audit|critique/i.test(command),
      mentions: [...new Set(command.match(/[\w.-]+/g) ?? [])],
    };
    this.#pending.set(id, { files, launch });
  }

  #settle(id: string, isFailed: boolean, endMs: number | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (!isFailed) this.#files.push(...pending.files);
    // An agent may have run although the command failed in the end.
    if (pending.launch === undefined) return;
    if (endMs !== undefined) pending.launch.endMs = endMs;
    this.#launches.push(pending.launch);
  }

  #event(
    kind: FileEvent["kind"],
    path: string,
    atMs: number,
    subagent: string | undefined,
    tier: EventTier,
  ): FileEvent {
    return {
      kind,
      path,
      atMs,
      session: this.#session,
      ...(subagent === undefined ? {} : { subagent }),
      tier,
    };
  }
}

/** Told by the exit code that the output states. */
function hasFailed(output: unknown): boolean {
  const said = typeof output === "string" ? output : JSON.stringify(output ?? "");
  const code = /(?:"exit_code\\?":\s*|exited with code )(-?\d+)/.exec(said)?.[1];
  return code !== undefined && Number(code) !== 0;
}
