import type { Loop, LoopPiece, LoopProvider } from "./types.ts";

/**
 * Who may do a piece, in order: the pinned provider alone; else the tier's cascade; else those that name the tier or
 * no tier at all.
 */
export function candidatesOf(
  { providers, cascade }: Pick<Loop, "providers" | "cascade">,
  { provider, tier }: Pick<LoopPiece, "provider" | "tier">,
): readonly LoopProvider[] {
  const named = provider === undefined ? cascade[tier] : [provider];
  if (named !== undefined) {
    return named.flatMap((id) => providers.filter((one) => one.id === id).slice(0, 1));
  }
  return providers.filter(({ tiers }) => tiers.length === 0 || tiers.includes(tier));
}

/**
 * Whether we drive the program ourselves and read what it reports. A template that places the prompt itself is a command,
 * whatever its kind says.
 */
export function isDriven<P extends Pick<LoopProvider, "kind" | "args">>(
  provider: P,
): provider is P & { readonly kind: "claude_code" | "codex" } {
  const { kind, args } = provider;
  return (kind === "claude_code" || kind === "codex") && !args.some((word) => word.includes("{prompt}"));
}
