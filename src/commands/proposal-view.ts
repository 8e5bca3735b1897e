import type { Regression } from "../record/loop-baseline.ts";
import type { Proposal } from "./loop-proposals.ts";

export function headline({ id, kind, subject, rationale }: Proposal): string {
  return `${id} [${kind}] ${subject}: ${rationale}`;
}

export function detailLines(proposal: Proposal): readonly string[] {
  const { patch, admission, standing, regression, expiresAt } = proposal;
  const may =
    patch === undefined
      ? "no change is worked out: edit the file by hand"
      : admission?.isAdmitted === false
        ? `may not be applied: ${admission.why}`
        : "may be applied by a person";
  return [
    headline(proposal),
    ...(patch === undefined ? [] : [`  ${patch.path} = ${JSON.stringify(patch.value)}`]),
    `  trials: ${standing === undefined ? "none" : `${standing.verdict.kind}, ${standing.pairs} pairs, ${standing.wins} won and ${standing.losses} lost`}`,
    `  baseline: ${regressionText(regression)}`,
    `  ${may}`,
    ...(expiresAt === undefined ? [] : [`  until ${expiresAt.slice(0, 10)}`]),
  ];
}

export function regressionText(found: Regression): string {
  switch (found.is) {
    case "no-baseline":
      return "none is set, so nothing is held against it";
    case "too-few-runs":
      return `${found.runs} runs are too few to hold against it`;
    case "held":
      return "held";
    case "regressed":
      return `worse than it allows: ${found.worse.join(", ")}`;
  }
}

export function regressionRow(found: Regression) {
  switch (found.is) {
    case "no-baseline":
      return { is: found.is };
    case "too-few-runs":
      return { is: found.is, runs: found.runs };
    case "held":
      return { is: found.is, measured: { ...found.measured } };
    case "regressed":
      return { is: found.is, measured: { ...found.measured }, worse: [...found.worse] };
  }
}

export function proposalRow({
  id,
  kind,
  subject,
  rationale,
  patch,
  admission,
  standing,
  regression,
  at,
  expiresAt,
}: Proposal) {
  return {
    id,
    kind,
    subject,
    rationale,
    patch: patch === undefined ? null : { path: patch.path, value: patch.value },
    admitted: admission?.isAdmitted ?? null,
    refused_because: admission?.isAdmitted === false ? admission.why : null,
    verdict: standing?.verdict.kind ?? null,
    pairs: standing?.pairs ?? 0,
    wins: standing?.wins ?? 0,
    losses: standing?.losses ?? 0,
    regression: regressionRow(regression),
    at,
    expires_at: expiresAt ?? null,
  };
}
