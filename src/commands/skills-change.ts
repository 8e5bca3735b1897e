import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import { QUARANTINE_DIR, TRUST_LEVELS, type TrustLevel } from "../formats/loop/policy-types.ts";
import type { SkillContent, SkillSource } from "../ports/skill-folders.ts";
import type { LoopRecordKey } from "../ports/store.ts";
import { baseName } from "../verify/globs.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { changeRecords } from "./loop-records.ts";
import { findSkill, isSkillName, PLACES } from "./loop-skills.ts";
import { OWN_SKILL } from "./own-skill.ts";
import { personHere } from "./person.ts";
import { answer, list, text } from "./schema.ts";
import { isGrabber } from "./skill-index.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const QUARANTINE_FLAG = {
  kind: "text",
  brief: `The folder of skills that are not trusted yet (${QUARANTINE_DIR})`,
  placeholder: "DIR",
} as const;
const CHANGED = { name: text, folder: text, digest: text, lines: list(text) };

export const skillsAdd: Command = {
  path: ["skills", "add"],
  group: "Loops",
  brief: "Bring a skill into quarantine: from a folder, a repository or a package",
  details:
    "SOURCE is a folder, an https:// address of a git repository, or npm:PACKAGE[@VERSION]. Only this command fetches, and nothing of what it fetches is run. A person lets the skill out with `skills promote`.",
  args: [{ name: "source", brief: "Folder, https://... or npm:PACKAGE", required: true }],
  flags: {
    name: { kind: "text", brief: "Call it so instead of its folder's name", placeholder: "NAME" },
    path: { kind: "text", brief: "The skill's folder inside of the source", placeholder: "DIR" },
    checksum: { kind: "text", brief: "Refuse it unless this is its digest", placeholder: "SHA256" },
    quarantine: QUARANTINE_FLAG,
  },
  output: answer("skills-add", { ...CHANGED, from: text }),
  personOnly: true,
  run: add,
};

export const skillsPromote: Command = {
  path: ["skills", "promote"],
  group: "Loops",
  brief: "Trust a skill as it is now, where it lies",
  details:
    "The trust is pinned to the content: once a file of it changes, the skill is not used until it is promoted again.",
  args: [{ name: "name", brief: "Of the skill", required: true }],
  flags: {
    trust: { kind: "choice", brief: "How far (reviewed)", choices: ["reviewed", "approved"] },
    quarantine: QUARANTINE_FLAG,
  },
  output: answer("skills-promote", CHANGED),
  personOnly: true,
  run: promote,
};

export const skillsRemove: Command = {
  path: ["skills", "remove"],
  group: "Loops",
  brief: "Take a skill's trust away, and its folder too while it lies in quarantine",
  args: [{ name: "name", brief: "Of the skill", required: true }],
  flags: { quarantine: QUARANTINE_FLAG },
  output: answer("skills-remove", { name: text, lines: list(text) }),
  personOnly: true,
  run: remove,
};

export const skillsSetup: Command = {
  path: ["skills", "setup"],
  group: "Loops",
  brief: "Tell your agents how to use loopwright: writes a skill of ours for them",
  args: [],
  flags: {
    user: { kind: "boolean", brief: "Into your home instead of this folder" },
  },
  output: answer("skills-setup", { files: list(text), lines: list(text) }),
  personOnly: true,
  run: setUp,
};

async function add(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const source = input.args[0] ?? "";
  const name = flags.text("name") ?? nameIn(source, flags.text("path"));
  if (!isSkillName(name) || isGrabber(name))
    return fail("bad-input", `${name} is no name that a skill may have`, {
      hint: "call it otherwise with --name",
    });
  const content = await contentOf(context, source, flags.text("path"));
  if (!content.ok) return content;
  const { digest, from } = content.value;
  const wanted = flags.text("checksum");
  if (wanted !== undefined && wanted !== digest)
    return fail("bad-input", `its digest is ${digest}, not ${wanted}: nothing was written`);
  const folder = `${quarantineOf(input)}/${name}`;
  const written = await (await context.skillFolders()).write(folder, content.value);
  if (!written.ok) return written;
  const noted = await note(context, name, { digest, trust: "untrusted", from });
  if (!noted.ok) return noted;
  const lines = [
    `${name} lies in ${folder}, from ${from}`,
    `look at it, then: loopwright skills promote ${name}`,
  ];
  return answered("skills-add", { name, folder, digest, from, lines });
}

