import type { Fields } from "./fields.ts";
import {
  type LoopDefaultSkill,
  type LoopMemory,
  type LoopNamespace,
  type LoopSkills,
  type MemoryNamespace,
  type Promotion,
  QUARANTINE_DIR,
  SKILL_SOURCES,
  TRUST_LEVELS,
} from "./policy-types.ts";

/** A namespace that is written in part keeps its own defaults for the rest. */
const NAMESPACE_DEFAULTS: Readonly<
  Record<MemoryNamespace, { readonly promotion: Promotion["rule"]; readonly requireProvenance: boolean }>
> = {
  episodic: { promotion: "never", requireProvenance: false },
  semantic: { promotion: "repeated_validation", requireProvenance: true },
  procedural: { promotion: "repeated_validation", requireProvenance: true },
  failure: { promotion: "automatic", requireProvenance: true },
};

export function readMemory(fields: Fields): LoopMemory {
  const summaryProvider = fields.optionalText("summary_provider");
  return {
    carrySummaries: fields.whole("carry_summaries", 2),
    ...(summaryProvider !== undefined && { summaryProvider }),
    maxSummaryChars: fields.whole("max_summary_chars", 1200),
    maxRetrieved: fields.whole("max_retrieved", 10),
    namespaces: fields.map("namespaces", readNamespaces),
  };
}

function readNamespaces(fields: Fields): LoopMemory["namespaces"] {
  const read = (name: MemoryNamespace) => fields.map(name, (namespace) => readNamespace(namespace, name));
  return {
    episodic: read("episodic"),
    semantic: read("semantic"),
    procedural: read("procedural"),
    failure: read("failure"),
  };
}

function readNamespace(fields: Fields, name: MemoryNamespace): LoopNamespace {
  const defaults = NAMESPACE_DEFAULTS[name];
  const retentionDays = fields.optional("retention_days", (key) => fields.whole(key));
  return {
    isEnabled: fields.flag("enabled", true),
    ...(retentionDays !== undefined && { retentionDays }),
    minConfidence: fields.number("min_confidence", 0.75, { atLeast: 0, atMost: 1 }),
    requireProvenance: fields.flag("require_provenance", defaults.requireProvenance),
    promotion: fields.map("promotion", (promotion) => readPromotion(promotion, defaults.promotion)),
  };
}

function readPromotion(fields: Fields, fallback: Promotion["rule"]): Promotion {
  return fields.variant<Promotion["rule"], Promotion>(
    "rule",
    {
      never: () => ({ rule: "never" }),
      automatic: () => ({ rule: "automatic" }),
      repeated_validation: (repeated) => ({
        rule: "repeated_validation",
        times: repeated.whole("times", 3),
      }),
      human_approval: () => ({ rule: "human_approval" }),
    },
    fallback,
  );
}

export function readSkills(fields: Fields): LoopSkills {
  return {
    acquisitionOrder: fields.words("acquisition_order", SKILL_SOURCES, SKILL_SOURCES),
    quarantineDir: fields.text("quarantine_dir", QUARANTINE_DIR),
    minMarketplaceStars: fields.whole("min_marketplace_stars", 100),
    requireHumanPromotion: fields.flag("require_human_promotion", true),
    explore: fields.flag("explore", false),
    exploreCandidates: fields.texts("explore_candidates"),
    minTrials: fields.whole("min_trials", 3),
    minTrustLevel: fields.word("min_trust_level", TRUST_LEVELS, "reviewed"),
    requireChecksum: fields.flag("require_checksum", false),
    allowExternalSideEffects: fields.flag("allow_external_side_effects", false),
  };
}

export function readDefaultSkill(fields: Fields): LoopDefaultSkill {
  const url = fields.optionalText("url");
  const initCommand = fields.optionalText("init_command");
  const note = fields.optionalText("note");
  const checksum = fields.optionalText("checksum");
  const source = fields.word("source", ["marketplace", "github", "git", "local"], "marketplace");
  return {
    name: fields.text("name"),
    source: source === "git" ? "github" : source,
    ...(url !== undefined && { url }),
    ...(initCommand !== undefined && { initCommand }),
    ...(note !== undefined && { note }),
    ...(checksum !== undefined && { checksum }),
    trustLevel: fields.word("trust_level", TRUST_LEVELS, "untrusted"),
  };
}
