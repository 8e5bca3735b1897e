import type { OcpConfiguration, OcpDocument } from "../formats/ocp/index.ts";
import {
  catalogue,
  configurationIdOf,
  fromOcp,
  type Setting,
  toOcpSettings,
  toOcpWorkflow,
  type Workflow,
  type WorkflowFile,
} from "../formats/workflow/index.ts";
import { type WorkflowFacts, workflowFacts } from "../learn/index.ts";
import { editsOf } from "./edits.ts";
import { nearestEffort, type Offer, otherFamily, settingOf } from "./offer.ts";

export type CandidateOrigin = "recorded" | "file" | "edit" | "catalogue";

/** A configuration that could be recommended. */
export interface Candidate {
  readonly id: string;
  readonly origin: CandidateOrigin;
  readonly configuration: OcpConfiguration;
  readonly facts: WorkflowFacts;
  /** It names a model that is not offered: its runs are data, and it can be what runs now, but it is never picked. */
  readonly isRetired: boolean;
}

const MAX_RECORDED = 60;
/** Every edit is weighed at each question, so only the ways that are used most have theirs. */
const MAX_EDITED = 6;
const MAX_EDITS = 120;
const MAX_CANDIDATES = 400;

/**
 * All candidates, each configuration once: recorded ones first, then files, then what is one step from what runs now
 * and from the recorded ones, then the catalogue.
 */
export function candidatesOf(
  documents: readonly OcpDocument[],
  files: readonly WorkflowFile[],
  offers: readonly Offer[],
  currentId?: string,
): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (candidate: Candidate | undefined): void => {
    if (candidate === undefined || found.size >= MAX_CANDIDATES) return;
    const key = likeness(candidate.facts);
    if (!found.has(key)) found.set(key, candidate);
  };
  const offered = new Set(offers.map(({ model }) => model));
  const own = recorded(documents, offered);
  for (const candidate of own) add(candidate);
  for (const file of files) add(fromFile(file, "file"));
  for (const file of edits(own, offers, currentId)) add(fromFile(file, "edit"));
  for (const workflow of catalogue()) {
    for (const file of settingsFor(workflow, offers)) add(fromFile(file, "catalogue"));
  }
  return [...found.values()];
}

/** One step from what runs now, then from the others in the order of their use. */
function edits(
  own: readonly Candidate[],
  offers: readonly Offer[],
  currentId: string | undefined,
): readonly WorkflowFile[] {
  const current = own.filter(({ id }) => id === currentId);
  const bases = [...current, ...own.filter(({ id }) => id !== currentId)].slice(0, MAX_EDITED);
  const offered = new Set(offers.map(({ model }) => model));
  return bases
    .flatMap(({ configuration }) => {
      const file = fromOcp(configuration, new WeakMap());
      return file === undefined ? [] : editsOf(file, offers);
    })
    .filter(({ settings }) =>
      Object.values(settings).every(({ model }) => model === undefined || offered.has(model)),
    )
    .slice(0, MAX_EDITS);
}

/** The user's own configurations, most used first. */
function recorded(documents: readonly OcpDocument[], offered: ReadonlySet<string>): readonly Candidate[] {
  const uses = new Map<string, { count: number; candidate: Candidate }>();
  for (const { run } of documents) {
    const { configuration } = run;
    const facts = workflowFacts(configuration);
    const id = configuration?.id;
    if (configuration === undefined || facts === undefined || id === undefined) continue;
    const isRetired = facts.pieces.some(
      ({ setting: { model } }) => model !== undefined && !offered.has(model),
    );
    const candidate: Candidate = { id, origin: "recorded", configuration, facts, isRetired };
    const known = uses.get(id) ?? { count: 0, candidate };
    known.count += 1;
    uses.set(id, known);
  }
  return [...uses.values()]
    .sort((a, b) => b.count - a.count || (a.candidate.id < b.candidate.id ? -1 : 1))
    .slice(0, MAX_RECORDED)
    .map(({ candidate }) => candidate);
}

function fromFile(file: WorkflowFile, origin: CandidateOrigin): Candidate | undefined {
  const configuration: OcpConfiguration = {
    workflow: toOcpWorkflow(file.workflow),
    settings: toOcpSettings(file.settings),
  };
  const facts = workflowFacts(configuration);
  if (facts === undefined) return undefined;
  let id: string | undefined;
  return {
    get id() {
      id ??= configurationIdOf(file) ?? `cfg_${likeness(facts)}`;
      return id;
    },
    origin,
    configuration,
    facts,
    isRetired: false,
  };
}

/** Equal for configurations that the learner cannot tell apart. */
function likeness(facts: WorkflowFacts): string {
  return JSON.stringify([facts.shape, facts.rounds, facts.pieces, facts.gates]);
}

const JUDGES = ["reviewer", "referee"];
const COMMAND: Setting = { harness: "command", effort: "default", contextPolicy: "fresh", options: {} };

/** Working pieces share one setting; a reviewer has a model of another family, of another maker if there is one. */
function settingsFor(workflow: Workflow, offers: readonly Offer[]): readonly WorkflowFile[] {
  return offers.flatMap((offer) =>
    offer.efforts.map((effort): WorkflowFile => {
      const judge = otherFamily(offer.model, offers);
      const settings = Object.fromEntries(
        workflow.pieces.map(({ id, role }) => {
          if (role === "tester") return [id, COMMAND];
          const isJudge = judge !== undefined && JUDGES.includes(role ?? "");
          return [id, isJudge ? settingOf(judge, nearestEffort(judge, effort)) : settingOf(offer, effort)];
        }),
      );
      return { workflow, settings, numbers: new WeakMap() };
    }),
  );
}

/** A configuration in a few words: `implement_check · claude-opus-5-5 high`. */
export function nameOf({ facts }: Pick<Candidate, "facts">): string {
  const settings = facts.pieces
    .filter(({ isMechanical }) => !isMechanical)
    .map(({ setting }) =>
      [setting.model ?? setting.harness ?? "?", setting.effort].filter(Boolean).join(" "),
    );
  return `${facts.shape} · ${[...new Set(settings)].join(" + ")}`;
}
