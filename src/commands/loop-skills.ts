import type { Loop } from "../formats/loop/index.ts";
import type { CommandContext } from "./types.ts";

/** Where agents keep what they know how to do: a folder of the skill's name with a `SKILL.md`. */
const PLACES = [".claude/skills", ".codex/skills", ".agents/skills"];
const NAME = /^(?![/-])(?!.*\.\.)[A-Za-z0-9_/@.-]{1,64}$/;

interface FoundSkill {
  readonly name: string;
  /** Of its `SKILL.md`; undefined where it is not installed, or not yet let out of quarantine. */
  readonly file: string | undefined;
  readonly quarantined: string | undefined;
}

export interface SkilledLoop {
  /** Its pieces are told which skills to read. */
  readonly pieces: Loop["pieces"];
  /** What a piece asks for and does not get. */
  readonly lines: readonly string[];
}

/**
 * Tells each piece where the skills lie that it asks for. Nothing is fetched; what lies in quarantine is used only where the
 * loop does without a person's promotion, which is moving it to the others.
 */
export async function attachSkills(context: CommandContext, loop: Loop): Promise<SkilledLoop> {
  const wanted = [...new Set(loop.pieces.flatMap(({ skills }) => skills))];
  const found = new Map<string, FoundSkill>();
  for (const name of wanted) found.set(name, await findSkill(context, loop, name));
  const pieces = loop.pieces.map((piece) => {
    const files = piece.skills.flatMap((name) => found.get(name)?.file ?? []);
    if (files.length === 0) return piece;
    return {
      ...piece,
      instruction: `${piece.instruction}\nSkills for this, read first: ${files.join(", ")}`,
    };
  });
  return { pieces, lines: [...found.values()].flatMap((skill) => missingLine(loop, skill)) };
}

async function findSkill(context: CommandContext, loop: Loop, name: string): Promise<FoundSkill> {
  if (!NAME.test(name)) return { name, file: undefined, quarantined: undefined };
  const home = context.env["HOME"];
  const places = [...PLACES, ...(home === undefined ? [] : PLACES.map((place) => `${home}/${place}`))];
  const { quarantineDir, requireHumanPromotion } = loop.skills;
  const file = await firstFile(context, places, name);
  const quarantined = file === undefined ? await firstFile(context, [quarantineDir], name) : undefined;
  return requireHumanPromotion
    ? { name, file, quarantined }
    : { name, file: file ?? quarantined, quarantined: undefined };
}

async function firstFile(
  context: CommandContext,
  places: readonly string[],
  name: string,
): Promise<string | undefined> {
  for (const place of places) {
    const file = `${place}/${name}/SKILL.md`;
    if ((await context.files.kind(file)) === "file") return file;
  }
  return undefined;
}

function missingLine({ pieces }: Loop, { name, file, quarantined }: FoundSkill): readonly string[] {
  if (file !== undefined) return [];
  const askers = pieces.filter(({ skills }) => skills.includes(name)).map(({ id }) => id);
  const where = quarantined?.replace(/\/SKILL\.md$/, "");
  const why =
    where === undefined
      ? `is not installed (looked in ${PLACES.join(", ")} here and in your home)`
      : `is in quarantine; let it out with: mv ${where} ${PLACES[0]}/`;
  return [`${askers.join(", ")}: the skill ${name} ${why}`];
}
