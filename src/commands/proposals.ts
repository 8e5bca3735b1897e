import { sha256 } from "../core/hash.ts";
import { fail, ok, type Problem, type Result } from "../core/result.ts";
import type { Loop, LoopPatch } from "../formats/loop/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG, LOOP_FILE_FLAG } from "./loop-file.ts";
import { loopProposals, type Proposal, type Proposals } from "./loop-proposals.ts";
import { changeRecords } from "./loop-records.ts";
import { personHere } from "./person.ts";
import { detailLines, headline, proposalRow, regressionRow, regressionText } from "./proposal-view.ts";
import { answer, anything, either, flag, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const REGRESSION = object({ is: text, "runs?": whole, "measured?": anything, "worse?": list(text) });
const PROPOSAL = object({
  id: text,
  kind: text,
  subject: text,
  rationale: text,
  patch: orNull(object({ path: text, value: anything })),
  admitted: orNull(flag),
  refused_because: orNull(text),
  verdict: either(oneOf("adopt", "reject", "unresolved", "undecided"), { type: "null" }),
  pairs: whole,
  wins: whole,
  losses: whole,
  regression: REGRESSION,
  at: text,
  expires_at: orNull(text),
});

export const proposalsList: Command = {
  path: ["proposals", "list"],
  group: "Loops",
  brief: "Changes of a loop file that its runs speak for",
  details:
    "From paired trials of skills, from what runs could not do, and from what agents suggest. Nothing of it is ever applied by itself.",
  args: [LOOP_FILE_ARG],
  flags: {},
  output: answer("proposals-list", {
    loop: text,
    evolving: flag,
    baseline: REGRESSION,
    proposals: list(PROPOSAL),
    lines: list(text),
  }),
  run: listProposals,
};

const ID = [{ name: "id", brief: "As `proposals list` shows it", required: true }];

export const proposalsShow: Command = {
  path: ["proposals", "show"],
  group: "Loops",
  brief: "One proposal: the change, what speaks for it, whether it may be applied",
  args: ID,
  flags: { file: LOOP_FILE_FLAG },
  output: answer("proposals-show", { proposal: PROPOSAL, lines: list(text) }),
  run: showProposal,
};

export const proposalsApply: Command = {
  path: ["proposals", "apply"],
  group: "Loops",
  brief: "Change the loop file as proposed, after a question",
  details:
    "Refused for what is protected, for a change that made runs worse than the baseline allows, and, without --unproved, for one that no paired trial or no baseline speaks for. The text before is kept in the store.",
  args: ID,
  flags: {
    file: LOOP_FILE_FLAG,
    undo: { kind: "boolean", brief: "Put the file back as it was before this was applied" },
    unproved: { kind: "boolean", brief: "Though no trial, or no baseline, speaks for it" },
  },
  output: answer("proposals-apply", {
    id: text,
    file: text,
    path: text,
    before: text,
    after: text,
    lines: list(text),
  }),
  personOnly: true,
  run: applyProposal,
};

async function listProposals(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const read = await gather(context, input.args[0]);
  if (!read.ok) return read;
  const { loop, proposals, baseline } = read.value;
  const isEvolving = loop.evolution.isEnabled && loop.features.selfEvolution;
  const lines = [
    ...(proposals.length === 0 ? ["nothing is proposed"] : proposals.map(headline)),
    `baseline: ${regressionText(baseline)}`,
    ...(isEvolving
      ? []
      : ["agents are not asked for suggestions: that needs evolution.enabled and features.self_evolution"]),
  ];
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.proposals-list/1",
      ok: true,
      loop: loop.name,
      evolving: isEvolving,
      baseline: regressionRow(baseline),
      proposals: proposals.map(proposalRow),
      lines,
    },
  });
}

async function showProposal(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const found = await findProposal(context, input);
  if (!found.ok) return found;
  const { proposal } = found.value;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.proposals-show/1",
      ok: true,
      proposal: proposalRow(proposal),
      lines: detailLines(proposal),
    },
  });
}

