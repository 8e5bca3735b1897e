import type { HarnessRecord } from "../formats/harness/index.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";

export const HARNESS_EXT = "dev.loopwright.harness";

/** The document with what its agents found in their tree, if anything. */
export function withHarness(document: OcpDocument, record: HarnessRecord | undefined): OcpDocument {
  if (record === undefined) return document;
  const { digest, parts } = record;
  const ext = { ...document.run.ext, [HARNESS_EXT]: { digest, parts: { ...parts } } };
  return { ...document, run: { ...document.run, ext } };
}

export interface RecordedPart {
  readonly harness: string;
  readonly part: string;
  /** Of the run's attempts by that harness. */
  readonly share: number;
}

/** Names what shaped the agents of a run; undefined when it has no record. */
export function harnessDigest({ run }: OcpDocument): string | undefined {
  const record = run.ext?.[HARNESS_EXT];
  const digest =
    typeof record === "object" && record !== null && "digest" in record ? record["digest"] : undefined;
  return typeof digest === "string" ? digest : undefined;
}

/** The parts that a run was recorded with; none when it has no record. */
export function recordedParts({ run }: OcpDocument): readonly RecordedPart[] {
  const record = run.ext?.[HARNESS_EXT];
  const parts = typeof record === "object" && record !== null && "parts" in record ? record["parts"] : {};
  return Object.entries(parts ?? {}).flatMap(([harness, names]) =>
    (Array.isArray(names) ? names : []).flatMap((part) =>
      typeof part === "string" ? [{ harness, part, share: 1 }] : [],
    ),
  );
}
