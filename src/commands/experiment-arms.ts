import { fail, ok, type Result } from "../core/result.ts";
import { type OcpDocument, readStoredOcp } from "../formats/ocp/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import type { RunRow, Store } from "../ports/store.ts";
import { harnessDigest } from "../record/harness.ts";
import { judge } from "../record/judge.ts";
import { spendOf } from "../record/run-row.ts";
import type { ArmRun } from "../verify/experiments/index.ts";

/** A finished run as an arm may want it. */
export interface StoredRun {
  readonly row: RunRow;
  readonly document: OcpDocument;
}

export interface Arms {
  readonly base: string;
  readonly candidate: string;
}

const SHOWN = 6;
const MAX_RUNS = 1_000_000;

/**
 * The runs of two arms. An arm is a configuration, a harness by its digest (`sha256:` and as much of it as is unique), a
 * label (`arm=NAME`, `arm:NAME`), or the value of any label. Problems: `bad-flag` where a digest is not unique or a run
 * fits both.
 */
export function armRuns(
  stored: readonly StoredRun[],
  { base, candidate }: Arms,
  rule: AcceptanceRule | undefined,
  nowMs: number,
): Result<readonly ArmRun[]> {
  const matchers = [base, candidate].map((arm) => matcherOf(arm, stored));
  const [isBase, isCandidate] = matchers;
  if (isBase?.ok === false) return isBase;
  if (isCandidate?.ok === false) return isCandidate;
  const found: ArmRun[] = [];
  for (const run of stored) {
    const sides = [isBase?.value(run) === true, isCandidate?.value(run) === true];
    if (sides[0] === true && sides[1] === true) {
      return fail("bad-flag", `the run ${run.row.run} fits both ${base} and ${candidate}`);
    }
    if (sides[0] === true || sides[1] === true) {
      found.push(armRun(run, sides[0] === true ? base : candidate, rule, nowMs));
    }
  }
  return ok(found);
}

/** Problem `no-such-configuration` with what arms there are, where one of the two has no run. */
export function checkArms(runs: readonly ArmRun[], arms: Arms, known: readonly string[]): Result<void> {
  const missing = [arms.base, arms.candidate].find(
    (arm) => !runs.some(({ configuration }) => configuration === arm),
  );
  if (missing === undefined) return ok(undefined);
  const shown = known.slice(0, SHOWN).join(", ");
  return fail("no-such-configuration", `no recorded run is of the arm ${missing}`, {
    hint:
      known.length === 0
        ? "no run is recorded yet"
        : `there are ${shown}${known.length > SHOWN ? " ..." : ""}`,
  });
}

const CONFIGURATION = /^cfg_[0-9a-f]{12}$/;

/** The finished runs among which the arms are; of two configurations only theirs are read. With the names of all arms. */
export async function runsOfArms(
  store: Store | undefined,
  { base, candidate }: Arms,
): Promise<Result<{ readonly stored: readonly StoredRun[]; readonly known: readonly string[] }>> {
  const rows = store === undefined ? ok([]) : await store.runs({ state: "finished", limit: MAX_RUNS });
  if (!rows.ok) return rows;
  const areConfigurations = [base, candidate].every((arm) => CONFIGURATION.test(arm));
  const stored: StoredRun[] = [];
  for (const row of rows.value) {
    if (areConfigurations && row.configuration !== base && row.configuration !== candidate) continue;
    const text = await store?.runDocument(row.run);
    if (text?.ok === false) return text;
    const read = text?.value === undefined ? undefined : readStoredOcp(text.value);
    if (read?.ok === false) return read;
    if (read !== undefined) stored.push({ row, document: read.value.document });
  }
  const configurations = rows.value.flatMap(({ configuration }) => configuration ?? []);
  return ok({ stored, known: [...new Set([...configurations, ...stored.flatMap(namesOf)])] });
}

function namesOf({ document }: StoredRun): readonly string[] {
  const digest = harnessDigest(document);
  const labels = Object.entries(document.run.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...(digest === undefined ? [] : [`sha256:${digest.slice(0, 12)}`])];
}

type Matcher = (run: StoredRun) => boolean;

function matcherOf(arm: string, stored: readonly StoredRun[]): Result<Matcher> {
  const digest = /^(?:digest:)?sha256:([0-9a-f]+)$/.exec(arm)?.[1];
  if (digest !== undefined) return digestMatcher(arm, digest, stored);
  const label = /^([^=:]+)[=:](.+)$/.exec(arm);
  if (label !== null) return ok(({ document }) => document.run.labels?.[label[1] ?? ""] === label[2]);
  return ok(
    ({ row, document }) =>
      row.configuration === arm || Object.values(document.run.labels ?? {}).includes(arm),
  );
}

function digestMatcher(arm: string, prefix: string, stored: readonly StoredRun[]): Result<Matcher> {
  const fitting = new Set(
    stored.flatMap(({ document }) => {
      const digest = harnessDigest(document);
      return digest?.startsWith(prefix) === true ? [digest] : [];
    }),
  );
  if (fitting.size > 1)
    return fail("bad-flag", `${arm} fits ${fitting.size} harnesses`, { hint: "give more of the digest" });
  return ok(({ document }) => harnessDigest(document)?.startsWith(prefix) === true);
}

function armRun(
  { row, document }: StoredRun,
  configuration: string,
  rule: AcceptanceRule | undefined,
  nowMs: number,
): ArmRun {
  const { z } = judge(document, rule, nowMs);
  const { sum } = spendOf(document);
  const isPriced = sum.unknownParts === 0 && sum.basis !== undefined;
  return {
    run: row.run,
    configuration,
    startedAt: row.startedAt,
    ...(row.slate !== undefined && { slate: row.slate }),
    ...(row.task !== undefined && { task: row.task }),
    ...(row.baseCommit !== undefined && { baseCommit: row.baseCommit }),
    ...(z !== null && { isAccepted: z === 1 }),
    ...(isPriced && { costUsd: sum.microUsd / 1e6 }),
  };
}
