import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { systemClock } from "../../src/testing/process-lab.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const toolPath = process.env["PATH"] ?? "";
const { canSandbox } = createProcessRunner({ clock: systemClock, host: hostname(), toolPath });
if (!canSandbox) process.stderr.write("SKIPPED for lack of bubblewrap: pieces in a sandbox\n");

const NO_CONTAINERS = { LOOPSMITH_DOCKER: "no-such-runtime" };

function aLab(script: string): CliLab {
  const lab = openCliLab();
  lab.env = NO_CONTAINERS;
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      cwd: lab.dir,
      stdio: "ignore",
    });
  git("init", "-q");
  lab.write(".gitignore", "home/\n");
  lab.write(
    "loop.yaml",
    `name: apart
intent:
  prerequisites: []
  goals: [{name: seen, description: What was seen is written down.}]
execution:
  graph: {nodes: [{id: look, role: builder, instruction: Write down what you see., isolation: {mode: container, image: x, network: false}}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(script)}]}]}
safety:
  checks:
    - {target: seen, name: there, mode: objective, statement: There., detector: {type: file_exists, path: seen.txt}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  git("add", ".");
  git("commit", "-qm", "start");
  return lab;
}

const run = (lab: CliLab) => lab.run("loop", "start", "--allow-unknown-cost");

test.runIf(canSandbox)(
  "a piece that asks for a container changes its worktree alone, and sees neither store nor network",
  async () => {
    const lab = aLab("");
    const script = `{
ls ${lab.home}; echo x > ${lab.path("escaped.txt")}; echo x > ${lab.path(".git/hooks/post-commit")}
cut -d: -f1 /proc/net/dev | grep -v lo | tail -n +3
echo tmp > "$TMPDIR/x" && cat "$TMPDIR/x"
git -c user.name=b -c user.email=b@example.org commit -q --allow-empty -m mine && echo committed
} > seen.txt 2>/dev/null; exit 0`;
    lab.write("loop.yaml", readFileSync(lab.path("loop.yaml"), "utf8").replace('""', JSON.stringify(script)));
    const done = await run(lab);
    expect(done.exit, done.stdout + done.stderr).toBe(0);
    expect(readFileSync(lab.path("seen.txt"), "utf8")).toBe("worktrees\ntmp\ncommitted\n");
    expect(existsSync(lab.path("escaped.txt"))).toBe(false);
    expect(existsSync(lab.path(".git/hooks/post-commit"))).toBe(false);
    expect((await lab.run("ledger", "show")).stdout).toContain('"threat":"sandboxed"');
  },
);

test("without bubblewrap it works in a plain worktree, and that is said", async () => {
  const lab = aLab("echo x > seen.txt");
  lab.env = { ...NO_CONTAINERS, PATH: withoutSandbox(lab) };
  const strict = await lab.run("loop", "start", "--allow-unknown-cost", "--threat", "sandboxed");
  expect(strict).toMatchObject({ exit: 12, json: { problem: { code: "level-unavailable" } } });
  expect(existsSync(lab.path("seen.txt"))).toBe(false);
  const done = await run(lab);
  expect(done.exit, done.stdout + done.stderr).toBe(0);
  expect(done.json["notices"]).toContain("look works without a sandbox: there is none on this machine");
  expect((await lab.run("ledger", "show")).stdout).toContain('"threat":"same-user"');
});

/** A PATH on which there is all but bubblewrap. */
function withoutSandbox(lab: CliLab): string {
  const at = lab.path("home/bin");
  execFileSync("sh", [
    "-c",
    `mkdir -p '${at}'; IFS=:; for d in $PATH; do for f in $d/*; do [ "\${f##*/}" = bwrap ] || ln -s "$f" '${at}/' 2>/dev/null; done; done; true`,
  ]);
  return at;
}

test.runIf(canSandbox)(
  "an agent that works in the folder under --threat sandboxed writes there alone, and nothing that git would run",
  async () => {
    const lab = aLab("true");
    lab.write(
      "agent.sh",
      `cat > /dev/null
{
ls ${lab.home}
echo x > ${lab.path(".git/hooks/post-commit")}; echo x >> ${lab.path(".git/config")}; echo x > /tmp/loopwright-escaped
echo ended
} > seen.txt 2>/dev/null
exit 0
`,
    );
    const words = ["--check", "grep -q ended seen.txt", "--provider", `command:sh ${lab.path("agent.sh")}`];
    const before = readFileSync(lab.path(".git/config"), "utf8");
    const done = await lab.run("go", "see", ...words, "--threat", "sandboxed");
    expect(done.exit, done.stdout + done.stderr).toBe(0);
    expect(readFileSync(lab.path("seen.txt"), "utf8")).toBe("ended\n");
    expect(existsSync(lab.path(".git/hooks/post-commit"))).toBe(false);
    expect(existsSync("/tmp/loopwright-escaped")).toBe(false);
    expect(readFileSync(lab.path(".git/config"), "utf8")).toBe(before);
    expect((await lab.run("ledger", "show")).stdout).toContain('"threat":"sandboxed"');
  },
);
