import { fail, ok, type Result } from "../core/result.ts";
import { GATE_LEVELS } from "../ports/check-rooms.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import { CHECK_TIMEOUT_MS, DEFAULT_LIMITS } from "../run/defaults.ts";
import type { RunPorts } from "../run/ports.ts";
import type { Delivery, Limits, PlanPiece } from "../run/spec.ts";
import type { StartRequest } from "../run/start.ts";
import type { Check } from "../verify/types.ts";
import { readFlags } from "./flag-values.ts";
import type { Advised } from "./go-advice.ts";
import { sessionTask } from "./session-task.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** From the flags of `go` to what the engine freezes; says what is missing and the flag that would give it. */
export async function goRequest(
  context: CommandContext,
  ports: RunPorts,
  { input, followed, taskId }: Advised,
): Promise<Result<StartRequest>> {
  const flags = readFlags(input);
  const goal = await goalText(context, input);
  if (!goal.ok) return goal;
  const task = await sessionTask(context, flags.text("type"), followed !== undefined);
  if (!task.ok) return task;
  const lines = flags.texts("check");
  if (lines.length === 0 || lines.some((line) => line.trim() === "")) {
    return fail("missing-check", "go needs a check: a command that exits 0 when the goal is reached", {
      hint: `loopwright go "${goal.value}" --check "npm test"`,
    });
  }
  const plan = await planOf(context, ports, input, goal.value);
  if (!plan.ok) return plan;
  const limits = limitsOf(input, { ...DEFAULT_LIMITS, ...plan.value.limits });
  const unpriced = checkCost(ports, plan.value.providers, limits, flags.is("allowUnknownCost"));
  if (!unpriced.ok) return unpriced;
  const delivery = deliveryOf(flags.is("commit"), flags.text("branch"));
  if (!delivery.ok) return delivery;
  const sessionWorktree = flags.is("worktree") || delivery.value.kind === "branch";
  const apart = await checkApart(context, ports, plan.value.pieces, sessionWorktree);
  if (!apart.ok) return apart;
  const level = GATE_LEVELS.find((candidate) => candidate === flags.text("level"));
  const checkEnv = flags.text("checkEnv");
  return ok({
    dir: context.cwd,
    checks: lines.map(checkOf),
    ...(level === undefined ? {} : { level }),
    guard: flags.is("guard"),
    flakyRetries: flags.count("flakyRetries") ?? 0,
    ...(checkEnv === undefined ? {} : { envFiles: [checkEnv] }),
    protection: {
      protect: flags.texts("protect"),
      unprotect: flags.texts("unprotect"),
      allowTests: flags.is("allowTests"),
    },
    spec: {
      kind: "go",
      title: firstLine(goal.value),
      goals: [{ name: "goal", description: goal.value }],
      sessionWorktree,
      providers: plan.value.providers,
      pieces: plan.value.pieces,
      ...(plan.value.configuration === undefined ? {} : { configuration: plan.value.configuration }),
      limits,
      approvals: [],
      delivery: delivery.value,
      allowUnknownCost: flags.is("allowUnknownCost"),
      ...(flags.text("threat") === "sandboxed" && { threat: "sandboxed" }),
      ifNeeded: flags.is("ifNeeded"),
      rules: [],
      forbiddenPaths: [],
      task: { ...task.value, ...(taskId !== undefined && { id: taskId }) },
      ...(followed !== undefined && { followed }),
    },
  });
}

/** Who does what: one agent and the goal gate, or a workflow. */
interface GoPlan extends Pick<StartRequest["spec"], "providers" | "pieces" | "configuration"> {
  readonly limits: Partial<Limits>;
}

async function planOf(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
): Promise<Result<GoPlan>> {
  const flags = readFlags(input);
  if (flags.text("workflow") !== undefined) {
    const { workflowPlan } = await import("./workflow-request.ts");
    const planned = await workflowPlan(context, ports, input, goal);
    if (!planned.ok) return planned;
    const { providers, pieces, configuration, rounds, concurrency } = planned.value;
    return ok({ providers, pieces, configuration, limits: { maxIterations: rounds, concurrency } });
  }
  const lonely = ["set", "sameFamily"].find((name) => flags.is(name) || flags.texts(name).length > 0);
  if (lonely !== undefined) {
    return fail("bad-flag", `--${lonely === "set" ? "set" : "same-family"} needs --workflow`);
  }
  const provider = await chooseProvider(context, ports, flags.text("provider"));
  if (!provider.ok) return provider;
  const permission = flags.is("fullAccess") ? "full" : "edit";
  return ok({ providers: [provider.value], pieces: alone(goal, provider.value.id, permission), limits: {} });
}

/** One agent, judged by the goal gate until it says yes. */
function alone(goal: string, provider: string, permission: "edit" | "full"): readonly PlanPiece[] {
  return [
    {
      kind: "agent",
      id: "implement",
      role: "implementer",
      dependsOn: [],
      instruction: goal,
      goals: ["goal"],
      provider,
      tier: "standard",
      isolation: "none",
      permission,
      join: { strategy: "wait_for_all" },
    },
    {
      kind: "gate",
      id: "check",
      dependsOn: ["implement"],
      onFail: { sendBack: ["implement"], rounds: Number.MAX_SAFE_INTEGER },
    },
  ];
}

