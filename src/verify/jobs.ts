import * as v from "valibot";
import { ok, type Result } from "../core/result.ts";
import type { TreeEntry, TreeId, Workspace } from "../ports/workspace.ts";
import { resolveCommand } from "./command.ts";
import type { BaseTests } from "./compare-tests.ts";
import { isProcessDetector } from "./detectors/index.ts";
import { readJson } from "./reports/json-text.ts";
import type { CheckJob } from "./run-check.ts";
import { expectedTestFiles } from "./runners.ts";
import type { Baseline, BaselineCheck, Check } from "./types.ts";

const Scripts = v.object({ scripts: v.optional(v.record(v.string(), v.string())) });

/** What the base tree says about how checks are run. */
export interface BaseFacts {
  readonly entries: readonly TreeEntry[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly goModule?: string;
}

export async function readBaseFacts(workspace: Workspace, base: TreeId): Promise<Result<BaseFacts>> {
  const entries = await workspace.list(base);
  if (!entries.ok) return entries;
  const manifest = await workspace.read(base, "package.json");
  if (!manifest.ok) return manifest;
  const goMod = await workspace.read(base, "go.mod");
  if (!goMod.ok) return goMod;
  const goModule = /^module\s+(\S+)/m.exec(decoded(goMod.value) ?? "")?.[1];
  return ok({
    entries: entries.value,
    scripts: readJson(Scripts, decoded(manifest.value))?.scripts ?? {},
    ...(goModule === undefined ? {} : { goModule }),
  });
}

function decoded(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** The checks that run a command, in declared order, each with what thresholds want of it. Pure. */
export function jobsOf(checks: readonly Check[], facts: BaseFacts, baseline?: Baseline): readonly CheckJob[] {
  return checks.flatMap((check) => {
    const { detector } = check;
    if (!isProcessDetector(detector)) return [];
    const wantedMetrics = checks.flatMap(({ detector: other }) =>
      other.type === "threshold" && other.producer === check.name ? [other.metric] : [],
    );
    return {
      check: { ...check, detector },
      resolved: resolveCommand(detector.command, facts.scripts),
      exitCodeOnly: baselineOf(check.name, baseline)?.exitCodeOnly === true,
      wantedMetrics,
      ...(facts.goModule === undefined ? {} : { goModule: facts.goModule }),
    };
  });
}

export function baselineOf(check: string, baseline: Baseline | undefined): BaselineCheck | undefined {
  return baseline?.checks.find((entry) => entry.check === check);
}

/** What a run of this check is held against; undefined when it did not run on the base tree. */
export function baseTestsOf(
  job: CheckJob,
  before: BaselineCheck | undefined,
  facts: BaseFacts,
): BaseTests | undefined {
  if (before === undefined || before.verdict === "uncheckable") return undefined;
  return {
    tests: before.tests ?? [],
    brokenFiles: before.brokenFiles ?? [],
    expectedFiles: expectedTestFiles(
      job.resolved,
      facts.entries.map((entry) => entry.path),
    ),
  };
}
