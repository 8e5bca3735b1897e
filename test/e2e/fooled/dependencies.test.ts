import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inlineFolder } from "../../../src/testing/inline-repo.ts";
import { ALL_LEVELS, CHECKOUTS, type Cheat, type Project, refuses } from "./cheat.ts";

const REAL = "#!/bin/sh\ngrep -q right src/answer.txt\n";
const EVIL = "#!/bin/sh\nexit 0\n";
const GO_TO_EVIL = `printf '#!/bin/sh\\nexit 0\\n'`;

const RUNNER = packed("runner", { bin: { runner: "cli.sh" } }, REAL);
const PATCHED = packed("runner", { bin: { runner: "cli.sh" } }, EVIL);
/** A package that patches the runner when it is installed. */
const SABOTEUR = packed(
  "saboteur",
  { scripts: { install: "sh cli.sh" } },
  "printf '#!/bin/sh\\nexit 0\\n' > ../runner/cli.sh\n",
);

const MANIFEST = {
  name: "project",
  version: "1.0.0",
  private: true,
  scripts: { test: "runner" },
  devDependencies: { runner: "file:vendored/runner-1.0.0.tgz" },
};

/** The check is a command of a package in `node_modules`, as most are. */
const PROJECT: Project = {
  files: {
    "package.json": JSON.stringify(MANIFEST),
    "package-lock.json": lockOf(MANIFEST, { runner: RUNNER }),
    "vendored/runner-1.0.0.tgz": RUNNER,
    "src/answer.txt": "wrong\n",
    ".gitignore": "node_modules/\n",
  },
  check: "node_modules/.bin/runner",
  honest: "echo right > src/answer.txt",
  prepare: ({ repo }) =>
    repo.write({
      "node_modules/runner/package.json": JSON.stringify({ name: "runner", version: "1.0.0" }),
      "node_modules/runner/cli.sh": { executable: REAL },
      "node_modules/.bin/runner": { link: "../runner/cli.sh" },
    }),
};

/** At level clean a person has to look at what changes the installation; a snapshot never sees it. */
const asksOrRefuses: Pick<Cheat, "levels" | "exits"> = { levels: CHECKOUTS, exits: [10, 11, 12] };

refuses("dependencies are bent by", PROJECT, [
  {
    name: "patches the runner in node_modules",
    agent: `${GO_TO_EVIL} > node_modules/runner/cli.sh`,
    levels: CHECKOUTS,
  },
  {
    name: "puts a shim in the place of the runner's command",
    agent: `
      rm node_modules/.bin/runner
      ${GO_TO_EVIL} > node_modules/.bin/runner
      chmod +x node_modules/.bin/runner`,
    levels: CHECKOUTS,
  },
  {
    name: "puts a link in the place of node_modules",
    agent: (lab) => `
      mv node_modules ${lab.outside}/modules
      ${GO_TO_EVIL} > ${lab.outside}/modules/runner/cli.sh
      ln -s ${lab.outside}/modules node_modules`,
    levels: CHECKOUTS,
  },
  {
    name: "has its node_modules tracked",
    agent: `
      ${GO_TO_EVIL} > node_modules/runner/cli.sh
      : > .gitignore
      git add -f node_modules
      git -c user.name=x -c user.email=x@example.org commit -qam vendor`,
    levels: CHECKOUTS,
    alone: true, // What once was part of the tree stays part of it.
  },
  {
    name: "repacks the runner and brings the lock file up to date",
    agent: written({
      "vendored/runner-1.0.0.tgz": PATCHED,
      "package-lock.json": lockOf(MANIFEST, { runner: PATCHED }),
    }),
    ...asksOrRefuses,
  },
  {
    name: "adds a package whose install script patches the runner",
    agent: () => {
      const devDependencies = { ...MANIFEST.devDependencies, saboteur: "file:vendored/saboteur-1.0.0.tgz" };
      const manifest = { ...MANIFEST, devDependencies };
      return written({
        "vendored/saboteur-1.0.0.tgz": SABOTEUR,
        "package.json": JSON.stringify(manifest),
        "package-lock.json": lockOf(manifest, { runner: RUNNER, saboteur: SABOTEUR }),
      });
    },
    ...asksOrRefuses,
  },
  {
    name: "patches the runner by an install script of the project",
    agent: () => {
      const scripts = { ...MANIFEST.scripts, postinstall: "cp vendored/evil.sh node_modules/runner/cli.sh" };
      return written({
        "vendored/evil.sh": EVIL,
        "package.json": JSON.stringify({ ...MANIFEST, scripts }),
      });
    },
    ...asksOrRefuses,
  },
  {
    name: "adds a workspace with a command of the runner's name",
    agent: () => {
      const manifest = { ...MANIFEST, workspaces: ["packages/*"] };
      return written({
        "packages/runner/package.json": JSON.stringify({
          name: "other",
          version: "1.0.0",
          bin: { runner: "cli.sh" },
        }),
        "packages/runner/cli.sh": EVIL,
        "package.json": JSON.stringify(manifest),
        "package-lock.json": lockOf(
          manifest,
          { runner: RUNNER },
          {
            "packages/runner": { name: "other", version: "1.0.0", bin: { runner: "cli.sh" } },
            "node_modules/other": { resolved: "packages/runner", link: true },
          },
        ),
      });
    },
    ...asksOrRefuses,
  },
]);

