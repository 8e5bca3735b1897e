import type { DependencyChange, SetupStep } from "../../ports/check-rooms.ts";
import { LIFECYCLE } from "./dependency-change.ts";
import { type DependencyFiles, type Detected, detectManagers, inFolder, parsePackageJson } from "./detect.ts";
import { npmProjects, npmRebuilds, parseNpmLock } from "./npm-lock.ts";
import { requirementLines, requirementName } from "./text-locks.ts";

/** A step of a set-up. What an optional step makes is not needed for the checks, so its failure is no failure. */
export interface PlannedStep extends SetupStep {
  readonly optional: boolean;
}

export interface SetupPlan {
  readonly detected: readonly Detected[];
  readonly steps: readonly PlannedStep[];
  /** Files that a step reads besides the tree: the requirements of the base tree. */
  readonly extraFiles: readonly { readonly path: string; readonly text: string }[];
  /** The steps run code or install files of the base tree, so that their result depends on all of it. */
  readonly runsProjectCode: boolean;
  /** Why the steps cannot give something that works in another folder. */
  readonly unusable?: string;
}

/** Prefix of files of ours in the checkout where a set-up runs. */
const BASE_COPY = ".loopwright-base-";

/**
 * The steps that install what the judged tree asks for, without running anything that it brings: packages are
 * installed without scripts, those that the base lock names are rebuilt, and the project's own scripts are the base's.
 */
export function planSetup(
  base: DependencyFiles,
  judged: DependencyFiles,
  change: DependencyChange,
): SetupPlan {
  const detected = detectManagers(judged);
  const parts = detected.map((one) => planOne(one, base, judged, change));
  const unusable = parts.find((part) => part.unusable !== undefined)?.unusable;
  return {
    ...(unusable === undefined ? {} : { unusable }),
    detected,
    steps: parts.flatMap((part) => part.steps),
    extraFiles: parts.flatMap((part) => part.extraFiles ?? []),
    runsProjectCode: parts.some((part) => part.runsProjectCode === true),
  };
}

/** A person's own command lines, run by a shell at the root of the checkout. */
export function configuredSteps(lines: readonly string[]): readonly SetupStep[] {
  return lines.map((line) => ({ manager: "configured", cwd: "", argv: ["/bin/sh", "-c", line] }));
}

interface Part {
  readonly steps: readonly PlannedStep[];
  readonly extraFiles?: SetupPlan["extraFiles"];
  readonly runsProjectCode?: boolean;
  readonly unusable?: string;
}

function planOne(
  detected: Detected,
  base: DependencyFiles,
  judged: DependencyFiles,
  change: DependencyChange,
): Part {
  switch (detected.manager.name) {
    case "npm":
      return planNpm(detected, base, judged, change);
    case "pip":
      return planPip(detected, base, judged);
    case "uv": {
      const noBuild = addedNames(change).flatMap((name) => ["--no-build-package", name]);
      return { steps: detected.manager.install.map((argv) => step(detected, [...argv, ...noBuild])) };
    }
    default:
      return {
        steps: detected.manager.install.map((argv) => step(detected, argv)),
        runsProjectCode: ["bun", "pnpm", "yarn", "composer", "bundler", "gradle", "maven"].includes(
          detected.manager.name,
        ),
      };
  }
}

function step(detected: Detected, argv: readonly string[], optional = false): PlannedStep {
  return { manager: detected.manager.name, cwd: detected.cwd, argv, optional };
}

function addedNames(change: DependencyChange): readonly string[] {
  if (change.kind !== "additions") return [];
  return change.added.map((spec) => spec.replace(/(?!^)@.*$/, ""));
}

function planNpm(
  detected: Detected,
  base: DependencyFiles,
  judged: DependencyFiles,
  change: DependencyChange,
): Part {
  const now = parseNpmLock(judged.text.get(detected.lock) ?? "") ?? new Map();
  const before = parseNpmLock(base.text.get(detected.lock) ?? "") ?? new Map();
  const steps = detected.manager.install.map((argv) => step(detected, argv));
  if (ignoresScripts(base, detected.cwd)) return { steps };
  // Once a person has approved a change, what it brings may run.
  const trusted = change.kind === "needs-approval" ? now : before;
  const rebuilds = npmRebuilds(trusted, now);
  if (rebuilds.length > 0) steps.push(step(detected, ["npm", "rebuild", ...rebuilds]));
  const lifecycle: PlannedStep[] = [];
  for (const project of npmProjects(trusted)) {
    const cwd = project === "" ? detected.cwd : inFolder(detected.cwd, project);
    const scripts = parsePackageJson(judged.text.get(inFolder(cwd, "package.json")))?.scripts ?? {};
    for (const script of LIFECYCLE.filter((name) => scripts[name] !== undefined)) {
      // `prepare` builds the project or sets up git hooks: neither is part of its dependencies.
      const optional = script.includes("prepare") || script === "prepublish";
      lifecycle.push({ manager: "npm", cwd, argv: ["npm", "run", script], optional });
    }
  }
  return { steps: [...steps, ...lifecycle], runsProjectCode: lifecycle.length > 0 };
}

/** The project itself says that nothing is to be run on installing. */
function ignoresScripts(files: DependencyFiles, cwd: string): boolean {
  return /^\s*ignore-scripts\s*=\s*true\s*$/m.test(files.text.get(inFolder(cwd, ".npmrc")) ?? "");
}

const PIP = [".venv/bin/python", "-m", "pip", "install", "--no-compile", "--quiet"];

function planPip(detected: Detected, base: DependencyFiles, judged: DependencyFiles): Part {
  const { cwd, manager, lock } = detected;
  const paths = [lock, ...manager.manifests.map((name) => inFolder(cwd, name))].filter(
    (path) => judged.paths.includes(path) && !path.endsWith("constraints.txt"),
  );
  const lines = paths.flatMap((path) => requirementLines(judged.text.get(path) ?? ""));
  const editable = lines.find((line) => /^(-e|--editable)\b/.test(line));
  if (editable !== undefined) {
    return {
      steps: [],
      unusable: `${lock} asks for an editable install (${editable}), which works only where it is`,
    };
  }
  // A requirement that is no plain name may be a file of the tree.
  const runsProjectCode = lines.some((line) => requirementName(line) === undefined);
  const isChanged = paths.some((path) => judged.text.get(path) !== base.text.get(path));
  const local = (path: string): string => path.slice(cwd === "" ? 0 : cwd.length + 1);
  const from = (names: readonly string[]): string[] => names.flatMap((name) => ["-r", name]);
  const steps = manager.install.map((argv) => step(detected, argv));
  if (!isChanged) {
    return { steps: [...steps, step(detected, [...PIP, ...from(paths.map(local))])], runsProjectCode };
  }
  const copies = paths
    .filter((path) => base.text.has(path))
    .map((path) => ({
      path: inFolder(cwd, `${BASE_COPY}${local(path)}`),
      text: base.text.get(path) ?? "",
    }));
  if (copies.length > 0) {
    steps.push(step(detected, [...PIP, ...from(copies.map((copy) => local(copy.path)))]));
  }
  steps.push(step(detected, [...PIP, "--only-binary", ":all:", ...from(paths.map(local))]));
  return { steps, extraFiles: copies, runsProjectCode };
}
