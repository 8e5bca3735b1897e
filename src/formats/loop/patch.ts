import type { Document } from "yaml";
import type { Json } from "../../core/canonical-json.ts";
import { fail, ok, type Problem, type Result } from "../../core/result.ts";
import { isMarkdown, openLoop } from "./document.ts";
import { convertLoop, yamlText } from "./rewrite.ts";

/** One value of a loop file exchanged. Members of lists are named: `execution.graph.nodes[build].skills`. */
export interface LoopPatch {
  readonly path: string;
  readonly value: Json;
}

export interface PathPart {
  readonly key: string;
  /** Name or id of the member that is meant, where the key holds a list. */
  readonly member?: string;
}

const PART = /^([a-z_][a-z0-9_]*)(?:\[([^\][]+)\])?$/i;

/** Undefined for what is no path. */
export function partsOf(path: string): readonly PathPart[] | undefined {
  const parts = path.split(/\.(?![^[]*\])/).map((text): PathPart | undefined => {
    const [, key, member] = PART.exec(text) ?? [];
    return key === undefined ? undefined : { key, ...(member !== undefined && { member }) };
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

const SPELLINGS: Readonly<Record<string, string>> = { nodes: "pieces", per_node: "per_piece" };

/** The file with the value in its place; what else is written stays as it is, with its comments in YAML. */
export async function patchLoop(text: string, file: string, patch: LoopPatch): Promise<Result<string>> {
  if (!isMarkdown(file)) return patchYaml(text, file, patch);
  const asYaml = await convertLoop(text, file, "yaml");
  if (!asYaml.ok) return firstOf(asYaml.problems);
  const patched = await patchYaml(asYaml.value.text, file.replace(/\.\w+$/, ".yaml"), patch);
  if (!patched.ok) return patched;
  const written = await convertLoop(patched.value, "loop.yaml", "markdown");
  return written.ok ? ok(written.value.text) : firstOf(written.problems);
}

async function patchYaml(text: string, file: string, { path, value }: LoopPatch): Promise<Result<string>> {
  const opened = await openLoop(text, file);
  if (!opened.ok) return firstOf(opened.problems);
  const { document } = opened.value;
  const place = placeIn(document, path);
  if (!place.ok) return place;
  if (!makeRoom(document, place.value)) return fail("bad-input", `${path}: there is a value on the way`);
  document.setIn(place.value, document.createNode(value));
  const written = yamlText(document);
  return written === undefined ? fail("bad-yaml", `${path} cannot be set in ${file}`) : ok(written);
}

/** Fills keys on the way that are written without a value. False where one holds another kind of value. */
function makeRoom(document: Document, place: readonly (string | number)[]): boolean {
  return place.slice(0, -1).every((_key, index) => {
    const above = place.slice(0, index + 1);
    if (!document.hasIn(above)) return true;
    const value = document.getIn(above);
    if (value === null) document.setIn(above, document.createNode({}));
    return value === null || isItems(value);
  });
}

/** Keys and indices of a path in this document. Problem: `bad-input` when it names a member that is not there. */
function placeIn(document: Document, path: string): Result<readonly (string | number)[]> {
  const parts = partsOf(path);
  if (parts === undefined) return fail("bad-input", `${path} is no path of a loop file`);
  const place: (string | number)[] = [];
  for (const { key, member } of parts) {
    const other = SPELLINGS[key];
    const isOther = other !== undefined && document.hasIn([...place, other]);
    place.push(isOther ? other : key);
    if (member === undefined) continue;
    const index = indexOf(document.getIn(place), member);
    if (index === undefined) return fail("bad-input", `${path}: there is no ${member}`);
    place.push(index);
  }
  return ok(place);
}

interface Items {
  readonly items: readonly unknown[];
}

function indexOf(list: unknown, member: string): number | undefined {
  const index = isItems(list)
    ? list.items.findIndex((item) => hasGet(item) && [item.get("id"), item.get("name")].includes(member))
    : -1;
  return index === -1 ? undefined : index;
}

function isItems(value: unknown): value is Items {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items);
}

function hasGet(value: unknown): value is { get(key: string): unknown } {
  return typeof value === "object" && value !== null && "get" in value && typeof value.get === "function";
}

function firstOf(problems: readonly Problem[]): Result<never> {
  const [problem = { code: "bad-yaml", message: "the loop file cannot be written" }] = problems;
  return { ok: false, problem };
}