/** A dollar ceiling over a spend that nobody can read is none. */
function checkCost(
  ports: RunPorts,
  providers: readonly ProviderSpec[],
  limits: Limits,
  isAllowed: boolean,
): Result<void> {
  for (const provider of providers) {
    const made = ports.providers.make(provider);
    if (!made.ok) return made;
    if (limits.maxMicroUsd === undefined || made.value.reportsCost || isAllowed) continue;
    return fail(
      "unknown-cost",
      `provider ${provider.id} does not report what it costs, so --max-usd could never fire`,
      { hint: "add --allow-unknown-cost, or cap --max-iterations and --max-time instead" },
    );
  }
  return ok(undefined);
}

/** Agents that work side by side need a worktree each, and those are merged into the folder itself. */
async function checkApart(
  context: CommandContext,
  ports: RunPorts,
  pieces: readonly PlanPiece[],
  sessionWorktree: boolean,
): Promise<Result<void>> {
  const apart = pieces.find((piece) => piece.kind === "agent" && piece.isolation === "worktree");
  if (apart === undefined) return ok(undefined);
  if (sessionWorktree) {
    return fail(
      "not-supported-yet",
      `"${apart.id}" works in a worktree of its own, which --worktree and --branch exclude`,
    );
  }
  const top = await ports.workspaces.topLevel(context.cwd);
  if (!top.ok) return top;
  if (top.value.kind === "git") return ok(undefined);
  return fail(
    "not-a-repository",
    `"${apart.id}" needs a worktree of its own, and ${top.value.path} is no git repository`,
    {
      hint: "git init and commit, or choose a workflow in which one agent works at a time",
    },
  );
}

/** Ceilings from flags, over what holds without them. Shared by `go`, `loop start` and `loop resume`. */
export function limitsOf(input: CommandInput, base: Limits): Limits {
  const flags = readFlags(input);
  const maxIterations = flags.count("maxIterations");
  const maxRevisions = flags.count("maxRevisions");
  const maxMicroUsd = flags.count("maxUsd");
  const maxRunningMs = flags.count("maxTime");
  const attemptWallMs = flags.count("maxAttemptTime");
  const attemptIdleMs = flags.count("maxIdle");
  return {
    ...base,
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxRevisions === undefined ? {} : { maxRevisions }),
    ...(maxMicroUsd === undefined ? {} : { maxMicroUsd }),
    ...(maxRunningMs === undefined ? {} : { maxRunningMs }),
    ...(attemptWallMs === undefined ? {} : { attemptWallMs }),
    ...(attemptIdleMs === undefined ? {} : { attemptIdleMs }),
  };
}

async function goalText(context: CommandContext, input: CommandInput): Promise<Result<string>> {
  const file = readFlags(input).text("goalFile");
  const typed = input.args[0];
  if (file === undefined) {
    if (typed === undefined || typed.trim() === "") {
      return fail("missing-goal", "go needs a goal: what shall be reached, in a sentence", {
        hint: 'loopwright go "make the failing tests pass" --check "npm test"',
      });
    }
    return ok(typed.trim());
  }
  if (typed !== undefined) return fail("bad-flag", "give the goal as text or with --goal-file, not both");
  const read = await context.readText(file);
  if (!read.ok) return read;
  const goal = read.value.trim();
  return goal === "" ? fail("missing-goal", `the goal file ${file} is empty`) : ok(goal);
}

async function chooseProvider(
  context: CommandContext,
  ports: RunPorts,
  asked: string | undefined,
): Promise<Result<ProviderSpec>> {
  if (asked !== undefined) return ports.providers.parse(asked);
  const found = await ports.providers.detect(context.env["PATH"] ?? "");
  const first = found.find((candidate) => candidate.available);
  if (first !== undefined) return ports.providers.parse(first.id);
  return fail("provider-missing", "no coding agent was found on this machine", {
    hint: "install Claude Code or Codex, or pass --provider command:'your-agent {prompt}'; see `loopwright providers`",
  });
}

function deliveryOf(commit: boolean, branch: string | undefined): Result<Delivery> {
  if (commit && branch !== undefined) return fail("bad-flag", "--commit and --branch exclude each other");
  if (branch !== undefined) return ok({ kind: "branch", name: branch });
  return ok(commit ? { kind: "commit" } : { kind: "leave" });
}

function checkOf(line: string, index: number, all: readonly string[]): Check {
  const name = all.indexOf(line) === index ? line : `${line} (${index + 1})`;
  return {
    name,
    target: "goal",
    statement: `\`${line}\` exits 0`,
    blocking: true,
    timeoutMs: CHECK_TIMEOUT_MS,
    detector: { type: "script", command: { line }, expectExit: 0 },
  };
}

function firstLine(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
