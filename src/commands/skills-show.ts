import { fail, ok, type Result } from "../core/result.ts";
import type { Loop, TrustLevel } from "../formats/loop/index.ts";
import { QUARANTINE_DIR } from "../formats/loop/policy-types.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { findSkill, isSkillName, knownSkills, placesFor, trustOf } from "./loop-skills.ts";
import { answer, flag, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const skillsList: Command = {
  path: ["skills", "list"],
  group: "Loops",
  brief: "The skills that lie here and in your home, and how far each is trusted",
  args: [LOOP_FILE_ARG],
  flags: {},
  output: answer("skills-list", {
    skills: list(
      object({
        name: text,
        folder: text,
        digest: orNull(text),
        trust: oneOf("untrusted", "reviewed", "approved"),
        quarantined: flag,
        changed: flag,
      }),
    ),
    lines: list(text),
  }),
  run: listSkills,
};

export const skillsScores: Command = {
  path: ["skills", "scores"],
  group: "Loops",
  brief: "What paired runs of a loop say of the skills that it tried",
  args: [LOOP_FILE_ARG],
  flags: {},
  output: answer("skills-scores", {
    scores: list(
      object({
        change: text,
        pairs: whole,
        wins: whole,
        losses: whole,
        verdict: oneOf("adopt", "reject", "unresolved", "undecided"),
        better_prob: orNull(number),
      }),
    ),
    lines: list(text),
  }),
  run: scores,
};

export const skillsSearch: Command = {
  path: ["skills", "search"],
  group: "Loops",
  brief: "Look for skills in a list of a marketplace that you have as a file",
  details: "Opens no connection and installs nothing. Names that smell of stolen secrets are left out.",
  args: [{ name: "terms", brief: "Words to look for", required: true, variadic: true }],
  flags: {
    index: { kind: "text", brief: "The list, a JSON array", placeholder: "FILE" },
    minStars: { kind: "count", brief: "Leave out what has fewer (100)", placeholder: "N" },
    limit: { kind: "count", atLeast: 1, brief: "At most so many (10)", placeholder: "N" },
  },
  output: answer("skills-search", {
    skills: list(object({ name: text, from: text, description: text, stars: number })),
    lines: list(text),
  }),
  run: search,
};

const NO_LOOP = {
  skills: { quarantineDir: QUARANTINE_DIR },
  defaultSkills: [],
} as const satisfies {
  readonly skills: Pick<Loop["skills"], "quarantineDir">;
  readonly defaultSkills: Loop["defaultSkills"];
};

const MOST_LISTED = 2000;

async function listSkills(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { findLoop, readDraftLoop } = await import("./read-loop.ts");
  const isHere = input.args[0] !== undefined || (await findLoop(context, undefined)).ok;
  const read = isHere ? await readDraftLoop(context, input) : ok(NO_LOOP);
  if (!read.ok) return read;
  const loop = read.value;
  const { quarantineDir } = loop.skills;
  const names = new Set<string>();
  for (const place of placesFor(context, quarantineDir)) {
    const paths = await context.files.below(place, MOST_LISTED);
    for (const path of paths) if (path.endsWith("/SKILL.md")) names.add(path.slice(0, -"/SKILL.md".length));
  }
  const known = await knownSkills(context);
  const rows: SkillRow[] = [];
  for (const name of [...names].filter(isSkillName).sort()) {
    const found = await findSkill(context, loop, name);
    const note = known.notes.get(name);
    if (found === undefined) continue;
    rows.push({
      name,
      folder: found.folder,
      digest: found.digest ?? null,
      trust: trustOf(loop, found, known),
      quarantined: found.isQuarantined,
      changed: note !== undefined && note.digest !== found.digest,
    });
  }
  const lines = rows.map(({ name, folder, trust, quarantined, changed }) => {
    const marks = [
      trust,
      ...(quarantined ? ["in quarantine"] : []),
      ...(changed ? ["changed since it was noted"] : []),
    ];
    return `${name}: ${marks.join(", ")}; ${folder}`;
  });
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.skills-list/1",
      ok: true,
      skills: rows.map((row) => ({ ...row })),
      lines: lines.length === 0 ? ["no skill lies here"] : lines,
    },
  });
}

interface SkillRow {
  readonly name: string;
  readonly folder: string;
  readonly digest: string | null;
  readonly trust: TrustLevel;
  readonly quarantined: boolean;
  readonly changed: boolean;
}

async function scores(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readDraftLoop } = await import("./read-loop.ts");
  const loop = await readDraftLoop(context, input);
  if (!loop.ok) return loop;
  const { loopRuns, loopTrials } = await import("./loop-runs.ts");
  const { standings } = await import("../verify/experiments/loop-trials.ts");
  const runs = await loopRuns(context, loop.value.name);
  if (!runs.ok) return runs;
  const trials = await loopTrials(context, loop.value.name, runs.value);
  if (!trials.ok) return trials;
  const rows = standings(trials.value, loop.value.skills.minTrials).map(
    ({ change, pairs, wins, losses, verdict }) => ({
      change,
      pairs,
      wins,
      losses,
      verdict: verdict.kind,
      better_prob: verdict.kind === "undecided" ? null : verdict.look.betterProb,
    }),
  );
  const lines = rows.map(
    ({ change, pairs, wins, losses, verdict }) =>
      `${change}: ${verdict}, ${pairs} pairs, ${wins} won and ${losses} lost`,
  );
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.skills-scores/1",
      ok: true,
      scores: rows,
      lines: lines.length === 0 ? ["nothing was tried yet"] : lines,
    },
  });
}

async function search(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const index = flags.text("index");
  if (index === undefined)
    return fail("bad-flag", "name the list to look in with --index FILE", {
      hint: "nothing is fetched: download the list of your marketplace first",
    });
  const list = await context.readText(index);
  if (!list.ok) return list;
  const { searchIndex } = await import("./skill-index.ts");
  const found = searchIndex(list.value, input.args, flags.count("minStars") ?? 100);
  if (!found.ok) return found;
  const shown = found.value.slice(0, flags.count("limit") ?? 10);
  const lines = shown.map(
    ({ name, from, stars, description }) => `${name} (${stars} stars, ${from}): ${description}`,
  );
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.skills-search/1",
      ok: true,
      skills: shown.map(({ name, from, description, stars }) => ({ name, from, description, stars })),
      lines: lines.length === 0 ? ["nothing was found"] : lines,
    },
  });
}
