import {
  allShapes,
  buildShape,
  DEFAULT_ROUNDS,
  type Setting,
  type Shape,
  shapeName,
  type Workflow,
  type WorkflowFile,
} from "../formats/workflow/index.ts";
import { nearestEffort, type Offer, otherFamily, settingOf } from "./offer.ts";

const MOST = 6;

/**
 * Everything one step away from a configuration: another model or effort of one piece, one copy or one round more or
 * less, a reviewer or a planner more or less where the shape has such a neighbor.
 */
export function editsOf(file: WorkflowFile, offers: readonly Offer[]): readonly WorkflowFile[] {
  return [...settingEdits(file, offers), ...sizeEdits(file), ...shapeEdits(file, offers)];
}

function settingEdits(file: WorkflowFile, offers: readonly Offer[]): readonly WorkflowFile[] {
  const { settings } = file;
  return Object.entries(settings).flatMap(([piece, setting]) =>
    settingsNear(setting, offers).map((other) => ({ ...file, settings: { ...settings, [piece]: other } })),
  );
}

function settingsNear(setting: Setting, offers: readonly Offer[]): readonly Setting[] {
  if (setting.model === undefined) return [];
  return offers.flatMap((offer) => {
    if (offer.model !== setting.model)
      return [{ ...setting, ...settingOf(offer, nearestEffort(offer, setting.effort)) }];
    return offer.efforts
      .filter((effort) => effort !== setting.effort)
      .map((effort) => ({ ...setting, effort }));
  });
}

function sizeEdits(file: WorkflowFile): readonly WorkflowFile[] {
  const { workflow } = file;
  const widths = workflow.pieces.flatMap(({ id, width }) =>
    near(width, 2).map((other) => ({
      ...file,
      workflow: {
        ...workflow,
        pieces: workflow.pieces.map((piece) => (piece.id === id ? { ...piece, width: other } : piece)),
      },
    })),
  );
  const { control } = workflow;
  const canSendBack = control.gates.some(({ onFail }) => onFail !== undefined);
  const rounds = canSendBack ? near(control.rounds, 1) : [];
  return [
    ...widths,
    ...rounds.map((other) => ({
      ...file,
      workflow: { ...workflow, control: { ...control, rounds: other } },
    })),
  ];
}

/** One more and one less of a number that is at least `least`; a lone copy stays alone. */
function near(count: number, least: number): readonly number[] {
  return count < least ? [] : [count - 1, count + 1].filter((other) => other >= least && other <= MOST);
}

function shapeEdits(file: WorkflowFile, offers: readonly Offer[]): readonly WorkflowFile[] {
  const shape = shapeOf(file.workflow);
  if (shape === undefined) return [];
  const { plan, review } = shape;
  const others: readonly Shape[] = [
    { ...shape, plan: !plan },
    { ...shape, review: !review, rounds: review ? 1 : DEFAULT_ROUNDS },
  ];
  return others.flatMap((other) => {
    const settings = settingsFor(other, file, offers);
    return settings === undefined ? [] : [{ ...file, workflow: buildShape(other), settings }];
  });
}

function shapeOf({ id, pieces, control }: Workflow): Shape | undefined {
  const key = (piece: Workflow["pieces"][number]) => `${piece.id}*${piece.width}`;
  const keys = pieces.map(key).sort().join(" ");
  return allShapes().find(
    (shape) =>
      shapeName(shape) === id &&
      shape.rounds === control.rounds &&
      buildShape(shape).pieces.map(key).sort().join(" ") === keys,
  );
}

/** Pieces keep their settings. A new planner has the worker's; a new reviewer a model of another family. */
function settingsFor(
  shape: Shape,
  { settings }: WorkflowFile,
  offers: readonly Offer[],
): WorkflowFile["settings"] | undefined {
  const worker = settings[shape.middle === "team" ? "work" : "implement"];
  if (worker?.model === undefined) return undefined;
  const judge = otherFamily(worker.model, offers);
  const reviewer = judge === undefined ? worker : settingOf(judge, nearestEffort(judge, worker.effort));
  const made = buildShape(shape).pieces.map(
    ({ id }) => [id, settings[id] ?? (id === "review" ? reviewer : worker)] as const,
  );
  return Object.fromEntries(made);
}
