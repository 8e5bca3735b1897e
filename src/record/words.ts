/** The closed words of recording, apart so that a command can offer them without loading the rest. */
export const VERDICT_VALUES = ["accept", "reject", "pass", "fail", "error"] as const;
export const SIGNAL_KINDS = ["verdict", "score", "event"] as const;
export const SIGNAL_SOURCES = ["orchestrator", "user", "ci", "tracker", "judge"] as const;
export const TIERS = ["verified", "reported", "heuristic", "asserted"] as const;
export const SCALES = ["linear", "log", "fraction"] as const;
export const CAUSES = ["initial", "sent_back", "gate_failed", "followup", "other"] as const;
export const SETTLED = ["done", "failed", "rejected", "canceled", "lost"] as const;
export const JUDGES = ["referee", "user", "model"] as const;
