import { fail, ok, type Result } from "../core/result.ts";
import {
  asOcpDocument,
  migrateOcp,
  type NumberTexts,
  type OcpDocument,
  type OcpReport,
  validateOcp,
} from "../formats/ocp/index.ts";
import { inferConfiguration } from "../formats/workflow/index.ts";

/** A foreign document that may be stored. */
export interface Intake {
  readonly document: OcpDocument;
  readonly numbers: NumberTexts;
  /** The text to store: as it came when nothing had to change. */
  readonly text: string;
  /** The older version it came in, if any. */
  readonly migratedFrom?: string;
}

/** No document of one run is larger; reading it would only exhaust memory. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Reads one run document of whoever's making: older versions are migrated. Refused with `ocp-invalid` or `bad-json`:
 * text that is not JSON, deep nesting, a key written twice, `__proto__`, lone surrogates, ids and paths that climb with
 * `..`, and every breach of a rule.
 */
export function readForeign(bytes: Uint8Array): Result<Intake> {
  const report = validateOcp(bytes, { lints: false });
  if (report.value === undefined) return broken(report);
  const hostile = hostileIn(report);
  if (hostile !== undefined) return fail("ocp-invalid", hostile.message, { at: hostile.at });
  const document = asOcpDocument(report);
  if (document !== undefined && report.numbers !== undefined)
    return ok({ document, numbers: report.numbers, text: TEXT.decode(bytes) });
  return report.ocp === "0.3" ? broken(report) : migrated(bytes);
}

const TEXT = new TextDecoder();

function migrated(bytes: Uint8Array): Result<Intake> {
  const migration = migrateOcp(bytes, inferConfiguration);
  if (!migration.ok) return migration;
  const { text, from, report } = migration.value;
  const document = asOcpDocument(report);
  if (document === undefined || report.numbers === undefined) return broken(report);
  return ok({ document, numbers: report.numbers, text, migratedFrom: from });
}

function broken({ findings }: OcpReport): Result<never> {
  const errors = findings.filter(({ level }) => level === "error");
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more; see \`loopwright ocp validate\`)` : "";
  return fail(
    first?.code === "E001" ? "bad-json" : "ocp-invalid",
    `${first?.code ?? "E010"} ${first?.message ?? "the document breaks a rule"}${more}`,
    first === undefined ? {} : { at: first.path },
  );
}

interface Hostile {
  readonly message: string;
  readonly at: string;
}

/** What a rule of the protocol allows and no honest producer writes. */
function hostileIn({ value, duplicates = [] }: OcpReport): Hostile | undefined {
  const [twice] = duplicates;
  if (twice !== undefined)
    return { message: `the key "${String(twice.at(-1))}" is written twice`, at: `/${twice.join("/")}` };
  const odd = oddText(value);
  if (odd !== undefined) return { message: odd.message, at: `/${odd.path.reverse().join("/")}` };
  return climbing(value);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const CLIMBS = /(^|[/\\])\.\.([/\\]|$)/;

/** With the path from the inside out. Depth is bounded: the reader refused deeper text. */
function oddText(value: unknown): { readonly message: string; readonly path: string[] } | undefined {
  if (typeof value === "string") {
    return LONE_SURROGATE.test(value)
      ? { message: "half of a surrogate pair in a text", path: [] }
      : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") return { message: "a member called __proto__", path: [key] };
    if (LONE_SURROGATE.test(key)) return { message: "half of a surrogate pair in a key", path: [] };
    const found = oddText(member);
    if (found !== undefined) {
      found.path.push(key);
      return found;
    }
  }
  return undefined;
}

/** A tool may take an id or a path for the name of a file. */
function climbing(value: unknown): Hostile | undefined {
  const { run, artifacts } = membersOf(value);
  const names: (readonly [string, unknown])[] = [["/run/id", membersOf(run)["id"]]];
  for (const [index, artifact] of (Array.isArray(artifacts) ? artifacts : []).entries()) {
    const { id, path } = membersOf(artifact);
    names.push([`/artifacts/${index}/id`, id], [`/artifacts/${index}/path`, path]);
  }
  const bad = names.find(([, name]) => typeof name === "string" && CLIMBS.test(name));
  return bad && { message: `"${String(bad[1]).slice(0, 80)}" climbs out with ..`, at: bad[0] };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
