import { parse, stringify } from "smol-toml";
import type { Split } from "./index.ts";
import { isTable, type KeyPath, own, sameValue, type Table, withKeysOf } from "./keys.ts";

const TOOLS: readonly string[] = [
  "pytest",
  "tox",
  "nox",
  "coverage",
  "poe",
  "taskipy",
  "mypy",
  "pyright",
  "basedpyright",
  "ruff",
  "pylint",
  "flake8",
  "black",
  "isort",
  "bandit",
  "cibuildwheel",
];

/** `pytest11` entry points are plugins that pytest loads by itself; build hooks run when the project is installed. */
const PYPROJECT_KEYS: readonly KeyPath[] = [
  ...TOOLS.map((tool) => ["tool", tool]),
  ["tool", "hatch", "envs"],
  ["tool", "hatch", "build", "hooks"],
  ["tool", "pdm", "scripts"],
  ["tool", "pdm", "build"],
  ["tool", "poetry", "build"],
  ["tool", "poetry", "plugins", "pytest11"],
  ["tool", "setuptools", "cmdclass"],
  ["project", "entry-points", "pytest11"],
  ["build-system"],
];

const CARGO_KEYS: readonly KeyPath[] = [
  ["test"],
  ["bench"],
  ["profile", "test"],
  ["profile", "dev"],
  ["profile", "bench"],
  ["lints"],
  ["package", "build"],
  ["package", "autotests"],
  ["package", "autobenches"],
  ["lib", "harness"],
  ["lib", "test"],
  ["lib", "doctest"],
  ["workspace", "lints"],
];

export function splitPyproject(path: string, base: string | undefined, found: string | undefined): Split {
  return split(path, base, found, (old, now) => withKeysOf(old, now, PYPROJECT_KEYS));
}

export function splitCargo(path: string, base: string | undefined, found: string | undefined): Split {
  return split(path, base, found, (old, now) => {
    const merged = withKeysOf(old, now, CARGO_KEYS);
    return ["bin", "example"].reduce((table, key) => withTargetFlags(old, table, key), merged);
  });
}

/** Whether a program target is tested, and by which harness, is the base's to say, target by target. */
function withTargetFlags(base: Table, found: Table, key: string): Table {
  const targets = own(found, key);
  if (!Array.isArray(targets)) return found;
  const before = own(base, key);
  const old = Array.isArray(before) ? before.filter(isTable) : [];
  const flagged = targets.map((target: unknown) => {
    if (!isTable(target)) return target;
    const same = old.find((entry) => own(entry, "name") === own(target, "name"));
    return withKeysOf(same ?? {}, target, [["harness"], ["test"], ["doctest"]]);
  });
  return { ...found, [key]: flagged };
}

function split(
  path: string,
  base: string | undefined,
  found: string | undefined,
  merge: (base: Table, found: Table) => Table,
): Split {
  const old = parsed(base);
  if (typeof old === "string") return { ok: false, why: `${path} of the base tree cannot be parsed: ${old}` };
  const now = parsed(found);
  if (typeof now === "string") return { ok: false, why: `${path} cannot be parsed: ${now}` };
  const merged = merge(old, now);
  if (found !== undefined && sameValue(merged, now)) return { ok: true, text: found, changed: false };
  return { ok: true, text: stringify(merged, { numbersAsFloat: true }), changed: true };
}

/** Whole numbers are read as BigInt and written back as whole, so that `1` and `1.0` stay what they were. */
function parsed(text: string | undefined): Table | string {
  if (text === undefined) return {};
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
}
