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
