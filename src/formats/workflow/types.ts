import type { JsonObject } from "../../core/canonical-json.ts";
import type { NumberTexts } from "../ocp/json-text.ts";

/** A way of working: which pieces there are, what flows between them, who may send work back. */
export interface Workflow {
  readonly id: string;
  readonly version: number;
  readonly title?: string;
  /** At least one, names unique. */
  readonly pieces: readonly WorkflowPiece[];
  readonly artifacts: readonly WorkflowArtifact[];
  /** `[piece, artifact]` produces, `[artifact, piece]` consumes; without a cycle. */
  readonly edges: readonly (readonly [string, string])[];
  readonly control: WorkflowControl;
  /** Keys of the file that nothing here knows; written back as they were. */
  readonly extra: JsonObject;
}

export interface WorkflowPiece {
  readonly id: string;
  readonly role?: string;
  /** Copies that work side by side, at least 1. */
  readonly width: number;
  readonly nested?: NestedWorkflow;
  readonly extra: JsonObject;
}

/** A whole workflow in place of a piece, written out or by name. */
export type NestedWorkflow =
  | { readonly workflow: Workflow }
  | { readonly ref: string; readonly version?: number };

export interface WorkflowArtifact {
  readonly id: string;
  readonly kind: string;
  readonly extra: JsonObject;
}

export interface WorkflowControl {
  readonly gates: readonly WorkflowGate[];
  /** Rounds of work, the first one counted; at least 1. */
  readonly rounds: number;
  readonly rescue: WorkflowRescue;
  readonly extra: JsonObject;
}

export interface WorkflowGate {
  readonly id: string;
  /** The piece whose output is the verdict. */
  readonly after: string;
  readonly rule: string;
  /** The piece that works again after a no; absent when a no ends the run. */
  readonly onFail?: string;
  readonly extra: JsonObject;
}

/** What is done when the rounds are used up. */
export interface WorkflowRescue {
  readonly kind: string;
  readonly ref?: string;
  readonly costUsd?: number;
  readonly extra: JsonObject;
}

/** Who does a piece. `model` is absent for a command, or where the agent's own default shall run. */
export interface Setting {
  readonly harness: string;
  readonly model?: string;
  readonly effort: string;
  readonly contextPolicy: string;
  readonly options: JsonObject;
}

export type Settings = Readonly<Record<string, Setting>>;

/** A workflow with the settings that are known; with one for every piece it is a configuration. */
export interface WorkflowFile {
  readonly workflow: Workflow;
  readonly settings: Settings;
  /** How numbers in `options` were written: the configuration id tells `1` from `1.0`. */
  readonly numbers: NumberTexts;
}
