/** Rules about ids that must be unique and references that must lead somewhere. */
import type { Path, Report } from "../finding.ts";
import { asList, dig, type Entity, has, textAt } from "../members.ts";
import type { DocumentIndex } from "./document-index.ts";

const LISTS = ["groups", "nodes", "edges", "attempts", "artifacts", "events"] as const;

/** E104: a top-level list that is present is a list. */
export function checkLists(document: unknown, since02: boolean, report: Report): void {
  for (const name of LISTS) {
    if (name === "artifacts" && !since02) continue;
    if (has(document, name) && asList(dig(document, name)) === undefined) {
      report("E104", [name], `'${name}' must be a list`);
    }
  }
}

/** E100 to E103, at the second occurrence. */
export function checkDuplicates(index: DocumentIndex, since02: boolean, report: Report): void {
  const kinds: readonly (readonly [string, string, readonly Entity[]])[] = [
    ["E100", "node", index.nodes],
    ["E101", "attempt", index.attempts],
    ["E102", "group", index.groups],
    ...(since02 ? ([["E103", "artifact", index.artifacts]] as const) : []),
  ];
  for (const [code, kind, list] of kinds) {
    const seen = new Set<string>();
    for (const { id, path } of list) {
      if (id === undefined) continue;
      if (seen.has(id)) report(code, [...path, "id"], `duplicate ${kind} id '${id}'`);
      seen.add(id);
    }
  }
}

/** E115: the group a node belongs to exists. */
export function checkNodeGroups(index: DocumentIndex, report: Report): void {
  for (const { value, path } of index.nodes) {
    const group = textAt(value, "group");
    if (group !== undefined && !index.groupIds.has(group)) {
      report("E115", [...path, "group"], `no group '${group}'`);
    }
  }
}

/** E120, E121: group parents exist and have no cycle. */
export function checkGroupParents(index: DocumentIndex, report: Report): void {
  const parents = new Map<string, string>();
  for (const { id, value, path } of index.groups) {
    const parent = textAt(value, "parent");
    if (parent === undefined) continue;
    if (!index.groupIds.has(parent)) report("E120", [...path, "parent"], `no group '${parent}'`);
    else if (id !== undefined && !parents.has(id)) parents.set(id, parent);
  }
  const cleared = new Set<string>();
  for (const start of parents.keys()) {
    const chain = new Set<string>();
    let here: string | undefined = start;
    while (here !== undefined && !cleared.has(here) && !chain.has(here)) {
      chain.add(here);
      here = parents.get(here);
    }
    if (here !== undefined && chain.has(here)) {
      report("E121", ["groups"], `group parents form a cycle through '${here}'`);
      return;
    }
    for (const id of chain) cleared.add(id);
  }
}

/** E113, E114, W150: events name what exists and come in order of time. */
export function checkEvents(index: DocumentIndex, report: Report): void {
  let previousMs = Number.NaN;
  for (const { value, path } of index.events) {
    const node = textAt(value, "node");
    const attempt = textAt(value, "attempt");
    if (node !== undefined && !index.nodeIds.has(node)) {
      report("E113", [...path, "node"], `no node '${node}'`);
    }
    if (attempt !== undefined && !index.attemptsById.has(attempt)) {
      report("E114", [...path, "attempt"], `no attempt '${attempt}'`);
    }
    const atMs = Date.parse(textAt(value, "at") ?? "");
    if (atMs < previousMs) report("W150", [...path, "at"], "earlier than the event before it");
    previousMs = atMs;
  }
}

/** E181: retired extension prefixes; W182: the old one. The payload below an `ext` key is not entered. */
export function checkExtensionPrefixes(document: unknown, since03: boolean, report: Report): void {
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value: document, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value).reverse()) {
      if (isList || key !== "ext") open.push({ value: member, path: [...path, isList ? Number(key) : key] });
    }
    if (!isList && has(value, "ext")) prefixes(dig(value, "ext"), [...path, "ext"], since03, report);
  }
}

function prefixes(ext: unknown, path: Path, since03: boolean, report: Report): void {
  if (typeof ext !== "object" || ext === null || Array.isArray(ext)) return;
  for (const key of Object.keys(ext)) {
    if (key.startsWith("dagr.") || key.startsWith("ocp.")) {
      report("E181", [...path, key], `'${key}' uses a retired prefix`);
    }
    if (since03 && key.startsWith("dev.dagr.")) {
      report("W182", [...path, key], `'${key}' uses the old namespace dev.dagr.`);
    }
  }
}
