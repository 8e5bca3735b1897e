// From a fresh clone: installs what is missing, builds what is stale, then runs the demo or the tests.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

function run(command, args) {
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  return status ?? (signal === null ? 0 : 1);
}

function newest(path) {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return Math.max(info.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isStale(product, sources) {
  if (!existsSync(join(root, product))) return true;
  const made = statSync(join(root, product)).mtimeMs;
  return sources.some((source) => newest(join(root, source)) > made);
}

/** npm writes this file at the end of an install. */
if (isStale("node_modules/.package-lock.json", ["package-lock.json"])) {
  console.error("installing dependencies ...");
  execFileSync(npm, ["ci", "--no-audit", "--no-fund"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

function build() {
  if (!isStale("dist/cli.cjs", ["src", "package.json", "tsdown.config.ts"])) return;
  console.error("building ...");
  const bundler = join(root, "node_modules/tsdown/dist/run.mjs");
  execFileSync(process.execPath, [bundler, "--logLevel", "error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "ignore"],
  });
}

const [task, ...rest] = process.argv.slice(2);
switch (task) {
  case "test":
    process.exitCode = run(process.execPath, [join(root, "scripts/check.mjs"), ...rest]);
    break;
  case "demo":
    build();
    process.exitCode = run(process.execPath, [join(root, "dist/cli.cjs"), "demo", ...rest]);
    break;
  case "agents":
    build();
    process.exitCode = run(process.execPath, [join(root, "scripts/test-agents.mjs"), ...rest]);
    break;
  default:
    console.error("usage: node scripts/bootstrap.mjs demo|test|agents");
    process.exitCode = 1;
}
