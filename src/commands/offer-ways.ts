import { fail, ok, type Result } from "../core/result.ts";
import type { Option } from "../plan/question.ts";
import { readFlags } from "./flag-values.ts";
import { followedExt } from "./followed.ts";
import type { Advised } from "./go-advice.ts";
import { type Answered, answerRecommend } from "./recommend-run.ts";
import { workflowFlagsOf } from "./recommend-view.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** Asks the planner, shows what it picks, and lets the user take it or another way. */
export async function offerWays(
  context: CommandContext,
  input: CommandInput,
  title: string | undefined,
  insists: boolean,
): Promise<Result<Advised>> {
  const type = readFlags(input).text("type") ?? "bug_fix";
  const answered = await answerRecommend(context, {
    args: [],
    flags: { type, brief: true, ...(title !== undefined && { title }) },
  });
  if (!answered.ok) return answered;
  const { found, json } = answered.value;
  const { pick, reason } = found;
  if (reason === "cheapest-without-a-chance") {
    context.talk(
      "not enough data to recommend a way of working; `loopwright recommend` names the runs that would teach",
    );
    return ok({ input });
  }
  const options = await runnable(context, found.options);
  if (!options.some(({ key }) => key === "goal")) {
    context.talk(`recommended is ${pick.name}, which cannot be run here; working as always`);
    return ok({ input });
  }
  context.talk(`recommended: ${pick.name}`);
  context.talk(`  ${wordsOf(pick)}; ${String(json["why"])}`);
  const taken = await ask(context, options, insists);
  if (!taken.ok) return taken;
  return taken.value === undefined ? ok({ input }) : follow(context, input, answered.value, taken.value);
}

function wordsOf({ success, costUsd }: Answered["found"]["pick"]): string {
  return `${Math.round(100 * success.mean)} % accepted, $${costUsd.mean.toFixed(2)} a run`;
}

/** Options of one run whose agents are on this machine and have a model to name. */
async function runnable(context: CommandContext, options: readonly Option[]): Promise<readonly Option[]> {
  const found = await context.detectProviders();
  const installed = found.flatMap(({ available, id }) => (available ? [id] : []));
  return options.filter(
    ({ members: [member, ...others] }) =>
      others.length === 0 &&
      member?.choice.candidate.facts.pieces.every(
        ({ isMechanical, setting: { harness, model } }) =>
          isMechanical || (harness !== undefined && model !== undefined && installed.includes(harness)),
      ),
  );
}

async function ask(
  context: CommandContext,
  options: readonly Option[],
  insists: boolean,
): Promise<Result<Option | undefined>> {
  const [goal, ...others] = options;
  if (context.yes) return ok(goal);
  if (context.choose === undefined) {
    return insists
      ? fail("needs-answer", "nobody can be asked whether to work the recommended way", {
          hint: "take it with --yes, or name a way with --workflow",
        })
      : ok(undefined);
  }
  const key = await context.choose("Work this way?", [
    { key: "y", label: "yes" },
    ...(others.length > 0 ? [{ key: "c", label: "choose another" }] : []),
    { key: "n", label: "no, as always" },
  ]);
  if (key !== "c") return ok(key === "y" ? goal : undefined);
  const number = await context.choose(
    "Which one?",
    options.map((option) => ({ key: String(option.number), label: labelOf(option) })),
  );
  return ok(options.find((option) => String(option.number) === number));
}

function labelOf({ members: [member] }: Option): string {
  return member === undefined ? "" : `${member.choice.name}: ${wordsOf(member.choice)}`;
}

async function follow(
  context: CommandContext,
  input: CommandInput,
  { kept }: Answered,
  option: Option,
): Promise<Result<Advised>> {
  const [member] = option.members;
  if (member === undefined) return ok({ input });
  const advised = { ...input, flags: { ...input.flags, ...workflowFlagsOf(member.choice) } };
  if (kept === undefined) return ok({ input: advised });
  const { readStored } = await import("../formats/recommendation/read-stored.ts");
  const stored = readStored(JSON.stringify(kept));
  if (!stored.ok) return stored;
  const taken = stored.value.options.find((one) => one.option === option.number);
  const ext = followedExt(
    { stored: stored.value, ...(taken !== undefined && { option: taken }) },
    member.choice.candidate.id,
    context.yes ? "policy" : "person",
  );
  const followed = { recommendation: stored.value.rec, pick: member.source, ext: ext ?? {} };
  return ok({ input: advised, followed });
}
