import type { Findings } from "../findings.ts";
import { candidatesOf } from "../routing.ts";
import type { Loop, LoopPiece, LoopProvider } from "../types.ts";

/** Opinions: their scale, and whose they are. */
export function findJudgeRisks(loop: Loop, findings: Findings): void {
  const judged = loop.checks.flatMap(({ detector }, index) =>
    detector.type === "judge" ? [{ detector, path: `safety.checks[${index}].detector` }] : [],
  );
  for (const { detector, path } of judged) findScale(detector.minScore, `${path}.min_score`, findings);
  const [first] = judged;
  if (first !== undefined) findDependence(loop, findings);
}

function findScale(minScore: number | undefined, path: string, findings: Findings): void {
  if (minScore === undefined) return;
  if (minScore > 10) {
    const message = `judges score from 0 to 10, so ${minScore} is never reached`;
    findings.fatalRisk("score-off-the-scale", "bad-input", path, message, "use at most 10");
  } else if (minScore <= 1) {
    const message = `judges score from 0 to 10, so ${minScore} lets nearly everything pass`;
    findings.risk("score-off-the-scale", path, message, `if you meant a share of 1, write ${minScore * 10}`);
  }
}

/** Two names for one program and model are one judge. */
function identityOf({ kind, command, model }: LoopProvider): string {
  return [kind, command, model ?? ""].join("\n");
}

function findDependence(loop: Loop, findings: Findings): void {
  if (!loop.enforceJudgeIndependence) return;
  const identities = (pieces: readonly LoopPiece[], all: boolean) =>
    new Set(
      pieces.flatMap((piece) => {
        const candidates = candidatesOf(loop, piece);
        return (all ? candidates : candidates.slice(0, 1)).map(identityOf);
      }),
    );
  const judges = loop.pieces.filter(({ role }) => role === "judge");
  const builders = identities(
    loop.pieces.filter(({ role }) => role === "builder"),
    false,
  );
  const opinions = [...identities(judges, true)];
  const usual = [...identities(judges, false)];
  const path = "execution.providers";
  const hint = "give judges a provider of another program or model";
  if (builders.size === 0 || opinions.length === 0) return;
  if (opinions.every((one) => builders.has(one))) {
    const message = "every judge is the program and model that builds, so each of its verdicts is refused";
    findings.fatalRisk("judge-not-independent", "judge-not-independent", path, message, hint);
  } else if (usual.some((one) => builders.has(one))) {
    const message =
      "a judge is first looked for at the program and model that builds, whose verdict is refused";
    findings.risk("judge-not-independent", path, message, hint);
  }
}
