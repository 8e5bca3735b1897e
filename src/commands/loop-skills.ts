import type { Digest } from "../core/hash.ts";
import type { Loop } from "../formats/loop/index.ts";
import { TRUST_LEVELS, type TrustLevel } from "../formats/loop/policy-types.ts";
import type { LoopRecord } from "../ports/store.ts";
import type { SessionState } from "../run/state.ts";
import { keptRecords } from "./loop-records.ts";
import type { CommandContext } from "./types.ts";

/** Where agents keep what they know how to do: a folder of the skill's name with a `SKILL.md`. */
export const PLACES = [".claude/skills", ".codex/skills", ".agents/skills"];
const NAME = /^(?![/-])(?!.*\.\.)[A-Za-z0-9_/@.-]{1,64}$/;

interface FoundSkill {
  readonly name: string;
  readonly folder: string;
  /** Of all its files; undefined when they cannot be read, or one is a link. */
  readonly digest: Digest | undefined;
  readonly isQuarantined: boolean;
}

/** What a person or `skills add` noted of a skill, pinned to what its files held then. */
interface SkillNote {
  readonly digest: string;
  readonly trust: TrustLevel;
}

export interface SkilledLoop {
  /** Its pieces are told which skills to read. */
  readonly pieces: Loop["pieces"];
  /** What a piece asks for and does not get. */
  readonly lines: readonly string[];
}

/** The names that may be written to disk, and looked for. */
export function isSkillName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Tells each piece where the skills lie that it asks for: those that are trusted as much as the loop demands, with the
 * content that they were trusted with. Nothing is fetched.
 */
export async function attachSkills(context: CommandContext, loop: Loop): Promise<SkilledLoop> {
  const wanted = [...new Set(loop.pieces.flatMap(({ skills }) => skills))];
  if (wanted.length === 0) return { pieces: loop.pieces, lines: [] };
  const known = await knownSkills(context);
  const files = new Map<string, string>();
  const lines: string[] = [];
  for (const name of wanted) {
    const found = await findSkill(context, loop, name);
    const why = whyNot(loop, name, found, known);
    if (found !== undefined && why === undefined) files.set(name, `${found.folder}/SKILL.md`);
    else lines.push(`${askersOf(loop, name)}: the skill ${name} ${why}`);
  }
  const pieces = loop.pieces.map((piece) => {
    const own = piece.skills.flatMap((name) => files.get(name) ?? []);
    if (own.length === 0) return piece;
    return { ...piece, instruction: `${piece.instruction}\nSkills for this, read first: ${own.join(", ")}` };
  });
  return { pieces, lines };
}

/** Those of the names that a piece of the loop would get. */
export async function attachable(
  context: CommandContext,
  loop: Loop,
  names: readonly string[],
): Promise<readonly string[]> {
  const known = await knownSkills(context);
  const usable: string[] = [];
  for (const name of names) {
    if (whyNot(loop, name, await findSkill(context, loop, name), known) === undefined) usable.push(name);
  }
  return usable;
}

/** What the store says of the skills of this folder. */
export interface KnownSkills {
  readonly notes: ReadonlyMap<string, SkillNote>;
  /** Paths below the places of skills that attempts of the latest sessions here have changed. */
  readonly written: ReadonlySet<string>;
}

export async function knownSkills(context: CommandContext): Promise<KnownSkills> {
  return { notes: await skillNotes(context), written: await writtenByAgents(context) };
}

const LOOKED_AT = 200;

async function writtenByAgents(context: CommandContext): Promise<ReadonlySet<string>> {
  const [store, topLevel] = [await context.readStore(), await context.topLevel()];
  if (!store.ok || store.value === undefined || !topLevel.ok) return new Set();
  const sessions = await store.value.sessions({ topLevel: topLevel.value, limit: LOOKED_AT });
  const states = sessions.ok
    ? sessions.value.map(({ projection }) => projection as unknown as SessionState)
    : [];
  const changes = states.flatMap(({ attempts }) => attempts.flatMap(({ ended }) => ended?.changes ?? []));
  const paths = changes.map(({ path }) => path);
  return new Set(paths.filter((path) => PLACES.some((place) => path.startsWith(`${place}/`))));
}

