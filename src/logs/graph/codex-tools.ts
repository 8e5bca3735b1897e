import { type Fields, fields, list, parseFields, text } from "../fields.ts";

const PATCH_LINE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm;
const SHELLS = new Set(["shell", "shell_command", "exec_command", "container.exec", "local_shell"]);

export interface CodexCommand {
  readonly command?: string;
  readonly patch?: string;
  readonly workdir?: string;
}

/** The shell text or the patch that one tool call of Codex holds, whatever the tool is called in its version. */
export function codexCommand(item: Fields): CodexCommand {
  switch (item["type"]) {
    case "local_shell_call":
      return shellOf(fields(item["action"]) ?? {});
    case "function_call": {
      const args = parseFields(text(item["arguments"]) ?? "");
      if (args === undefined || args === "broken") return {};
      if (item["name"] === "apply_patch") return patchOf(text(args["input"]) ?? text(args["patch"]));
      return SHELLS.has(text(item["name"]) ?? "") ? shellOf(args) : {};
    }
    case "custom_tool_call": {
      const input = text(item["input"]) ?? "";
      return item["name"] === "apply_patch" ? patchOf(input) : scriptOf(input);
    }
    default:
      return {};
  }
}

function shellOf(args: Fields): CodexCommand {
  const raw = args["command"] ?? args["cmd"];
  const words = list(raw).filter((word): word is string => typeof word === "string");
  // `["bash", "-lc", text]` is a text; any other list is one command with its words.
  const command = typeof raw === "string" ? raw : /^-\w*c$/.test(words[1] ?? "") ? words[2] : words.join(" ");
  const workdir = text(args["workdir"]) ?? text(args["working_directory"]);
  if (command?.includes("*** Begin Patch") === true) return { patch: command, ...place(workdir) };
  return command === undefined || command === "" ? {} : { command, ...place(workdir) };
}

/** JavaScript that calls tools: what stands in it as a plain string. */
function scriptOf(script: string): CodexCommand {
  if (script.includes("*** Begin Patch")) return { patch: script.replaceAll("\\n", "\n") };
  const literal = /exec_command\(\{[^}]*?\bcmd:\s*("(?:[^"\\]|\\.)*")/.exec(script)?.[1];
  const parsed = literal === undefined ? undefined : parseFields(`{"cmd":${literal}}`);
  return parsed === undefined || parsed === "broken" ? {} : shellOf(parsed);
}

function patchOf(patch: string | undefined): CodexCommand {
  return patch === undefined ? {} : { patch };
}

function place(workdir: string | undefined): { readonly workdir?: string } {
  return workdir === undefined ? {} : { workdir };
}

/** Patches name the files they change; the patch itself is not kept. */
export function patchedFiles(patch: string): string[] {
  return [...patch.matchAll(PATCH_LINE)].map((match) => (match[1] ?? match[2] ?? "").trim());
}
