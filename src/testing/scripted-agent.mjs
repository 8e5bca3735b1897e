#!/usr/bin/env node
// A real child process that does what a JSON script says, in place of a coding agent. See scripted-agent.ts for the script.
import { execSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openClaudeRun } from "../../templates/demo/claude-format.mjs";
import { openCodexRun } from "./codex-format.mjs";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));
const args = process.argv.slice(3);
const cwd = process.cwd();

if (args.includes("--version")) {
  process.stdout.write(`${script.version ?? "0.0.0 (scripted)"}\n`);
  process.exit(0);
}
const task = readTask();
const run = openRun();
run.prompt(task.prompt);
await perform(chooseStep());

function readTask() {
  const prompt = readFileSync(0, "utf8");
  if (script.format === "claude") {
    const flag = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
    const resumed = flag("--resume");
    return {
      prompt,
      resumed,
      session: flag("--session-id") ?? resumed ?? randomUUID(),
      model: flag("--model"),
    };
  }
  const at = args.findIndex((word) => word === "resume" || word === "fork");
  const resumed = at < 0 ? undefined : args[at + 1];
  const session = args[at] === "resume" ? resumed : randomUUID();
  const model = args.includes("-m") ? args[args.indexOf("-m") + 1] : undefined;
  return { prompt, resumed, session, model };
}

function openRun() {
  const before = task.resumed === undefined ? {} : readTotals(task.resumed);
  const common = { sessionId: task.session, cwd, before, print };
  switch (script.format) {
    case "claude":
      return openClaudeRun({ ...common, model: task.model ?? "claude-sonnet-5-5", configDir: configDir() });
    case "codex":
      return openCodexRun(common);
    default:
      return { prompt() {}, say: (text) => process.stdout.write(`${text}\n`), tool() {}, finish: () => ({}) };
  }
}

function configDir() {
  return script.writesLog === true ? process.env.CLAUDE_CONFIG_DIR : undefined;
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The first step whose condition on the tree or the prompt holds, else the next in order; the last one repeats. */
function chooseStep() {
  const fitting = script.steps.find((step) => step.when !== undefined && holds(step.when));
  if (fitting !== undefined) return fitting;
  const ordered = script.steps.filter((step) => step.when === undefined);
  return ordered[Math.min(claimTurn(), ordered.length - 1)] ?? { do: [] };
}

function holds({ file, contains, missing, promptContains }) {
  if (promptContains !== undefined && !task.prompt.includes(promptContains)) return false;
  if (missing !== undefined && existsSync(missing)) return false;
  if (file === undefined) return true;
  return existsSync(file) && (contains === undefined || readFileSync(file, "utf8").includes(contains));
}

/** Exclusive creation makes the counter right for agents that run side by side or are killed. */
function claimTurn() {
  mkdirSync(script.stateDir, { recursive: true });
  for (let turn = 0; ; turn += 1) {
    try {
      writeFileSync(join(script.stateDir, `turn-${turn}`), `${process.pid}\n`, { flag: "wx" });
      return turn;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

function totalsFile(session) {
  return join(script.stateDir, `session-${session}.json`);
}

function readTotals(session) {
  return existsSync(totalsFile(session)) ? JSON.parse(readFileSync(totalsFile(session), "utf8")) : {};
}

async function perform(step) {
  for (const action of step.do) await act(action);
  const error = step.error;
  if (step.silentEnd !== true) {
    const totals = run.finish(step.claim ?? "Done.", error);
    mkdirSync(script.stateDir, { recursive: true });
    writeFileSync(totalsFile(task.session), JSON.stringify(totals));
  }
  if (step.hangs === true) setInterval(() => {}, 60_000);
  else process.exitCode = step.exit ?? (error === undefined ? 0 : 1);
}

async function act(action) {
  switch (action.kind) {
    case "write":
      mkdirSync(dirname(action.path), { recursive: true });
      writeFileSync(action.path, action.text);
      return run.tool("Write", { file_path: action.path }, "written", action.usage ?? {});
    case "edit":
      writeFileSync(action.path, readFileSync(action.path, "utf8").replace(action.from, action.to));
      return run.tool("Edit", { file_path: action.path }, "edited", action.usage ?? {});
    case "delete":
      rmSync(action.path, { recursive: true, force: true });
      return run.tool("Bash", { command: `rm ${action.path}` }, "", action.usage ?? {});
    case "run": {
      const output = execSync(action.command, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
      return run.tool("Bash", { command: action.command }, output, action.usage ?? {});
    }
    case "leave-behind":
      return spawn("/bin/sh", ["-c", action.command], { detached: true, stdio: "ignore" }).unref();
    case "sleep":
      return new Promise((resume) => setTimeout(resume, action.ms));
    case "say":
      return run.say(action.text, action.usage ?? {});
    case "complain":
      return process.stderr.write(`${action.text}\n`);
    case "crash":
      return process.kill(process.pid, action.signal);
    case "print":
      return process.stdout.write(action.text);
    default:
      throw new Error(`unknown action ${JSON.stringify(action)}`);
  }
}
