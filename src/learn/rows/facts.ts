/** What the learner knows about a run: structure, costs and verdicts, in its own words. */
export interface SettingFacts {
  readonly harness?: string;
  readonly model?: string;
  /** Absent when not said: the harness chose, and that says nothing about the levels. */
  readonly effort?: string;
}

export interface PieceFacts {
  readonly id: string;
  readonly role: string;
  readonly width: number;
  readonly setting: SettingFacts;
  /** A command and no agent: it costs nothing and its setting teaches nothing. */
  readonly isMechanical: boolean;
  readonly dependsOn: readonly string[];
}

export interface GateFacts {
  readonly id: string;
  readonly rule: string;
  /** The piece it sits on. */
  readonly piece: string;
  /** The piece that runs again when it says no. */
  readonly sendsBackTo?: string;
}

/** A workflow with a setting for every piece. Pieces come in an order in which each follows what it depends on. */
export interface WorkflowFacts {
  readonly shape: string;
  readonly pieces: readonly PieceFacts[];
  readonly gates: readonly GateFacts[];
  /** Rounds allowed, the first one counted. */
  readonly rounds: number;
}

export interface TaskFacts {
  readonly id?: string;
  readonly type: string;
  readonly repo?: string;
  readonly subtype?: string;
  readonly org?: string;
  /** Seconds of its time box; absent for open-ended work. */
  readonly horizonS?: number;
  readonly features: ReadonlyMap<string, string>;
}

export interface AttemptFacts {
  readonly piece: string;
  readonly round: number;
  readonly setting: SettingFacts;
  /** Absent when unknown; 0 is a real zero. */
  readonly costUsd?: number;
  /** How much dearer its model was then than when the prior was made, as a logarithm; absent where it was not. */
  readonly lnPrice?: number;
  /** 1 measured, 0.7 split or matched. */
  readonly costWeight: number;
  readonly tokens?: number;
  readonly isFailed: boolean;
}

export interface GateObservation {
  readonly gate: string;
  readonly round: number;
  readonly isPassed: boolean;
}

export interface ScoreFacts {
  readonly name: string;
  readonly value: number;
  readonly scale: "linear" | "log" | "fraction";
}

/** What a judge said of runs of one slate. Without a winner they are as good. */
export interface PreferenceFacts {
  readonly id: string;
  readonly members: readonly string[];
  readonly winner?: string;
  /** The chance that this is right. */
  readonly reliability: number;
}

export interface RunFacts {
  readonly id: string;
  readonly source: string;
  readonly task: TaskFacts;
  readonly workflow: WorkflowFacts;
  /** Months since year 0, in UTC; absent when the run says no time. */
  readonly month?: number;
  readonly endedMs?: number;
  /** Accepted or not, and the chance that this verdict is right. */
  readonly verdict?: { readonly isAccepted: boolean; readonly reliability: number };
  readonly roundsUsed: number;
  readonly isExhausted: boolean;
  readonly attempts: readonly AttemptFacts[];
  readonly gates: readonly GateObservation[];
  readonly scores: readonly ScoreFacts[];
  readonly parts: readonly PartFacts[];
  /** Absent when nobody compared the run with another. */
  readonly preferences?: readonly PreferenceFacts[];
}

/** A part of a harness (a skill, a hook ...) and the share of the run's attempts that had it. */
export interface PartFacts {
  readonly harness: string;
  /** `skill:pdf`. */
  readonly part: string;
  readonly share: number;
}

export function monthOf(epochMs: number): number {
  const date = new Date(epochMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** `2026-11`. */
export function formatMonth(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
}
