import { type LockChange, type LockPair, NO_LOCK_CHANGE, needsLook } from "./lock-change.ts";
import { hooksPytest } from "./toml-locks.ts";

/** Compares requirement files: the base lines must stay as they are, new ones must be a name with versions. */
export function compareRequirements(pair: LockPair): LockChange {
  if (pair.base === pair.judged) return NO_LOCK_CHANGE;
  if (pair.judged === undefined) return needsLook(`${pair.path} was removed`);
  const base = requirementLines(pair.base ?? "");
  const judged = requirementLines(pair.judged);
  const names = new Set(base.map(requirementName));
  const reasons = base
    .filter((line) => !judged.includes(line))
    .map((line) => `${pair.path} loses or changes "${line}"`);
  const added = judged.filter((line) => !base.includes(line));
  for (const line of added) {
    const name = requirementName(line);
    if (name === undefined) reasons.push(`"${line}" is an option, a link or a local source`);
    else if (names.has(name)) reasons.push(`${name} is named by the base tree with another version`);
    else if (hooksPytest(name)) reasons.push(`${name} hooks into pytest`);
  }
  return { added, reasons };
}

/** Requirements without comments, continuations joined, in the order of the file. */
export function requirementLines(text: string): readonly string[] {
  const joined = text.replace(/\\\r?\n/g, " ");
  const lines = joined.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, "").trim());
  return lines.filter((line) => line !== "").map((line) => line.replace(/\s+/g, " "));
}

/** The normalised name of a plain requirement; undefined for options, addresses and local paths. */
export function requirementName(line: string): string | undefined {
  const match = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*((==|>=|<=|~=|!=|<|>)[^@]*|;[^@]*)?$/.exec(
    line,
  );
  return match?.[1]?.toLowerCase().replace(/[-_.]+/g, "-");
}

/** What a go.mod says besides its own name: requirements, and everything that bends how they resolve. */
interface GoModule {
  readonly requires: ReadonlyMap<string, string>;
  readonly bends: readonly string[];
}

/** Compares go.mod: modules that stay keep their version, and nothing is replaced, excluded or switched. */
export function compareGoModules(pair: LockPair): LockChange {
  if (pair.base === pair.judged) return NO_LOCK_CHANGE;
  if (pair.judged === undefined) return needsLook(`${pair.path} was removed`);
  const base = parseGoModule(pair.base ?? "");
  const judged = parseGoModule(pair.judged);
  const reasons = base.bends
    .filter((line) => !judged.bends.includes(line))
    .map((line) => `${pair.path} loses "${line}"`);
  for (const line of judged.bends) {
    if (!base.bends.includes(line)) reasons.push(`${pair.path} gains "${line}"`);
  }
  const added: string[] = [];
  for (const [name, version] of judged.requires) {
    const before = base.requires.get(name);
    if (before === undefined) added.push(`${name}@${version}`);
    else if (before !== version) reasons.push(`${name} changes from ${before} to ${version}`);
  }
  return { added: added.toSorted(), reasons };
}

/** The sums of the base tree must all be there: a module whose sum changes is another module. */
export function compareGoSums(pair: LockPair): LockChange {
  const judged = new Set((pair.judged ?? "").split(/\r?\n/));
  const versions = (lines: Iterable<string>): ReadonlyMap<string, string> =>
    new Map([...lines].map((line) => [line.split(" ").slice(0, 2).join(" "), line]));
  const after = versions(judged);
  const reasons: string[] = [];
  for (const [module, line] of versions((pair.base ?? "").split(/\r?\n/))) {
    const now = after.get(module);
    if (module !== "" && now !== undefined && now !== line) reasons.push(`the sum of ${module} changes`);
  }
  return { added: [], reasons };
}

function parseGoModule(text: string): GoModule {
  const requires = new Map<string, string>();
  const bends: string[] = [];
  let block = "";
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.*$/, "").trim();
    if (line === "") continue;
    if (line === ")") block = "";
    else if (/^\w+ \($/.test(line)) block = line.split(" ")[0] ?? "";
    else {
      const statement = block === "" ? line : `${block} ${line}`;
      const require = /^require (\S+) (\S+)$/.exec(statement);
      if (require?.[1] !== undefined && require[2] !== undefined) requires.set(require[1], require[2]);
      else if (!/^module /.test(statement)) bends.push(statement.replace(/\s+/g, " "));
    }
  }
  return { requires, bends };
}