/** What a source holds, and what exactly it was. */
async function contentOf(
  context: CommandContext,
  source: string,
  path: string | undefined,
): Promise<Result<SkillContent & { readonly from: string }>> {
  const folders = await context.skillFolders();
  const remote = remoteOf(source, path);
  if (remote !== undefined) {
    const fetched = await folders.fetch(remote);
    return fetched.ok ? ok({ ...fetched.value, from: `${source} at ${fetched.value.revision}` }) : fetched;
  }
  const folder = path === undefined ? source : `${source}/${path}`;
  const read = await folders.read(folder);
  if (!read.ok) return read;
  return read.value === undefined
    ? fail("no-such-file", `there is no SKILL.md in ${folder}`)
    : ok({ ...read.value, from: folder });
}

function remoteOf(source: string, path: string | undefined): SkillSource | undefined {
  const inner = path === undefined ? {} : { path };
  if (source.startsWith("npm:")) return { kind: "npm", name: source.slice("npm:".length), ...inner };
  return /^\w+:\/\//.test(source) ? { kind: "git", url: source, ...inner } : undefined;
}

function nameIn(source: string, path: string | undefined): string {
  const whole = (path ?? source).replace(/\/+$/, "");
  return baseName(whole)
    .replace(/^npm:/, "")
    .replace(/@[^@]*$/, "")
    .replace(/\.git$/, "");
}

async function promote(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const name = input.args[0] ?? "";
  const asked = readFlags(input).text("trust") ?? "reviewed";
  const trust = TRUST_LEVELS.find((level) => level === asked) ?? "reviewed";
  const found = await findSkill(context, { skills: { quarantineDir: quarantineOf(input) } }, name);
  if (found === undefined)
    return fail("no-such-file", `there is no skill ${name} here`, { hint: "see `loopwright skills list`" });
  const { folder, digest } = found;
  if (digest === undefined) return fail("bad-input", `${folder} cannot be read whole, or holds a link`);
  const noted = await note(context, name, {
    digest,
    trust,
    from: folder,
    by: personHere(context),
  });
  if (!noted.ok) return noted;
  const lines = [`${name} is ${trust} as it is now (${digest.slice(0, 12)})`];
  return answered("skills-promote", { name, folder, digest, lines });
}

async function remove(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const name = input.args[0] ?? "";
  if (!isSkillName(name)) return fail("bad-input", `${name} is no name that a skill may have`);
  const folder = `${quarantineOf(input)}/${name}`;
  const isHere = (await context.files.kind(folder)) === "folder";
  const forgotten = await changeRecords(context, (topLevel) => ({ drop: [placeOf(topLevel, name)] }));
  if (!forgotten.ok) return forgotten;
  if (isHere) {
    const removed = await (await context.skillFolders()).remove(folder);
    if (!removed.ok) return removed;
  }
  const lines = [
    isHere ? `removed ${folder}` : `nothing is noted of ${name} any more; its folder is yours to remove`,
  ];
  return answered("skills-remove", { name, lines });
}

async function setUp(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const home = context.env["HOME"];
  const isUser = readFlags(input).is("user");
  if (isUser && home === undefined) return fail("bad-flag", "there is no HOME to write to");
  const files: string[] = [];
  for (const place of PLACES) {
    const file = `${isUser ? `${home}/` : ""}${place}/loopwright/SKILL.md`;
    const written = await context.files.write(file, OWN_SKILL);
    if (!written.ok) return written;
    files.push(file);
  }
  return answered("skills-setup", { files, lines: files.map((file) => `wrote ${file}`) });
}

interface Note {
  readonly digest: string;
  readonly trust: TrustLevel;
  readonly from: string;
  readonly by?: string;
}

function note(context: CommandContext, name: string, document: Note): Promise<Result<void>> {
  const at = instant(context.now());
  return changeRecords(context, (topLevel) => ({
    put: [{ ...placeOf(topLevel, name), at, document: { ...document } }],
  }));
}

function placeOf(topLevel: string, name: string): LoopRecordKey {
  return { topLevel, loop: "", kind: "skill", key: name, part: "" };
}

function quarantineOf(input: CommandInput): string {
  return readFlags(input).text("quarantine") ?? QUARANTINE_DIR;
}

function answered(command: string, members: CommandOutput["json"]): Result<CommandOutput> {
  return ok({ exit: ExitCode.ok, json: { schema: `loopwright.${command}/1`, ok: true, ...members } });
}
