import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

/**
 * Every sample of the documentation runs here, page by page, in one shell per page. A fence's words say more:
 * ```sh            runs and must succeed          ```sh fails      must not succeed
 * ```yaml file=X   is written to X                ```sh no-run     needs what no test has; says so on the page
 * Other fences (json, text) are not commands. Lines that set up a clone are covered by the fresh-clone run.
 */
const ROOT = resolve(import.meta.dirname, "../..");
const CLONE_LINE = /^(npm (run demo|test|ci|run \S+)|git clone)\b/;
/** These name a real agent program; the page's own project has none. */
const NEEDS_AGENT = /^loopwright go "make the failing tests pass" --check "npm test"$/;

interface Sample {
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  readonly line: number;
}

function samplesOf(page: string): Sample[] {
  const samples: Sample[] = [];
  const text = readFileSync(join(ROOT, page), "utf8");
  for (const match of text.matchAll(/^```(\S+)([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const line = text.slice(0, match.index).split("\n").length;
    samples.push({
      language: match[1] ?? "",
      words: (match[2] ?? "").trim().split(/\s+/),
      text: match[3] ?? "",
      line,
    });
  }
  return samples;
}

const outside = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-docs-")));
afterAll(() => rmSync(outside, { recursive: true, force: true }));

function programs(): string {
  const bin = join(outside, "programs");
  mkdirSync(bin, { recursive: true });
  for (const [name, file] of [
    ["loopwright", "cli.cjs"],
    ["loop", "loop.cjs"],
  ] as const) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist", file)}" "$@"\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** One page's shell: the working folder and variables go from sample to sample. */
function openShell(page: string): (script: string) => number {
  const home = join(outside, page.replaceAll(/\W/g, "_"));
  mkdirSync(home, { recursive: true });
  const cwdFile = join(home, ".cwd");
  writeFileSync(cwdFile, home);
  return (script) => {
    const variables = join(home, ".variables");
    const enter = `cd "$(cat '${cwdFile}')"\n[ ! -e '${variables}' ] || . '${variables}'\nset -ea\n`;
    const leave = `\npwd > '${cwdFile}'\nexport -p > '${variables}'\n`;
    const wrapped = enter + script + leave;
    try {
      execFileSync("/bin/sh", ["-c", wrapped], {
        env: {
          PATH: `${programs()}:${process.env["PATH"] ?? ""}`,
          HOME: home,
          LOOPWRIGHT_HOME: join(home, ".loopwright"),
          NO_COLOR: "1",
        },
        stdio: "pipe",
      });
      return 0;
    } catch (error) {
      const { status, stderr, stdout } = error as { status: number; stderr: Buffer; stdout: Buffer };
      lastOutput = `${stdout}${stderr}`;
      return status;
    }
  };
}
let lastOutput = "";

function pages(): string[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  return ["README.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name))];
}

const RUNNABLE = ["sh", "yaml", "toml"];

function runnable(page: string): Sample[] {
  return samplesOf(page).filter(
    ({ language, words }) => RUNNABLE.includes(language) && !words.includes("no-run"),
  );
}

describe.each(pages().filter((page) => runnable(page).length > 0))("%s", (page) => {
  const shell = openShell(page);
  const home = join(outside, page.replaceAll(/\W/g, "_"));
  test.each(runnable(page))("the sample at line $line does what the page says", (sample) => {
    const file = sample.words.find((word) => word.startsWith("file="))?.slice(5);
    if (file !== undefined) {
      const target = join(readFileSync(join(home, ".cwd"), "utf8").trim(), file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, sample.text);
      return;
    }
    if (sample.language !== "sh") return;
    const lines = sample.text
      .split("\n")
      .filter((line) => !CLONE_LINE.test(line) && !NEEDS_AGENT.test(line.trim()));
    const exit = shell(lines.join("\n"));
    if (sample.words.includes("fails")) expect(exit).not.toBe(0);
    else expect({ exit, output: exit === 0 ? "" : lastOutput }).toEqual({ exit: 0, output: "" });
  });
});