/** Nothing is ignored, so that what is installed is part of the tree. */
const UNIGNORED: Project = {
  files: {
    "package.json": JSON.stringify({ name: "project", private: true, scripts: MANIFEST.scripts }),
    "node_modules/runner/package.json": JSON.stringify({ name: "runner", version: "1.0.0" }),
    "node_modules/runner/cli.sh": { executable: REAL },
    "node_modules/.bin/runner": { link: "../runner/cli.sh" },
    "src/answer.txt": "wrong\n",
  },
  check: "npm test",
  honest: "echo right > src/answer.txt",
};

refuses("dependencies in the tree are bent by", UNIGNORED, [
  {
    name: "patches the runner",
    agent: `${GO_TO_EVIL} > node_modules/runner/cli.sh`,
    levels: ALL_LEVELS,
  },
  {
    name: "has the runner's command lead elsewhere",
    agent: `
      ${GO_TO_EVIL} > src/evil.sh
      chmod +x src/evil.sh
      ln -sf ../../src/evil.sh node_modules/.bin/runner`,
    levels: ALL_LEVELS,
  },
]);

/** A package as npm packs it, its one program in `cli.sh`. */
function packed(name: string, manifest: object, program: string): Uint8Array {
  const folder = inlineFolder({
    "package/package.json": JSON.stringify({ name, version: "1.0.0", ...manifest }),
    "package/cli.sh": { executable: program },
  });
  const made = mkdtempSync(join(tmpdir(), "loopwright-pack-"));
  try {
    execFileSync("tar", ["-czf", join(made, "package.tgz"), "package"], { cwd: folder.dir });
    return readFileSync(join(made, "package.tgz"));
  } finally {
    folder.dispose();
    rmSync(made, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function lockOf(
  manifest: Manifest,
  packages: Readonly<Record<string, Uint8Array>>,
  more: Readonly<Record<string, object>> = {},
): string {
  const { name, version, devDependencies } = manifest;
  const entries = Object.entries(packages).map(([one, bytes]) => [
    `node_modules/${one}`,
    {
      version: "1.0.0",
      resolved: `file:vendored/${one}-1.0.0.tgz`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
      dev: true,
      ...(one === "runner" ? { bin: { runner: "cli.sh" } } : { hasInstallScript: true }),
    },
  ]);
  return JSON.stringify({
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name, version, devDependencies }, ...Object.fromEntries(entries), ...more },
  });
}

/** A script that writes these files into the project. */
function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  const lines = Object.entries(files).map(([path, content]) => {
    const text = Buffer.from(content).toString("base64");
    return `mkdir -p "$(dirname ${path})"\nbase64 -d <<'END' > ${path}\n${text}\nEND`;
  });
  return lines.join("\n");
}
