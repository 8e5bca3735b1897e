import { fail, ok, type Result } from "../core/result.ts";
import {
  foldRole,
  parseSet,
  type SetOverride,
  type Setting,
  toOcpSettings,
  toOcpWorkflow,
  type Workflow,
  type WorkflowFile,
  type WorkflowPiece,
} from "../formats/workflow/index.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import { planWorkflow } from "../run/plan-workflow.ts";
import type { RunPorts } from "../run/ports.ts";
import type { AgentPiece, PlanPiece, SessionSpec } from "../run/spec.ts";
import { findWorkflow } from "./find-workflow.ts";
import { readFlags } from "./flag-values.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** What a workflow brings to a session. */
export interface WorkflowPlan {
  readonly providers: readonly ProviderSpec[];
  readonly pieces: readonly PlanPiece[];
  /** Rounds, the first one counted. */
  readonly rounds: number;
  /** Most agents that work at the same time. */
  readonly concurrency: number;
  readonly configuration: SessionSpec["configuration"] & object;
}

type Machine = Pick<RunPorts, "providers">;
type Choice = { readonly setting: Setting; readonly provider: ProviderSpec };

/**
 * From `--workflow`, `--set` and `--provider` to what the engine runs. Problems name the piece and the flag that
 * would mend it; a judge of the builder's own family is refused unless `--same-family` insists.
 */
export async function workflowPlan(
  context: CommandContext,
  ports: Machine,
  input: CommandInput,
  goal: string,
): Promise<Result<WorkflowPlan>> {
  const flags = readFlags(input);
  const found = await findWorkflow(context, flags.text("workflow") ?? "");
  if (!found.ok) return found;
  for (const warning of found.value.warnings) context.talk(`warning: ${warning.at ?? ""} ${warning.message}`);
  const overrides = overridesOf(flags.texts("set"), found.value.file.workflow);
  if (!overrides.ok) return overrides;
  const agents = found.value.file.workflow.pieces.filter(
    (piece) => !isMechanical(piece, found.value.file, overrides.value),
  );
  const choices = await new Chooser(
    context,
    ports,
    found.value.file,
    overrides.value,
    flags.text("provider"),
  ).all(agents);
  if (!choices.ok) return choices;
  const rounds = flags.count("maxIterations") ?? found.value.file.workflow.control.rounds;
  const workflow = withRounds(found.value.file.workflow, rounds);
  const providers = new Map([...choices.value].map(([piece, { provider }]) => [piece, provider.id]));
  const permission = flags.is("fullAccess") ? "full" : "edit";
  const pieces = planWorkflow({ workflow, goal, providers, permission });
  if (!pieces.ok) return pieces;
  const judged = flags.is("sameFamily") ? ok(undefined) : checkJudges(ports, pieces.value, choices.value);
  if (!judged.ok) return judged;
  return ok({
    providers: [...choices.value.values()].map(({ provider }) => provider),
    pieces: pieces.value,
    rounds,
    concurrency: Math.max(1, ...workflow.pieces.map(({ width }) => width)),
    configuration: configurationOf(workflow, choices.value),
  });
}

/** The checks of the session run there; no agent does. */
function isMechanical(
  piece: WorkflowPiece,
  file: WorkflowFile,
  overrides: ReadonlyMap<string, SetOverride>,
): boolean {
  const setting = file.settings[piece.id];
  const isOpen = setting === undefined || (setting.harness === "command" && setting.model === undefined);
  return foldRole(piece.role) === "tester" && isOpen && !overrides.has(piece.id);
}

function overridesOf(texts: readonly string[], workflow: Workflow): Result<ReadonlyMap<string, SetOverride>> {
  const overrides = new Map<string, SetOverride>();
  const ids = workflow.pieces.map(({ id }) => id);
  for (const text of texts) {
    const parsed = parseSet(text);
    if (!parsed.ok) return parsed;
    const { piece } = parsed.value;
    if (!ids.includes(piece)) {
      return fail("unknown-piece", `--set names "${piece}", which is no piece of "${workflow.id}"`, {
        hint: `its pieces: ${ids.join(", ")}`,
      });
    }
    overrides.set(piece, parsed.value);
  }
  return ok(overrides);
}

/** Rounds that were asked for are part of how it is done, so they belong to the configuration. */
function withRounds(workflow: Workflow, rounds: number): Workflow {
  return { ...workflow, control: { ...workflow.control, rounds } };
}

const PLAIN: Setting = { harness: "command", effort: "default", contextPolicy: "fresh", options: {} };

function configurationOf(
  workflow: Workflow,
  choices: ReadonlyMap<string, Choice>,
): WorkflowPlan["configuration"] {
  const settings = Object.fromEntries(
    workflow.pieces.map(({ id }) => [id, choices.get(id)?.setting ?? PLAIN] as const),
  );
  return { workflow: toOcpWorkflow(workflow), settings: toOcpSettings(settings) };
}

/** Finds out who does each piece: `--set`, else the file, else `--provider`, else what is installed. */
class Chooser {
  readonly #context: CommandContext;
  readonly #ports: Machine;
  readonly #file: WorkflowFile;
  readonly #overrides: ReadonlyMap<string, SetOverride>;
  readonly #asked: string | undefined;

