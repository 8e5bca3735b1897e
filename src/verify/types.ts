import type { Digest } from "../core/hash.ts";
import type { Problem } from "../core/result.ts";
import type { FrozenEnvironment, GateLevel } from "../ports/check-rooms.ts";
import type { TreeId } from "../ports/workspace.ts";

/** The mechanism behind a check. All but `judge` are deterministic code. */
export type Detector =
  | {
      readonly type: "script";
      /** A person's command line, run by `/bin/sh -c`; or exact argv. */
      readonly command: { readonly line: string } | { readonly argv: readonly string[] };
      readonly expectExit: number;
    }
  | { readonly type: "file_exists"; readonly path: string; readonly nonEmpty: boolean }
  | { readonly type: "regex_match"; readonly artifact: string; readonly pattern: string }
  | {
      readonly type: "threshold";
      readonly metric: string;
      readonly op: "gt" | "gte" | "lt" | "lte" | "eq";
      readonly value: number;
      /** The frozen check whose metrics file or JSON stdout holds the metric; undefined: "metric has no producer". */
      readonly producer?: string;
    }
  | { readonly type: "diff"; readonly allow: readonly string[]; readonly deny: readonly string[] }
  | {
      readonly type: "test_report";
      readonly command: { readonly line: string } | { readonly argv: readonly string[] };
      readonly format: "junit" | "tap" | "json";
      /** Relative to the checkout; it must be written by this run. */
      readonly path: string;
    };

export interface Check {
  readonly name: string;
  /** A goal's name, or `overall`. */
  readonly target: string;
  readonly statement: string;
  readonly blocking: boolean;
  readonly timeoutMs: number;
  readonly detector: Detector;
}

/** Frozen with the session: what an agent's change cannot alter for the judgement. */
export interface Protection {
  /** Existing paths of the base tree that are restored before judging. */
  readonly paths: readonly string[];
  /** Globs under which added files are left out of the blocking run (and run as advisory). */
  readonly globs: readonly string[];
  readonly unprotected: readonly string[];
  /** Mixed manifests: split by key, runner and script keys from the base. */
  readonly manifests: readonly string[];
  /** Added tests count; changed old ones need approval. */
  readonly allowTests: boolean;
}

/** A test as (file, suite path, name) with multiplicity. */
export interface TestId {
  readonly file: string;
  readonly suite: readonly string[];
  readonly name: string;
}
export type TestStatus = "passed" | "failed" | "skipped" | "todo";
export interface TestResult {
  readonly id: TestId;
  readonly status: TestStatus;
}

/** What a verdict rests on. Bound to the tree that it saw. */
export interface Evidence {
  readonly check: string;
  readonly tree: TreeId;
  readonly judged: TreeId;
  readonly level: GateLevel;
  readonly exitCode?: number;
  readonly durationMs: number;
  /** Last lines of the output, without control characters, at most 4 KB. */
  readonly tail: string;
  readonly report: "file" | "stdout" | "none";
  /** What the judgement rests on when it is weaker than usual: `exit code only`, `guard only`, `containment: group` ... */
  readonly notes: readonly string[];
  readonly tests?: {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    /** Ids that the base run had and this one lacks or fails. */
    readonly missing: readonly string[];
    readonly newlyFailing: readonly string[];
  };
  readonly metrics?: Readonly<Record<string, number>>;
  readonly setupHash?: string;
  readonly flakyRuns?: number;
  readonly cached?: boolean;
}

export type CheckVerdict =
  | {
      readonly verdict: "pass";
      readonly check: string;
      readonly blocking: boolean;
      readonly evidence: Evidence;
    }
  | {
      readonly verdict: "fail";
      readonly check: string;
      readonly blocking: boolean;
      readonly why: string;
      readonly evidence: Evidence;
    }
  | {
      readonly verdict: "uncheckable";
      readonly check: string;
      readonly blocking: boolean;
      readonly problem: Problem;
      readonly evidence?: Evidence;
    };

export interface TargetVerdict {
  readonly target: string;
  readonly satisfied: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly uncheckable: number;
  readonly reason: string;
}

export interface GateResult {
  readonly tree: TreeId;
  readonly level: GateLevel;
  readonly checks: readonly CheckVerdict[];
  readonly targets: readonly TargetVerdict[];
  /** Every goal, `overall` when it has checks, and nothing uncheckable. */
  readonly satisfied: boolean;
  readonly touchedProtected: readonly string[];
  readonly dependencyChange?: { readonly reasons: readonly string[]; readonly needsApproval: boolean };
  /** Checks that fail with protected paths restored and pass without: the path that makes the difference. */
  readonly restoredButWouldPass: readonly string[];
  /** With added tests allowed: changed test files of the base tree, judged as they were until a person approves. */
  readonly needsApproval: readonly string[];
  /** In place only: edits of the user made while checks ran, kept beside the restored files. */
  readonly keptEdits: readonly string[];
}

export interface BaselineCheck {
  readonly check: string;
  readonly verdict: "pass" | "fail" | "uncheckable";
  readonly exitCode?: number;
  readonly tail: string;
  readonly tests?: readonly TestResult[];
  /** Test files that the runner named but could not load: no ids yet. */
  readonly brokenFiles?: readonly string[];
  /** The runner is known, but gives no report here: later runs are judged by exit code. */
  readonly exitCodeOnly?: true;
  /** Runs of the same tree that did not agree. */
  readonly flaky?: true;
  readonly why?: string;
}

/** What every blocking check said about the base tree before any money was spent. */
export interface Baseline {
  readonly tree: TreeId;
  readonly level: GateLevel;
  /** Why not a stronger level, in one sentence each. */
  readonly notes: readonly string[];
  readonly checks: readonly BaselineCheck[];
  readonly state: "green" | "red" | "uncheckable";
  readonly problem?: Problem;
}

/** Everything that a gate evaluation may look at. Nothing else is an input to a verdict, except the tree. */
export interface FrozenGate {
  readonly checks: readonly Check[];
  readonly goals: readonly string[];
  readonly protection: Protection;
  readonly environment: FrozenEnvironment;
  readonly base: TreeId;
  /** The level asked for; absent: the strongest that works. */
  readonly level?: GateLevel;
  readonly guard: boolean;
  readonly flakyRetries: number;
  /** Absolute paths of tools as resolved at start, and the PATH that checks get. */
  readonly toolPath: string;
  readonly digest: Digest;
}
