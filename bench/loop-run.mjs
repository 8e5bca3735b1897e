// Many pieces at once, each a real process in a worktree of its own: what a loop costs beyond its agents, and how long
// another command takes meanwhile.  npm run bench -- loop-run      BENCH_PIECES=50
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, machine, median, PROGRAM, report, wall } from "./lib.mjs";

const PIECES = Number(process.env.BENCH_PIECES ?? 50);
const AGENT_SECONDS = 2;

const node = (index) =>
  `      - {id: p${index}, role: builder, instruction: Write the file made-${index}., isolation: {mode: worktree}}`;
const LOOP = `name: many
intent: {goals: [{name: all, description: All files are there.}]}
execution:
  graph:
    concurrency: {mode: fixed, max_parallel: ${PIECES}}
    nodes:
${Array.from({ length: PIECES }, (_, index) => node(index)).join("\n")}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [./agent.sh], prompt_on_stdin: true}]}
safety:
  checks: [{target: all, name: all, mode: objective, statement: All., detector: {type: script, command: "test $(ls made-* | wc -l) = ${PIECES}"}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 600}}
`;
const AGENT = `name=$(grep -o 'made-[0-9]*' | head -1)\nsleep ${AGENT_SECONDS}\necho made > "$name"\n`;

const place = folder();
try {
  machine();
  const repo = join(place.path, "repo");
  mkdirSync(repo);
  writeFileSync(join(repo, "loop.yaml"), LOOP);
  writeFileSync(join(repo, "agent.sh"), AGENT);
  const git = (...words) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@example.org", ...words], { cwd: repo });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "bench");
  const env = { ...process.env, LOOPWRIGHT_HOME: join(place.path, "home") };
  const started = performance.now();
  const loop = spawn(process.execPath, [PROGRAM, "loop", "start", "--json"], {
    cwd: repo,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  loop.stdout.on("data", (text) => {
    said += text;
  });
  let isOver = false;
  const over = new Promise((resolve) => {
    loop.on("close", () => {
      isOver = true;
      resolve();
    });
  });
  const looks = [];
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { ms, status } = wall([process.execPath, PROGRAM, "status", "--json"], { env, cwd: repo });
    if (status === 0) looks.push(ms);
  }
  await over;
  const seconds = (performance.now() - started) / 1000;
  const answer = JSON.parse(said);
  if (answer.satisfied !== true) throw new Error(said);
  report(`${PIECES} pieces of ${AGENT_SECONDS} s at once, from start to the gate's yes`, seconds, "s");
  report("of it for each piece beyond the agents", ((seconds - AGENT_SECONDS) * 1000) / PIECES, "ms");
  report(`\`status\` meanwhile, median of ${looks.length}`, median(looks), "ms", 500);
  report("the slowest", Math.max(...looks), "ms", 1000);
} finally {
  place.remove();
}