export async function findSkill(
  context: CommandContext,
  { skills }: { readonly skills: Pick<Loop["skills"], "quarantineDir"> },
  name: string,
): Promise<FoundSkill | undefined> {
  if (!isSkillName(name)) return undefined;
  for (const place of placesFor(context, skills.quarantineDir)) {
    const found = await skillAt(context, `${place}/${name}`, name, place === skills.quarantineDir);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where skills may lie, in the order of who wins: in the folder, in the home, in quarantine. */
export function placesFor({ env }: CommandContext, quarantineDir: string): readonly string[] {
  const home = env["HOME"];
  const homes = home === undefined ? [] : PLACES.map((place) => `${home}/${place}`);
  return [...PLACES, ...homes, quarantineDir];
}

async function skillAt(
  context: CommandContext,
  folder: string,
  name: string,
  isQuarantined: boolean,
): Promise<FoundSkill | undefined> {
  if ((await context.files.kind(`${folder}/SKILL.md`)) !== "file") return undefined;
  const read = await (await context.skillFolders()).read(folder);
  return { name, folder, digest: read.ok ? read.value?.digest : undefined, isQuarantined };
}

/** By name, of all skills of this folder. */
async function skillNotes(context: CommandContext): Promise<ReadonlyMap<string, SkillNote>> {
  const records = await keptRecords(context, "", "skill");
  return new Map(records.ok ? records.value.flatMap(noteOf) : []);
}

function noteOf({ key, document }: LoopRecord): readonly (readonly [string, SkillNote])[] {
  const { digest } = document;
  const trust = TRUST_LEVELS.find((level) => level === document["trust"]);
  return typeof digest === "string" && trust !== undefined ? [[key, { digest, trust }]] : [];
}

/** How far a skill is trusted: what lies in quarantine not at all, what a person installed as far as that goes. */
export function trustOf(
  loop: Pick<Loop, "defaultSkills">,
  { name, folder, digest, isQuarantined }: FoundSkill,
  { notes, written }: KnownSkills,
): TrustLevel {
  const note = notes.get(name);
  if (note === undefined && isIn(written, folder)) return "untrusted";
  if (note !== undefined) return note.digest === digest ? note.trust : "untrusted";
  const declared = loop.defaultSkills.find((one) => one.name === name);
  if (declared?.checksum !== undefined)
    return declared.checksum === digest ? declared.trustLevel : "untrusted";
  return isQuarantined ? "untrusted" : "reviewed";
}

function isIn(paths: ReadonlySet<string>, folder: string): boolean {
  return [...paths].some((path) => path.startsWith(`${folder}/`));
}

function whyNot(
  loop: Loop,
  name: string,
  found: FoundSkill | undefined,
  known: KnownSkills,
): string | undefined {
  if (found === undefined) return `is not installed (looked in ${PLACES.join(", ")} here and in your home)`;
  const { requireHumanPromotion, requireChecksum, minTrustLevel } = loop.skills;
  if (found.digest === undefined) return `cannot be read whole, or holds a link: ${found.folder}`;
  const note = known.notes.get(name);
  const isPinned = note?.digest === found.digest;
  if (note !== undefined && !isPinned)
    return `was changed since it was noted; look at it, then: loopwright skills promote ${name}`;
  if (note === undefined && isIn(known.written, found.folder))
    return `was written by an agent (${found.folder}); look at it, then: loopwright skills promote ${name}`;
  const trust = trustOf(loop, found, known);
  const isPromoted = note !== undefined && note.trust !== "untrusted";
  if (found.isQuarantined && requireHumanPromotion && !isPromoted)
    return `is in quarantine (${found.folder}); let it out with: loopwright skills promote ${name}`;
  if (TRUST_LEVELS.indexOf(trust) < TRUST_LEVELS.indexOf(minTrustLevel))
    return `is ${trust}, and the loop asks for ${minTrustLevel}: loopwright skills promote ${name} --trust ${minTrustLevel}`;
  const declared = loop.defaultSkills.find((one) => one.name === name)?.checksum;
  if (requireChecksum && !isPinned && (declared === undefined || declared !== found.digest))
    return `has no checksum that holds, and the loop asks for one: loopwright skills promote ${name}`;
  return undefined;
}

function askersOf({ pieces }: Loop, name: string): string {
  return pieces
    .filter(({ skills }) => skills.includes(name))
    .map(({ id }) => id)
    .join(", ");
}
