import { parse } from "smol-toml";
import { byCodePoint } from "../../core/canonical-json.ts";
import { type Digest, sha256 } from "../../core/hash.ts";

/** A file of a work tree that shapes what an agent does there. */
export interface HarnessFile {
  /** Relative to the tree, with `/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * What an agent found in a tree besides the code: named parts, never a path, a hook's command or the value of a
 * variable. Two trees with the same files have the same digest.
 */
export interface HarnessRecord {
  readonly digest: Digest;
  /** By harness, e.g. `{"claude-code": ["mcp:github", "prompt:1b2c3d4e", "skill:pdf"]}`; sorted. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

/** Where the parts of a tree are: files, and folders with all that is below them. */
export const HARNESS_PLACES = {
  files: [
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".codex/config.toml",
  ],
  folders: [".claude/agents", ".claude/commands", ".claude/skills", ".codex/prompts", ".codex/skills"],
} as const;

/** Undefined when nothing in the tree shapes an agent. A file that is broken, or of no known kind, names no part. */
export function readHarness(files: readonly HarnessFile[]): HarnessRecord | undefined {
  const named = files.map((file) => ({ file, parts: partsOf(file) })).filter(({ parts }) => parts.length > 0);
  if (named.length === 0) return undefined;
  const found = new Map<string, Set<string>>();
  for (const { harness, part } of named.flatMap(({ parts }) => parts)) {
    found.set(harness, (found.get(harness) ?? new Set()).add(part));
  }
  const sorted = [...found].sort(([a], [b]) => byCodePoint(a, b));
  const contents = named.map(({ file }) => `${file.path}\0${sha256(file.text)}`).sort(byCodePoint);
  return {
    digest: sha256(contents.join("\n")),
    parts: Object.fromEntries(
      sorted.map(([harness, parts]) => [harness, [...parts].sort(byCodePoint).slice(0, MOST_PARTS)]),
    ),
  };
}

interface Part {
  readonly harness: string;
  readonly part: string;
}

const MOST_PARTS = 200;
const LONGEST_NAME = 100;
const SKILL = /^\.(claude|codex)\/skills\/([^/]+)\/SKILL\.md$/;
const COMMAND = /^\.(claude\/commands|codex\/prompts)\/(.+)\.md$/;
const AGENT = /^\.claude\/agents\/(.+)\.md$/;

function partsOf({ path, text }: HarnessFile): readonly Part[] {
  const claude = (...parts: readonly string[]): readonly Part[] => partsFor("claude-code", parts);
  const codex = (...parts: readonly string[]): readonly Part[] => partsFor("codex", parts);
  const of = (owner: string | undefined): typeof claude => (owner?.startsWith("codex") ? codex : claude);
  const prompt = `prompt:${sha256(text).slice(0, 8)}`;
  switch (path) {
    case "CLAUDE.md":
    case "CLAUDE.local.md":
    case ".claude/CLAUDE.md":
      return claude(prompt);
    case "AGENTS.md":
      return codex(prompt);
    case ".mcp.json":
      return claude(...serversOf(json(text), "mcpServers"));
    case ".claude/settings.json":
    case ".claude/settings.local.json":
      return claude(...settingsParts(json(text)));
    case ".codex/config.toml":
      return codex(...serversOf(toml(text), "mcp_servers"));
    default: {
      const [, owner, skill] = SKILL.exec(path) ?? [];
      if (skill !== undefined) return of(owner)(`skill:${skill}`);
      const [, home, command] = COMMAND.exec(path) ?? [];
      if (command !== undefined) return of(home)(`command:${command}`);
      const [, agent] = AGENT.exec(path) ?? [];
      return agent === undefined ? [] : claude(`agent:${agent}`);
    }
  }
}

function partsFor(harness: string, parts: readonly string[]): readonly Part[] {
  return parts.map((part) => ({ harness, part: part.replace(/\p{Cc}/gu, " ").slice(0, LONGEST_NAME) }));
}

function serversOf(settings: unknown, member: string): readonly string[] {
  return Object.keys(membersOf(membersOf(settings)[member])).map((name) => `mcp:${name}`);
}

/** Hooks by what they wait for, and the plugins that are switched on. */
function settingsParts(settings: unknown): readonly string[] {
  const { hooks, enabledPlugins } = membersOf(settings);
  const waits = Object.entries(membersOf(hooks)).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).map((entry) => {
      const { matcher } = membersOf(entry);
      return typeof matcher === "string" && matcher !== "" ? `hook:${event}:${matcher}` : `hook:${event}`;
    }),
  );
  const plugins = Object.entries(membersOf(enabledPlugins)).filter(([, isOn]) => isOn === true);
  return [...waits, ...plugins.map(([name]) => `plugin:${name}`)];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : {};
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
