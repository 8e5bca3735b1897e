// Opt-in: installs the real Claude Code and Codex from npm (nearly 1 GB) into a temporary folder and runs them through
// our providers against the scripted model server. No account is needed, nothing is charged.
//   npm run test:agents                     both
//   npm run test:agents -- codex            one of them
//   LOOPWRIGHT_AGENTS_DIR=DIR npm run ...   keep the installation in DIR and use it again
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runnerImport } from "vite";

const root = resolve(import.meta.dirname, "..");
const load = async (path) =>
  (await runnerImport(join(root, path), { root, configFile: false, logLevel: "error" })).module;
const { installAgents, PACKAGES } = await load("src/testing/real-agents/stage.ts");
const { tryAgent } = await load("src/testing/real-agents/index.ts");

const named = process.argv.slice(2);
const agents = named.length === 0 ? Object.keys(PACKAGES) : named;
const unknown = agents.find((agent) => !(agent in PACKAGES));
if (unknown !== undefined) {
  console.error(`no such agent: ${unknown}; known: ${Object.keys(PACKAGES).join(", ")}`);
  process.exit(1);
}

const kept = process.env.LOOPWRIGHT_AGENTS_DIR;
const folder = kept ?? mkdtempSync(join(tmpdir(), "loopwright-agents-"));
const programs = { "claude-code": "claude", codex: "codex" };
let bin = join(folder, "node_modules", ".bin");
if (!agents.every((agent) => existsSync(join(bin, programs[agent])))) bin = installAgents(folder, agents);

let failures = 0;
for (const agent of agents) {
  for (const { statement, held, detail } of await tryAgent(agent, bin)) {
    console.log(`${held ? "ok  " : "FAIL"} ${agent}: ${statement}`);
    if (!held) console.log(`     ${detail}`);
    failures += held ? 0 : 1;
  }
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 ? 0 : 1;
