/** Contract run files (versions 1 to 3): the nested format that the protocol grew out of. */
import { asList, asMembers, asText, dig, has, type Members, textAt } from "./members.ts";

const MAX_CHARACTERS = 500;
const STATUSES = [
  "queued",
  "working",
  "done",
  "failed",
  "rejected",
  "canceled",
  "settled_unverified",
  "lost",
];
const CAUSES = ["initial", "sent_back", "gate_failed", "followup", "superseded", "other"];
const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max", "1m"];

export function isContract(value: unknown): boolean {
  return has(value, "run") && has(value, "tasks") && !has(value, "ocp");
}

/** The same run as a document of version 0.1. Where an agent ran and whether it lives is dropped. */
export function contractToOcp(contract: Members): Members {
  const tasks = objectsOf(dig(contract, "tasks"));
  const version = dig(contract, "dagr");
  return {
    ocp: "0.1",
    producer: {
      name: "ocp-from-contractv3",
      version: "0.1",
      framework: "herdr-dagr",
      source_contract: `dagr/${typeof version === "number" ? version : 1}`,
      ...texts(contract, { generated_at: "emitted_at" }),
    },
    privacy: { profile: "metadata_only", note: "converted from a contract run file; labels only" },
    run: {
      id: textAt(contract, "run", "id") ?? "unknown-run",
      ...texts(dig(contract, "run"), { title: "title", started_at: "started_at" }),
    },
    groups: objectsOf(dig(contract, "projects")).map((project) =>
      texts(project, { id: "id", title: "title", parent: "parent" }),
    ),
    nodes: tasks.map(nodeOf),
    edges: tasks.flatMap(edgesOf),
    attempts: tasks.flatMap((task) =>
      objectsOf(dig(task, "attempts")).map((attempt, index) => attemptOf(attempt, task, index)),
    ),
    events: objectsOf(dig(contract, "events"))
      .filter((event) => has(event, "at") && has(event, "type"))
      .map(eventOf),
  };
}

function nodeOf(task: Members): Members {
  return {
    ...texts(task, { id: "id", title: "title", project: "group", state: "state" }),
    kind: textAt(task, "kind") ?? "impl",
    ...extension({ "dev.dagr.policy": dig(task, "policy") }),
  };
}

/** What a gate accepts fans in; everything else only comes before. */
function edgesOf(task: Members): readonly Members[] {
  const to = textAt(task, "id");
  const deps = namesOf(dig(task, "deps"));
  const isGate = textAt(task, "kind") === "gate";
  const inputs = isGate ? (has(task, "inputs") ? namesOf(dig(task, "inputs")) : deps) : [];
  const rest = deps.filter((name) => !inputs.includes(name));
  return [
    ...inputs.map((from) => ({ from, to, kind: "fan_in" })),
    ...rest.map((from) => ({ from, to, kind: "dep" })),
  ];
}

function attemptOf(attempt: Members, task: Members, index: number): Members {
  const node = textAt(task, "id") ?? "";
  const n = dig(attempt, "n");
  const state = textAt(attempt, "state") ?? "";
  const model = textAt(attempt, "model");
  const outcome = asMembers(dig(attempt, "outcome"));
  return {
    id: textAt(attempt, "id") ?? `${node}.a${typeof n === "number" ? n : index + 1}`,
    node,
    status: STATUSES.includes(state) ? state : "queued",
    ...(typeof n === "number" && { n }),
    ...texts(attempt, { actor: "actor", started_at: "started_at", ended_at: "ended_at" }),
    ...(model !== undefined && modelOf(model)),
    ...causeOf(attempt),
    ...(outcome !== undefined && {
      outcome: texts(outcome, {
        result: "result",
        evidence: "evidence",
        receipt: "receipt",
        reason: "reason",
      }),
    }),
    ...extension({
      "dev.dagr.chain_key": dig(attempt, "chain_key"),
      "dev.dagr.progress": dig(attempt, "progress"),
    }),
  };
}

/** Labels of that format fuse model family and effort with a middle dot. */
function modelOf(label: string): Members {
  const [family = "", effort = "", ...more] = label.split("\u00b7");
  const raw = cut(label);
  if (more.length > 0 || !EFFORTS.includes(effort)) return { model: { raw } };
  return { model: { raw, family: cut(family) }, effort };
}

function causeOf(attempt: Members): Members {
  const cause = asMembers(dig(attempt, "cause"));
  if (cause === undefined) return {};
  const type = textAt(cause, "type") ?? "";
  return {
    cause: {
      type: CAUSES.includes(type) ? type : "other",
      ...texts(cause, { ref: "ref", by: "by", reason: "reason" }),
    },
  };
}

function eventOf(event: Members): Members {
  return {
    ...texts(event, { at: "at", type: "type", task: "node", attempt: "attempt", detail: "detail" }),
    ...texts(event, has(event, "actor") ? { actor: "actor" } : { by: "actor" }),
    ...extension({ "dev.dagr.verb": dig(event, "verb"), "dev.dagr.message_id": dig(event, "message_id") }),
  };
}

/** The text members named on the left, under the names on the right. */
function texts(value: unknown, names: Readonly<Record<string, string>>): Members {
  const found: Record<string, string> = {};
  for (const [from, to] of Object.entries(names)) {
    const text = textAt(value, from);
    if (text !== undefined) found[to] = cut(text);
  }
  return found;
}

function extension(members: Members): Members {
  const known = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return known.length === 0 ? {} : { ext: Object.fromEntries(known) };
}

function objectsOf(list: unknown): readonly Members[] {
  return (asList(list) ?? []).map(asMembers).filter((item) => item !== undefined);
}

function namesOf(list: unknown): readonly string[] {
  return (asList(list) ?? []).flatMap((item) => asText(item) ?? []);
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : [...text].slice(0, MAX_CHARACTERS).join("");
}
