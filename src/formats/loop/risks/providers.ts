import type { Findings } from "../findings.ts";
import type { LoopPaths } from "../grammar.ts";
import { candidatesOf } from "../routing.ts";
import type { Loop, LoopProvider } from "../types.ts";

/** Providers that cannot answer, and skills that nobody looked at. */
export function findProviderRisks(loop: Loop, { piecesPath }: LoopPaths, findings: Findings): void {
  for (const [index, provider] of loop.providers.entries()) {
    findCommandRisks(provider, `execution.providers.providers[${index}]`, findings);
  }
  for (const [index, piece] of loop.pieces.entries()) {
    if (loop.providers.length === 0 || candidatesOf(loop, piece).length > 0) continue;
    const path = `${piecesPath}[${index}].tier`;
    const message = `no provider serves the tier ${piece.tier} of piece "${piece.id}"`;
    findings.fatalRisk(
      "tier-nobody-serves",
      "unknown-provider",
      path,
      message,
      "add it to the tiers of a provider, or pin one with `provider:`",
    );
  }
  findSkillRisks(loop, findings);
}

function findCommandRisks({ command, args }: LoopProvider, path: string, findings: Findings): void {
  const at = args.findIndex((word) => /\$\{?[A-Za-z_]\w*/.test(word));
  if (at >= 0) {
    findings.risk(
      "shell-variable-in-arguments",
      `${path}.args[${at}]`,
      "there is no shell here, so the program gets the name of the variable instead of its value",
      "let a script of yours read the variable",
    );
  }
  if (/^[A-Za-z][\w.-]*\s/.test(command)) {
    findings.risk(
      "arguments-in-command",
      `${path}.command`,
      `"${command}" is taken for the name of one program, spaces and all`,
      "leave the program there and put the other words into args, one each",
    );
  }
  const isCurl = /(^|\/)curl(\.exe)?$/.test(command);
  const canFail = args.some(
    (word) => /^--fail(-with-body)?$/.test(word) || /^-[A-Za-z]*f[A-Za-z]*$/.test(word),
  );
  if (isCurl && !canFail) {
    findings.risk(
      "error-taken-for-an-answer",
      `${path}.args`,
      "curl exits 0 on an error page, which is then taken for the answer",
      "add --fail-with-body",
    );
  }
}

function findSkillRisks({ skills }: Loop, findings: Findings): void {
  const path = "execution.skills";
  if (!skills.requireHumanPromotion) {
    const hint = "leave it true";
    const message = "a fetched skill would be used before a person has looked at it";
    findings.risk("skill-nobody-looked-at", `${path}.require_human_promotion`, message, hint);
  }
  if (skills.minMarketplaceStars === 0 && skills.acquisitionOrder.includes("marketplace")) {
    const message = "any skill of the marketplace would do";
    findings.risk("skill-nobody-looked-at", `${path}.min_marketplace_stars`, message, "ask for some");
  }
}
