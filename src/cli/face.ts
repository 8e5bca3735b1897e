import type { CommandContext } from "../commands/types.ts";
import type { JsonObject } from "../core/canonical-json.ts";
import type { Scanned } from "./app.ts";
import type { Host } from "./host.ts";
import { type LiveView, openLiveView } from "./live-view.ts";
import { wrapTalk } from "./text.ts";

export interface Globals {
  readonly json: boolean;
  readonly home: string | undefined;
  readonly cwd: string | undefined;
  readonly quiet: boolean;
  readonly yes: boolean;
}

/** How this run of the program talks: the parts of a command's context that depend on terminals and flags. */
export interface Face {
  readonly globals: Globals;
  readonly color: boolean;
  talk(line: string): void;
  hasSpoken(): boolean;
  emit(kind: string, object: JsonObject): void;
  readonly confirm: CommandContext["confirm"];
  readonly choose: CommandContext["choose"];
  readonly progress: CommandContext["progress"];
  /** Takes down what is drawn live. */
  finish(): Promise<void>;
}

export function createFace(host: Host, scanned: Scanned): Face {
  const { flags } = scanned;
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === "string" ? value : undefined;
  };
  const globals: Globals = {
    json: flags["json"] === true,
    home: text("home"),
    cwd: text("cwd"),
    quiet: flags["quiet"] === true,
    yes: flags["yes"] === true,
  };
  const noColor = flags["noColor"] === true || (host.env["NO_COLOR"] ?? "") !== "";
  const color = !noColor && host.isStdoutTerminal && !globals.json;
  const live: LiveView = openLiveView(host, {
    quiet: globals.quiet,
    color: !noColor && host.isStderrTerminal,
  });
  let spoke = false;
  const canAsk = host.isStderrTerminal && host.isStdinTerminal;
  return {
    globals,
    color,
    talk: (line) => {
      spoke = true;
      live.line(host.isStderrTerminal ? wrapTalk(line, host.columns) : line);
    },
    hasSpoken: () => spoke,
    emit: (kind, object) =>
      host.stdout(`${globals.json ? JSON.stringify(object) : plainLine(kind, object)}\n`),
    confirm: confirmer(globals.yes, canAsk, live),
    choose: canAsk && !globals.yes ? chooser(live) : undefined,
    progress: globals.quiet ? undefined : live.progress,
    finish: async () => live.close(),
  };
}

function confirmer(yes: boolean, canAsk: boolean, live: LiveView): CommandContext["confirm"] {
  if (yes) return () => Promise.resolve(true);
  if (!canAsk) return undefined;
  return async (question) => {
    live.pause();
    const { confirm, isCancel } = await import("@clack/prompts");
    const answer = await confirm({ message: question });
    live.resume();
    return !isCancel(answer) && answer;
  };
}

function chooser(live: LiveView): NonNullable<CommandContext["choose"]> {
  return async (question, keys) => {
    live.pause();
    const { isCancel, selectKey } = await import("@clack/prompts");
    const options = keys.map(({ key, label }) => ({ value: key, label }));
    const answer = await selectKey({ message: question, options });
    live.resume();
    return isCancel(answer) ? undefined : answer;
  };
}

/** A streamed object for people: time, what, and its few words. */
function plainLine(kind: string, object: JsonObject): string {
  if (kind !== "event") return JSON.stringify(object);
  const { seq, at, type, data } = object;
  const words = JSON.stringify(data);
  return `${String(seq).padStart(4)}  ${String(at)}  ${String(type).padEnd(20)} ${words.length > 160 ? `${words.slice(0, 159)}…` : words}`;
}
