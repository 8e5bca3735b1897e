import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { addUsage, type TokenUsage } from "../../core/tokens.ts";
import type { OcpDocument } from "../../formats/ocp/index.ts";
import type { RealAgent, Stage } from "./stage.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/cli.cjs");

export interface MainJob {
  readonly exit: number;
  readonly attempts: number;
  /** Summed over the attempts of the recorded run. */
  readonly usage: TokenUsage;
  readonly output: string;
}

/** Runs the built program with a real agent and reads back what it recorded. */
export async function runMainJob(agent: RealAgent, stage: Stage): Promise<MainJob> {
  const check = "test -e second.txt";
  const ran = await program(stage, [
    "go",
    "Make both files [t:job]",
    "--check",
    check,
    "--provider",
    agent,
    "--json",
  ]);
  const runs = await program(stage, ["runs", "--documents", "--json"]);
  const { document } = (JSON.parse(runs.stdout) as { runs: { document: OcpDocument }[] }).runs[0] ?? {};
  const attempts = (document?.attempts ?? []).filter((attempt) => attempt.harness !== "command");
  return {
    exit: ran.exit,
    attempts: attempts.length,
    usage: attempts.map((attempt) => tokensOf(attempt.cost)).reduce<TokenUsage>(addUsage, {}),
    output: `${ran.stdout}${ran.stderr}`,
  };
}

function tokensOf(cost: NonNullable<OcpDocument["attempts"]>[number]["cost"]): TokenUsage {
  return {
    inputTokens: cost?.input_tokens ?? 0,
    cacheReadTokens: cost?.cached_input_tokens ?? 0,
    cacheWrite5mTokens: cost?.cache_creation_5m_tokens ?? 0,
    cacheWrite1hTokens: cost?.cache_creation_1h_tokens ?? 0,
    outputTokens: cost?.output_tokens ?? 0,
  };
}

function program(
  stage: Stage,
  args: readonly string[],
): Promise<{ exit: number; stdout: string; stderr: string }> {
  const env = { ...stage.env, LOOPWRIGHT_HOME: join(stage.root, ".loopwright") };
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { cwd: stage.repo, env },
      (_error, stdout, stderr) => done({ exit: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}
