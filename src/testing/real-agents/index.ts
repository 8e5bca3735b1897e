import { existsSync } from "node:fs";
import { join } from "node:path";
import { logFiles } from "../../adapters/log-files/index.ts";
import { addUsage, TOKEN_CLASSES, type TokenUsage } from "../../core/tokens.ts";
import { createUsageReader } from "../../logs/index.ts";
import type { UsageReport } from "../../ports/provider.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { runMainJob } from "./main-job.ts";
import { type AttemptReport, playAttempt, realProvider } from "./play.ts";
import { SCRIPT } from "./scenarios.ts";
import { makeStage, type RealAgent, type Stage } from "./stage.ts";

/** One statement about a real agent that held or did not. */
export interface Finding {
  readonly agent: RealAgent;
  readonly statement: string;
  readonly held: boolean;
  readonly detail: string;
}

/** Runs one installed agent through first turn, resume, fork, a read-only piece, a limit and a missing model. */
export async function tryAgent(agent: RealAgent, bin: string): Promise<readonly Finding[]> {
  const server = await startModelServer(SCRIPT);
  const stage = makeStage(agent, bin, server.url);
  try {
    return [
      ...(await tryTurns(agent, stage, server)),
      ...(await tryRefusals(agent, stage)),
      ...(await tryMainJob(agent, bin, server)),
    ];
  } finally {
    await server.close();
    stage.dispose();
  }
}

async function tryTurns(agent: RealAgent, stage: Stage, server: ModelServer): Promise<Finding[]> {
  const provider = realProvider(agent, stage);
  const findings: Finding[] = [];
  const compare = async (statement: string, tag: string, report: AttemptReport) => {
    const billed = billedFor(server, tag);
    findings.push(
      equal(agent, `${statement}: the attempt's tokens are the billed ones`, report.usage, billed),
    );
    findings.push(holds(agent, `${statement}: it ends as done`, report.end.reason === "done", report.end));
  };
  const first = await playAttempt(provider, stage, {
    prompt: "Make the file [t:first]",
    system: "Be brief.",
  });
  await compare("first turn", "first", first);
  const made = existsSync(join(stage.repo, "made.txt"));
  findings.push(holds(agent, "permission edit: a command may write in the workspace", made, first.argv));
  const session = first.agentSession ?? "";
  const again = await playAttempt(
    provider,
    stage,
    { prompt: "Go on [t:again]", resume: session },
    first.cumulative,
  );
  await compare("resume", "again", again);
  findings.push(
    holds(agent, "resume: the session keeps its id", again.agentSession === session, again.agentSession),
  );
  const logged = await loggedOf(agent, stage, session);
  const both = addUsage(billedFor(server, "first"), billedFor(server, "again"));
  findings.push(equal(agent, "the log of the session shows what both turns were billed", logged, both));
  const fork = await playAttempt(
    provider,
    stage,
    { prompt: "Try another way [t:fork]", resume: session, fork: true },
    again.cumulative,
  );
  await compare("fork", "fork", fork);
  findings.push(
    holds(agent, "fork: it has an id of its own", fork.agentSession !== session, fork.agentSession),
  );
  return findings;
}

/** `loopwright go` as a person starts it, in a home of its own: two attempts, the first one falls short. */
async function tryMainJob(agent: RealAgent, bin: string, server: ModelServer): Promise<Finding[]> {
  const stage = makeStage(agent, bin, server.url);
  try {
    const job = await runMainJob(agent, stage);
    const billed = billedFor(server, "job");
    return [
      holds(
        agent,
        "go: the goal is satisfied at the second attempt",
        job.exit === 0 && job.attempts === 2,
        job,
      ),
      holds(agent, "go: the recorded tokens are the billed ones", sameTokens(job.usage, billed), {
        ...job,
        billed,
      }),
    ];
  } finally {
    stage.dispose();
  }
}

async function tryRefusals(agent: RealAgent, stage: Stage): Promise<Finding[]> {
  const provider = realProvider(agent, stage);
  await playAttempt(provider, stage, { prompt: "Look only [t:readonly]", permission: "read" });
  const wrote = existsSync(join(stage.repo, "forbidden.txt"));
  const limit = await playAttempt(provider, stage, { prompt: "Hit it [t:limit]" });
  const noModel = await playAttempt(provider, stage, { prompt: "Hit it [t:nomodel]" });
  const isConfiguration = noModel.end.reason === "failed" && noModel.end.kind === "configuration";
  return [
    holds(agent, "permission read: a command may not write in the workspace", !wrote, {}),
    holds(agent, "a 429 is a limit to be waited for", limit.end.reason === "retry-later", limit.end),
    holds(agent, "a model that is not there is a configuration failure", isConfiguration, noModel.end),
  ];
}

function loggedOf(agent: RealAgent, stage: Stage, session: string): Promise<UsageReport> {
  const environment = { homeDir: stage.root, variables: {} };
  return createUsageReader(logFiles(), environment).ofSession({ agent, session, cwd: stage.repo });
}

function billedFor(server: ModelServer, tag: string): TokenUsage {
  return server.ledger
    .filter((call) => call.tag === tag)
    .reduce<TokenUsage>((sum, call) => addUsage(sum, call.usage ?? {}), {});
}

function equal(agent: RealAgent, statement: string, report: UsageReport, billed: TokenUsage): Finding {
  const counted =
    report.kind === "known"
      ? report.models.map((model) => model.usage).reduce<TokenUsage>(addUsage, {})
      : undefined;
  // The two APIs name cache writes differently: by lifetime, or without one.
  return holds(agent, statement, counted !== undefined && sameTokens(counted, billed), { report, billed });
}

function sameTokens(counted: TokenUsage, billed: TokenUsage): boolean {
  return TOKEN_CLASSES.every((name) => classOf(counted, name) === classOf(billed, name));
}

function classOf(usage: TokenUsage, name: (typeof TOKEN_CLASSES)[number]): number {
  if (name === "cacheWrite5mTokens") return 0;
  if (name === "cacheWrite1hTokens") return (usage.cacheWrite1hTokens ?? 0) + (usage.cacheWrite5mTokens ?? 0);
  return usage[name] ?? 0;
}

function holds(agent: RealAgent, statement: string, held: boolean, detail: unknown): Finding {
  return { agent, statement, held, detail: JSON.stringify(detail) ?? "" };
}
