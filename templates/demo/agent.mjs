#!/usr/bin/env node
// The demo's coding agent: a script without a model behind it. Its first edit cures one of two bugs, and it says that
// everything works; the second cures the other one. It knows how far it is from the tree alone. The token counts it
// states are made up. With `--config-dir DIR` or CLAUDE_CONFIG_DIR it also leaves a session log there.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClaudeRun } from "./claude-format.mjs";

const SOURCE = "src/price.mjs";
const SPLIT = 'line.split(",")';
const SPLIT_CURED = "splitFields(line)";
const ROUNDED = "Math.round(Number(text)) * 100";
const ROUNDED_CURED = "Math.round(Number(text) * 100)";

const cwd = process.cwd();
const file = join(cwd, SOURCE);
const prompt = readFileSync(0, "utf8");
const run = openClaudeRun({
  sessionId: randomUUID(),
  cwd,
  model: "claude-sonnet-5-5",
  print: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
  configDir: option("--config-dir") ?? process.env.CLAUDE_CONFIG_DIR,
});

function replace(from, to, usage) {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  run.tool("Edit", { file_path: file, old_string: from, new_string: to }, `${SOURCE} has been updated.`, usage);
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

let said = "";
function say(text, usage) {
  said = text;
  run.say(text, usage);
}

run.prompt(prompt);
const source = readFileSync(file, "utf8");
run.tool("Read", { file_path: file }, source, { inputTokens: 12, cacheWrite1hTokens: 9_400, outputTokens: 96 });
if (source.includes(SPLIT)) {
  replace(SPLIT, SPLIT_CURED, { inputTokens: 9, cacheReadTokens: 9_400, cacheWrite1hTokens: 640, outputTokens: 310 });
  say("Quoted fields are split correctly. All tests pass now, the task is complete.", {
    inputTokens: 7,
    cacheReadTokens: 10_040,
    outputTokens: 84,
  });
} else if (source.includes(ROUNDED)) {
  const told = prompt.includes("cents") ? "The failing check names cents" : "One rounding is left";
  replace(ROUNDED, ROUNDED_CURED, {
    inputTokens: 9,
    cacheReadTokens: 9_400,
    cacheWrite1hTokens: 820,
    outputTokens: 270,
  });
  say(`${told}: prices are rounded after they are turned into cents.`, {
    inputTokens: 7,
    cacheReadTokens: 10_220,
    outputTokens: 66,
  });
} else {
  say("There is nothing left to do.", { inputTokens: 7, cacheReadTokens: 9_400, outputTokens: 18 });
}
run.finish(said);
