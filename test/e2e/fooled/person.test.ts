import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/commands/registry.ts";
import type { Command } from "../../../src/commands/types.ts";
import { type Lab, openLab } from "../../lab.ts";
import { ledgerOf } from "../../ledger-of.ts";
import { ANSWER } from "./projects.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/cli.cjs");
const SCRUB = "env -u LOOPWRIGHT_ATTEMPT -u LOOPWRIGHT_SESSION -u LOOPWRIGHT_NONCE";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

/** What an agent writes to run a command of ours; its answer goes to `NAME.json` beside the agent. */
function ours(at: Lab, name: string, words: string, how = ""): string {
  return `${how} '${process.execPath}' '${PROGRAM}' ${words} --home '${at.home}' --json > '${at.outside}/${name}.json' 2>&1`;
}

function answerOf(at: Lab, name: string): unknown {
  return JSON.parse(readFileSync(join(at.outside, `${name}.json`), "utf8"));
}

const refused = { ok: false, problem: { code: "person-only" } };

async function letLoose(at: Lab, script: string): Promise<number | null> {
  const flags = ["--provider", at.agent(script), "--max-iterations", "1", "--json"];
  return (await at.run(["go", "make the check pass", "--check", ANSWER.check, ...flags])).exit;
}

/** Enough words for the grammar; what they name does not matter. */
function wordsOf(command: Command): string {
  const required = command.args.filter((argument) => argument.required).map(() => "1");
  return [...command.path, ...required].join(" ");
}

describe("an agent that calls a command for persons", () => {
  const personal = COMMANDS.filter((command) => command.personOnly === true);
  const names = personal.map((command) => command.path.join("-"));

  test("is refused by its mark, by the marks above it when it takes its own off, and as an orphan", async () => {
    const at = openLab(ANSWER.files);
    lab = at;
    expect(names).toContain("loop-approve");
    const script = personal.flatMap((command, index) => [
      ours(at, `${names[index]}-plain`, wordsOf(command)),
      ours(at, `${names[index]}-scrubbed`, wordsOf(command), SCRUB),
      `(${ours(at, `${names[index]}-orphan`, wordsOf(command), `setsid ${SCRUB}`)}; touch '${at.outside}/${names[index]}-done') &`,
    ]);
    const patience = names.map((name) => `while [ ! -e '${at.outside}/${name}-done' ]; do sleep 0.05; done`);
    expect(await letLoose(at, [...script, ...patience].join("\n"))).toBe(10);
    for (const name of names) {
      for (const how of ["plain", "scrubbed", "orphan"]) {
        expect(answerOf(at, `${name}-${how}`), `${name} ${how}`).toMatchObject(refused);
      }
    }
  });

  test("cannot tell its own session something, stop it or raise its limits, with or without its mark", async () => {
    const at = openLab(ANSWER.files);
    lab = at;
    const tries = { update: "update 'you are done'", stop: "stop", raise: "loop resume --max-iterations 99" };
    const script = Object.entries(tries).flatMap(([name, words]) => [
      ours(at, name, words),
      ours(at, `${name}-scrubbed`, words, SCRUB),
    ]);
    expect(await letLoose(at, script.join("\n"))).toBe(10);
    for (const name of Object.keys(tries)) {
      expect(answerOf(at, name), name).toMatchObject(refused);
      expect(answerOf(at, `${name}-scrubbed`), name).toMatchObject(refused);
    }
    expect((await ledgerOf(at)).map((event) => event.type)).not.toContain("command:accepted");
  });
});

test("no command of ours can make a goal that the gate has refused satisfied", async () => {
  const at = openLab(ANSWER.files);
  lab = at;
  expect(await letLoose(at, "echo done")).toBe(10);
  const starts = ["go", "demo", "loop start", "loop resume"];
  for (const command of COMMANDS.filter(({ path }) => !starts.includes(path.join(" ")))) {
    const done = await at.run([...wordsOf(command).split(" "), "--json", "--yes"]);
    expect(done.stdout, wordsOf(command)).not.toContain('"satisfied":true');
  }
  expect((await ledgerOf(at)).map((event) => event.type)).not.toContain("goal:satisfied");
  expect(
    COMMANDS.flatMap(({ flags }) => Object.keys(flags)).filter((flag) => /satisf|verdict|accept/.test(flag)),
  ).toEqual([]);
  const resumed = await at.run(["loop", "resume", "--max-iterations", "2", "--json"]);
  expect(resumed.exit).toBe(10);
});
