/** Roles and what follows from them: how estimates fold other words, which rule a gate has by default. */

export const ROLES = ["planner", "implementer", "reviewer", "tester", "referee", "worker"] as const;
export type Role = (typeof ROLES)[number];

const FOLDS: Readonly<Record<Role, string>> = {
  planner: "plan planning architect",
  implementer: "impl implement dev developer coder build builder fix integrate integrator",
  reviewer: "review critic audit",
  tester: "test tests qa",
  referee: "select selector judge",
  worker: "lead research docs ops",
};
const FOLDED: ReadonlyMap<string, Role> = new Map(
  ROLES.flatMap((role) => [role, ...FOLDS[role].split(" ")].map((word) => [word, role] as const)),
);

/** The canonical role that a word stands for; undefined for a word that is not known. No role is a worker. */
export function foldRole(word: string | undefined): Role | undefined {
  return word === undefined ? "worker" : FOLDED.get(word.toLowerCase());
}

/** The rule of a gate after a piece of this role, when the file names none. */
export function defaultRule(role: string | undefined): string {
  if (role === "referee") return "referee_pick";
  return role === "tester" ? "tests_pass" : "review_approve";
}

export const ARTIFACT_KINDS = [
  "issue",
  "repo",
  "plan",
  "spec",
  "diff",
  "review",
  "verdict",
  "test_record",
  "report",
  "other",
] as const;
