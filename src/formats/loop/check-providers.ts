import { checkPattern } from "./check-checks.ts";
import type { Findings } from "./findings.ts";
import type { LoopPaths } from "./grammar.ts";
import { candidatesOf } from "./routing.ts";
import type { Loop } from "./types.ts";

const PATH = "execution.providers";

/** Rules about who does the work. */
export function checkProviders(loop: Loop, paths: LoopPaths, findings: Findings): void {
  const { providers } = loop;
  if (providers.length === 0) {
    findings.warn(PATH, "no provider is named");
    return;
  }
  const path = (index: number) => `${PATH}.providers[${index}]`;
  findings.unique(
    providers.map(({ id }) => id),
    (index) => `${path(index)}.id`,
  );
  for (const [index, provider] of providers.entries()) {
    if (provider.command.trim() === "") findings.rule(`${path(index)}.command`, "must not be blank");
    if (provider.usageRegex !== undefined) {
      checkPattern(provider.usageRegex, `${path(index)}.usage_regex`, findings);
    }
  }
  for (const [tier, ids] of Object.entries(loop.cascade)) {
    for (const [at, id] of ids.entries()) {
      if (providers.some((provider) => provider.id === id)) continue;
      findings.rule(`${PATH}.cascade.${tier}[${at}]`, `no provider "${id}"`, undefined, "unknown-provider");
    }
  }
  if (loop.enforceJudgeIndependence && new Set(providers.map(({ id }) => id)).size < 2) {
    findings.warn(PATH, "with one provider no judge is independent of the builder");
  }
  warnUnreachable(loop, paths, findings);
}

/** A model behind a network cannot be asked from a container without one. */
function warnUnreachable(loop: Loop, { piecesPath }: LoopPaths, findings: Findings): void {
  for (const [index, piece] of loop.pieces.entries()) {
    if (piece.isolation.mode !== "container" || piece.isolation.network) continue;
    const remote = candidatesOf(loop, piece).filter(({ kind }) => kind !== "ollama");
    if (remote.length === 0) continue;
    const ids = remote.map(({ id }) => id).join(", ");
    findings.warn(
      `${piecesPath}[${index}].isolation.network`,
      `a container without a network cannot reach ${ids}`,
      "set `network: true`, or pin a local provider",
    );
  }
}
