import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, ok, type Result } from "./core/result.ts";

/** Beside dist/ in the package, and beside src/ in a checkout. */
function templates(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return join(here, "..", "templates");
}

/** Copies the demo project to a temporary folder and makes it a repository with one commit. */
export function prepareDemo(
  env: Readonly<Record<string, string | undefined>>,
): Result<{ readonly folder: string; readonly home: string; readonly agent: string }> {
  const source = join(templates(), "demo");
  if (!existsSync(source))
    return fail("no-such-folder", `the demo is missing from this installation: ${source}`);
  const root = mkdtempSync(join(tmpdir(), "loopwright-demo-"));
  const folder = join(root, "price-parser");
  cpSync(join(source, "project"), folder, { recursive: true });
  const ignore = join(folder, "gitignore");
  if (existsSync(ignore)) renameSync(ignore, join(folder, ".gitignore"));
  try {
    const identity = ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid"];
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      [...identity, "commit", "-q", "-m", "A price parser with a bug"],
    ]) {
      execFileSync("git", args, { cwd: folder, env: { ...env, GIT_CONFIG_NOSYSTEM: "1" }, stdio: "pipe" });
    }
  } catch (error) {
    return fail("git-missing", `git could not make the demo repository: ${String(error)}`, {
      hint: "install git",
    });
  }
  const home = join(root, "home");
  const words = [process.execPath, join(source, "agent.mjs")].map((word) => JSON.stringify(word)).join(" ");
  // The log goes where `demo` looks for it, and never beside the logs of the person's own agents.
  const logs = JSON.stringify(join(home, "agent-logs"));
  const agent = `command:${words} --output-format stream-json --config-dir ${logs}`;
  return ok({ folder, home, agent });
}
