import type { OcpConfiguration, OcpDocument } from "../formats/ocp/index.ts";
import {
  catalogue,
  configurationIdOf,
  type Setting,
  toOcpSettings,
  toOcpWorkflow,
  type Workflow,
  type WorkflowFile,
} from "../formats/workflow/index.ts";
import { modelPath, type WorkflowFacts, workflowFacts } from "../learn/index.ts";

/** A model that can be run here, by which harness and with which efforts. */
export interface Offer {
  readonly harness: string;
  readonly model: string;
  readonly efforts: readonly string[];
}

export type CandidateOrigin = "recorded" | "file" | "catalogue";

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
const MAX_CANDIDATES = 400;
const EFFORT_ORDER = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/** All candidates, each configuration once: recorded ones first, then files, then the catalogue. */
export function candidatesOf(
  documents: readonly OcpDocument[],
  files: readonly WorkflowFile[],
  offers: readonly Offer[],
): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (candidate: Candidate | undefined): void => {
    if (candidate === undefined || found.size >= MAX_CANDIDATES) return;
    const key = likeness(candidate.facts);
    if (!found.has(key)) found.set(key, candidate);
  };
  const offered = new Set(offers.map(({ model }) => model));
  for (const candidate of recorded(documents, offered)) add(candidate);
  for (const file of files) add(fromFile(file, "file"));
  for (const workflow of catalogue()) {
    for (const file of settingsFor(workflow, offers)) add(fromFile(file, "catalogue"));
  }
  return [...found.values()];
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
      const judge = otherFamily(offer, offers);
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

function settingOf({ harness, model }: Offer, effort: string): Setting {
  return { harness, model, effort, contextPolicy: "fresh", options: {} };
}

function otherFamily(offer: Offer, offers: readonly Offer[]): Offer | undefined {
  const own = modelPath(offer.model);
  const others = offers.filter(({ model }) => modelPath(model).family !== own.family);
  return others.find(({ model }) => modelPath(model).provider !== own.provider) ?? others[0];
}

function nearestEffort({ efforts }: Offer, wanted: string): string {
  const place = EFFORT_ORDER.indexOf(wanted);
  const distance = (effort: string) => Math.abs(EFFORT_ORDER.indexOf(effort) - place);
  return efforts.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best), wanted);
}

/** A configuration in a few words: `implement_check · claude-opus-5-5 high`. */
export function nameOf({ facts }: Candidate): string {
  const settings = facts.pieces
    .filter(({ isMechanical }) => !isMechanical)
    .map(({ setting }) =>
      [setting.model ?? setting.harness ?? "?", setting.effort].filter(Boolean).join(" "),
    );
  return `${facts.shape} · ${[...new Set(settings)].join(" + ")}`;
}