  constructor(
    context: CommandContext,
    ports: Machine,
    file: WorkflowFile,
    overrides: ReadonlyMap<string, SetOverride>,
    asked: string | undefined,
  ) {
    this.#context = context;
    this.#ports = ports;
    this.#file = file;
    this.#overrides = overrides;
    this.#asked = asked;
  }

  async all(pieces: readonly WorkflowPiece[]): Promise<Result<ReadonlyMap<string, Choice>>> {
    const choices = new Map<string, Choice>();
    const open: WorkflowPiece[] = [];
    for (const piece of pieces) {
      const chosen = this.#chosen(piece);
      if (chosen === undefined) open.push(piece);
      else if (!chosen.ok) return chosen;
      else choices.set(piece.id, chosen.value);
    }
    const families = open.length === 0 ? [] : await this.#installed();
    for (const piece of open) {
      const made = this.#default(piece, families);
      if (!made.ok) return made;
      choices.set(piece.id, made.value);
    }
    return ok(choices);
  }

  #chosen(piece: WorkflowPiece): Result<Choice> | undefined {
    const override = this.#overrides.get(piece.id);
    if (override !== undefined && "commandLine" in override)
      return this.#command(piece, override.commandLine);
    const setting = override?.setting ?? this.#file.settings[piece.id];
    return setting === undefined ? undefined : this.#fromSetting(piece, setting);
  }

  #command(piece: WorkflowPiece, line: string): Result<Choice> {
    const parsed = this.#ports.providers.parse(`command:${line}`);
    if (!parsed.ok) return parsed;
    const setting = { ...PLAIN, harness: "byok" };
    return ok({ setting, provider: { ...parsed.value, id: `${piece.id}:command` } });
  }

  #fromSetting(piece: WorkflowPiece, setting: Setting): Result<Choice> {
    const refuse = (what: string): Result<Choice> =>
      fail("not-supported-yet", `the setting of "${piece.id}" ${what}`, {
        hint: `say who does it with --set ${piece.id}=HARNESS:MODEL:EFFORT`,
      });
    if (Object.keys(setting.options).length > 0)
      return refuse("has options, which cannot be passed to an agent yet");
    if (setting.contextPolicy !== "fresh")
      return refuse(`has the context policy ${setting.contextPolicy}; agents start fresh`);
    if (setting.harness === "command" || setting.harness === "byok") return refuse("names no command line");
    const parsed = this.#ports.providers.parse(setting.harness);
    if (!parsed.ok) return parsed;
    const model = setting.model === undefined ? {} : { model: setting.model };
    const id = `${piece.id}:${setting.harness}`;
    if (parsed.value.kind === "command") {
      if (setting.effort !== "default")
        return refuse(`has an effort, which ${setting.harness} does not take`);
      return ok({ setting, provider: { ...parsed.value, ...model, id } });
    }
    const effort = setting.effort === "default" ? {} : { effort: setting.effort };
    return ok({ setting, provider: { ...parsed.value, ...model, ...effort, id } });
  }

  async #installed(): Promise<readonly string[]> {
    if (this.#asked !== undefined) return [this.#asked];
    const found = await this.#ports.providers.detect(this.#context.env["PATH"] ?? "");
    return found.flatMap(({ available, id }) => (available ? [id] : []));
  }

  /** Judges take the second agent that is there, so that nobody grades their own work. */
  #default(piece: WorkflowPiece, installed: readonly string[]): Result<Choice> {
    const isJudge = ["reviewer", "referee", "tester"].includes(foldRole(piece.role) ?? "");
    const id = isJudge ? (installed[1] ?? installed[0]) : installed[0];
    if (id === undefined) {
      return fail("provider-missing", `nobody was found on this machine who could do "${piece.id}"`, {
        hint: `say who does it with --set ${piece.id}=HARNESS:MODEL:EFFORT; see \`loopwright providers\``,
      });
    }
    if (id.startsWith("command:")) return this.#command(piece, id.slice("command:".length));
    return this.#fromSetting(piece, { ...PLAIN, harness: id });
  }
}

/** A verdict of the builder's own kind is worth little: refused, not discounted. */
function checkJudges(
  ports: Machine,
  pieces: readonly PlanPiece[],
  choices: ReadonlyMap<string, Choice>,
): Result<void> {
  const agents = pieces.filter((piece): piece is AgentPiece => piece.kind === "agent");
  const nameOf = (piece: AgentPiece): string => piece.copy?.of ?? piece.id;
  const families = new Map<string, string>();
  for (const piece of agents) {
    const provider = choices.get(nameOf(piece))?.provider;
    const made = provider === undefined ? undefined : ports.providers.make(provider);
    if (made === undefined) continue;
    if (!made.ok) return made;
    families.set(nameOf(piece), made.value.family);
  }
  const builders = agents.filter((piece) => piece.permission !== "read").map(nameOf);
  for (const judge of agents.filter((piece) => piece.answers !== undefined).map(nameOf)) {
    const builder = builders.find((one) => families.get(one) === families.get(judge));
    if (builder === undefined) continue;
    return fail(
      "judge-not-independent",
      `"${judge}" would judge the work of "${builder}", and both are ${families.get(judge) ?? "the same"}`,
      { hint: `choose another with --set ${judge}=HARNESS:MODEL:EFFORT, or insist with --same-family` },
    );
  }
  return ok(undefined);
}
