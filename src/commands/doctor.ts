import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, list, object, oneOf, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandOutput } from "./types.ts";

type Finding = {
  readonly name: string;
  readonly state: "ok" | "warning" | "problem";
  readonly detail: string;
  readonly hint: string | null;
};

export const doctor: Command = {
  path: ["doctor"],
  group: "View",
  brief: "What this machine offers and what is missing",
  args: [],
  flags: {},
  output: answer("doctor", {
    checks: list(
      object({ name: text, state: oneOf("ok", "warning", "problem"), detail: text, hint: orNull(text) }),
    ),
  }),
  run,
};

async function run(context: CommandContext): Promise<Result<CommandOutput>> {
  const findings: Finding[] = [{ name: "node", state: "ok", detail: context.nodeVersion, hint: null }];
  const engine = await context.engine();
  if (engine.ok) {
    const { process } = engine.value;
    const path = context.env["PATH"] ?? "";
    findings.push({ name: "store", state: "ok", detail: context.home, hint: null });
    const git = process.which("git", path);
    findings.push(
      git === undefined
        ? { name: "git", state: "problem", detail: "not on PATH", hint: "install git 2.30 or newer" }
        : { name: "git", state: "ok", detail: git, hint: null },
      process.strongest === "namespace"
        ? {
            name: "containment",
            state: "ok",
            detail: "every process of an agent ends with it (pid namespace)",
            hint: null,
          }
        : {
            name: "containment",
            state: "warning",
            detail: "process groups only: an agent that hides its children may leave some behind",
            hint: "install bubblewrap",
          },
      process.canSandbox
        ? { name: "sandbox", state: "ok", detail: "bubblewrap", hint: null }
        : { name: "sandbox", state: "warning", detail: "none", hint: "install bubblewrap" },
    );
  } else {
    const { message, hint } = engine.problem;
    findings.push({ name: "store", state: "problem", detail: message, hint: hint ?? null });
  }
  findings.push(...(await agentFindings(context)), await forecasts(context));
  return ok({ exit: ExitCode.ok, json: { schema: "loopwright.doctor/1", ok: true, checks: findings } });
}

async function forecasts(context: CommandContext): Promise<Finding> {
  const { forecastFinding } = await import("./forecast-finding.ts");
  const found = await forecastFinding(context);
  if (!found.ok) {
    const { message, hint } = found.problem;
    return { name: "forecasts", state: "problem", detail: message, hint: hint ?? null };
  }
  const hint = found.value.state === "warning" ? "see `loopwright report`" : null;
  return { name: "forecasts", ...found.value, hint };
}

async function agentFindings(context: CommandContext): Promise<Finding[]> {
  const found = await context.detectProviders();
  const usable = found.filter((provider) => provider.available);
  if (usable.length === 0) {
    return [
      {
        name: "agents",
        state: "warning",
        detail: "no coding agent was found",
        hint: "install one, or use --provider command:'your-agent {prompt}'",
      },
    ];
  }
  return usable.map((provider) => ({
    name: provider.id,
    state: "ok",
    detail: [provider.version, provider.path].filter((part) => part !== undefined).join(" "),
    hint: null,
  }));
}
