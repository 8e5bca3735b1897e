import { fail, ok, type Result } from "../core/result.ts";
import type { FrozenEnvironment, GateLevel } from "../ports/check-rooms.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import { digestOf } from "./check-cache.ts";
import { compileRegex } from "./detectors/linear-regex.ts";
import { baseName } from "./globs.ts";
import { type BaseFacts, jobsOf, readBaseFacts } from "./jobs.ts";
import { namedPaths, protectionOf } from "./protect.ts";
import type { CheckJob } from "./run-check.ts";
import type { Check, FrozenGate } from "./types.ts";

export interface FreezeRequest {
  readonly base: TreeId;
  readonly checks: readonly Check[];
  readonly goals: readonly string[];
  readonly environment: FrozenEnvironment;
  readonly protect: readonly string[];
  readonly unprotect: readonly string[];
  readonly allowTests: boolean;
  readonly level?: GateLevel;
  readonly guard: boolean;
  readonly flakyRetries: number;
  readonly toolPath: string;
}

/** What each check will run, for people: package scripts followed, the runner whose report is asked for. */
export interface CheckDescription {
  readonly check: string;
  readonly text: string;
  readonly via: readonly string[];
  readonly runner?: string;
}

export interface Frozen {
  readonly gate: FrozenGate;
  readonly commands: readonly CheckDescription[];
}

/**
 * Fixes, before the first dispatch, everything that a verdict will rest on besides the tree. Problems: `missing-check`
 * for a goal without a blocking check, `bad-input` for a check that can never be answered.
 */
export async function freezeGate(workspace: Workspace, request: FreezeRequest): Promise<Result<Frozen>> {
  const bad = faultOf(request);
  if (bad !== undefined) return bad;
  const facts = await readBaseFacts(workspace, request.base);
  if (!facts.ok) return facts;
  const jobs = jobsOf(request.checks, facts.value);
  const lacking = missingScriptOf(jobs, facts.value, request);
  if (lacking !== undefined) return lacking;
  const lines = jobs.flatMap((job) => [...job.resolved.via, job.resolved.text]);
  const texts = await textsOfScripts(workspace, request.base, facts.value, lines);
  if (!texts.ok) return texts;
  const protection = protectionOf({
    entries: facts.value.entries,
    commands: [...lines, ...texts.value],
    protect: request.protect,
    unprotect: request.unprotect,
    allowTests: request.allowTests,
  });
  const { checks, goals, environment, base, level, guard, flakyRetries, toolPath } = request;
  const parts = {
    checks,
    goals,
    protection,
    environment,
    base,
    ...(level === undefined ? {} : { level }),
    guard,
    flakyRetries,
    toolPath,
  };
  return ok({
    gate: { ...parts, digest: digestOf(parts) },
    commands: jobs.map(({ check, resolved: { text, via, runner } }) => ({
      check: check.name,
      text,
      via,
      ...(runner === undefined ? {} : { runner }),
    })),
  });
}

function faultOf({ checks, goals }: FreezeRequest): ReturnType<typeof fail> | undefined {
  const bare = goals.find((goal) => !checks.some((check) => check.target === goal && check.blocking));
  if (bare !== undefined || !checks.some((check) => check.blocking)) {
    return fail(
      "missing-check",
      `${bare === undefined ? "there is" : `goal "${bare}" has`} no blocking check`,
      {
        hint: 'a goal without a blocking check can never be satisfied: add one, e.g. --check "npm test"',
      },
    );
  }
  const names = checks.map((check) => check.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return fail("bad-input", `two checks are named "${twice}"`);
  for (const { name, detector } of checks) {
    if (detector.type !== "regex_match") continue;
    const regex = compileRegex(detector.pattern);
    if (!regex.ok) return fail("bad-input", `check "${name}": pattern /${detector.pattern}/: ${regex.why}`);
  }
  return undefined;
}

/** Scripts are judged as they were at the start, so no work can ever add the one that a check asks for. */
function missingScriptOf(
  jobs: readonly CheckJob[],
  { entries, scripts }: BaseFacts,
  { unprotect }: FreezeRequest,
): ReturnType<typeof fail> | undefined {
  if (unprotect.length > 0 || !entries.some(({ path }) => path === "package.json")) return undefined;
  const job = jobs.find(({ check, resolved }) => check.blocking && resolved.missingScript !== undefined);
  if (job === undefined) return undefined;
  const there = Object.keys(scripts).join(", ") || "none";
  return fail(
    "bad-input",
    `check "${job.check.name}": package.json has no script "${job.resolved.missingScript}" (it has ${there})`,
    { hint: "name one that is there, or add it yourself first: a script that the agent adds does not count" },
  );
}

const MAX_DEPTH = 3;
const MAX_SCRIPT_BYTES = 256 * 1024;

/** The texts of the scripts that checks name, and of those that these name: what they run judges the work too. */
async function textsOfScripts(
  workspace: Workspace,
  base: TreeId,
  facts: BaseFacts,
  lines: readonly string[],
): Promise<Result<readonly string[]>> {
  const texts: string[] = [];
  const seen = new Set<string>();
  let open = [...lines.flatMap((line) => namedPaths(line, facts.entries)), ...makefiles(facts, lines)];
  for (let depth = 0; depth < MAX_DEPTH && open.length > 0; depth += 1) {
    const next: string[] = [];
    for (const path of open) {
      if (seen.has(path)) continue;
      seen.add(path);
      const bytes = await workspace.read(base, path);
      if (!bytes.ok) return bytes;
      if (bytes.value === undefined || bytes.value.length > MAX_SCRIPT_BYTES) continue;
      const text = new TextDecoder().decode(bytes.value);
      texts.push(text);
      next.push(...namedPaths(text, facts.entries));
    }
    open = next;
  }
  return ok(texts);
}

/** `make test` names no file, but reads one. */
function makefiles(facts: BaseFacts, lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => /\b(make|just)\b/.test(line))) return [];
  return facts.entries
    .map((entry) => entry.path)
    .filter((path) => path === baseName(path) && /^(GNU)?[Mm]akefile$|^\.?[Jj]ustfile$/.test(path));
}