async function applyProposal(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  if (readFlags(input).is("undo")) {
    const { undoProposal } = await import("./proposal-undo.ts");
    return undoProposal(context, input);
  }
  const found = await findProposal(context, input);
  if (!found.ok) return found;
  const { proposal, path, text: before } = found.value;
  const { patch } = proposal;
  const refusal = refusalOf(proposal, readFlags(input).is("unproved"));
  if (refusal !== undefined || patch === undefined)
    return { ok: false, problem: refusal ?? { code: "bad-input", message: "it has no change to apply" } };
  const after = await patchedText(before, path, patch);
  if (!after.ok) return after;
  const agreed = await agree(context, proposal, path);
  if (!agreed.ok) return agreed;
  const kept = await keep(context, found.value, after.value);
  if (!kept.ok) return kept;
  const written = await context.files.write(path, after.value);
  if (!written.ok) return written;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.proposals-apply/1",
      ok: true,
      id: proposal.id,
      file: path,
      path: patch.path,
      before: sha256(before),
      after: sha256(after.value),
      lines: [`changed ${patch.path} in ${path}`],
    },
  });
}

/** Why a proposal may not be applied, a person's word or not. */
function refusalOf(
  { patch, admission, standing, regression }: Proposal,
  isUnproved: boolean,
): Problem | undefined {
  if (patch === undefined)
    return {
      code: "bad-input",
      message: "it names what went wrong and no change: edit the file by hand",
    };
  if (admission?.isAdmitted !== true)
    return { code: "not-admitted", message: admission?.why ?? "it was not looked at" };
  if (regression.is === "regressed")
    return {
      code: "not-admitted",
      message: `runs with it were worse than the baseline allows: ${regression.worse.join(", ")}`,
    };
  if (isUnproved || (standing?.verdict.kind === "adopt" && regression.is === "held")) return undefined;
  const missing =
    standing?.verdict.kind === "adopt" ? regressionText(regression) : "no paired trial speaks for it";
  return { code: "not-admitted", message: missing, hint: "add --unproved to apply it all the same" };
}

/** Problem: `not-admitted` when the file would break a rule of loop files. */
async function patchedText(before: string, path: string, patch: LoopPatch): Promise<Result<string>> {
  const { parseLoop, patchLoop } = await import("../formats/loop/index.ts");
  const { errorsIn } = await import("./read-loop.ts");
  const after = await patchLoop(before, path, patch);
  if (!after.ok) return after;
  const had = errorsIn(await parseLoop(before, path)).map(({ message }) => message);
  const [error] = errorsIn(await parseLoop(after.value, path)).filter(
    ({ message }) => !had.includes(message),
  );
  return error === undefined ? after : fail("not-admitted", `the file would be wrong: ${error.message}`);
}

async function agree(context: CommandContext, proposal: Proposal, path: string): Promise<Result<void>> {
  if (context.yes) return ok(undefined);
  for (const line of detailLines(proposal)) context.talk(line);
  const answered = await context.confirm?.(`change ${path}?`);
  if (answered === true) return ok(undefined);
  return answered === false
    ? fail("needs-answer", "nothing was changed")
    : fail("needs-answer", "a person has to agree to the change", { hint: "add --yes" });
}

async function keep(
  context: CommandContext,
  { loop, proposal, text: before }: Found,
  after: string,
): Promise<Result<void>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const blob = await store.value.putBlob(before);
  if (!blob.ok) return blob;
  const at = new Date(context.now()).toISOString();
  const by = personHere(context);
  const document = { before: blob.value, after: sha256(after), by, rationale: proposal.rationale };
  const of = { loop: loop.name, kind: "proposal", key: proposal.id, part: at } as const;
  return changeRecords(context, (topLevel) => ({ put: [{ topLevel, ...of, at, document }] }));
}

interface Read extends Proposals {
  readonly loop: Loop;
  readonly path: string;
  readonly text: string;
}
interface Found extends Read {
  readonly proposal: Proposal;
}

async function gather(context: CommandContext, file: string | undefined): Promise<Result<Read>> {
  const { errorsIn, firstProblem, readLoop } = await import("./read-loop.ts");
  const read = await readLoop(context, { flags: {}, args: file === undefined ? [] : [file] });
  if (!read.ok) return read;
  const { loop } = read.value.read;
  if (loop === undefined) return { ok: false, problem: firstProblem(errorsIn(read.value.read)) };
  const { path, text } = read.value;
  const found = await loopProposals(context, loop, text);
  return found.ok ? ok({ loop, path, text, ...found.value }) : found;
}

async function findProposal(context: CommandContext, input: CommandInput): Promise<Result<Found>> {
  const read = await gather(context, readFlags(input).text("file"));
  if (!read.ok) return read;
  const proposal = read.value.proposals.find(({ id }) => id === input.args[0]);
  return proposal === undefined
    ? fail("no-such-proposal", `nothing is proposed under ${input.args[0]}`, {
        hint: "see `loopwright proposals list`",
      })
    : ok({ ...read.value, proposal });
}
