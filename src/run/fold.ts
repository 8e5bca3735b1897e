import { assertNever, InvariantError } from "../core/result.ts";
import type { DatedEvent, EventOf } from "./events.ts";
import { attemptEnded, dispatched, integrated, spawned, withAttempt } from "./fold-attempts.ts";
import { gateEvaluated, verdictRead, withPiece } from "./fold-gates.ts";
import { isOutcome } from "./lifecycle.ts";
import { emptyState, type SessionState } from "./state.ts";

/** State is a fold of the ledger: replaying the chain gives what the live process had. */
export function fold(events: Iterable<DatedEvent>, from?: SessionState): SessionState | undefined {
  let state = from;
  for (const event of events) state = step(state, event);
  return state;
}

/** One event applied. Pure and total over the closed list of events. */
export function step(state: SessionState | undefined, event: DatedEvent): SessionState {
  if (state === undefined) {
    if (event.type !== "session:created") throw new InvariantError(`a chain starts with ${event.type}`);
    return emptyState(event.data.spec, event.at, event.data.facts);
  }
  return { ...apply(state, event), updatedAt: event.at };
}

function apply(state: SessionState, event: DatedEvent): SessionState {
  switch (event.type) {
    case "session:created":
      throw new InvariantError("a chain has one session:created");
    case "session:moved":
      return moved(state, event);
    case "session:resumed":
      return resumed(state, event);
    case "session:recovered":
      return recovered(state, event.at);
    case "session:parked":
      return {
        ...pauseClock(state, event.at),
        wait: { until: event.data.until, why: event.data.why },
        parks: state.parks + 1,
      };
    case "session:unparked":
      return { ...omit(state, "wait"), runningSince: event.at };
    case "session:stopped":
      return { ...pauseClock(state, event.at), stopped: event.data.reason };
    case "session:tampered":
      return { ...state, satisfied: false, notices: [...state.notices, `tampering: ${event.data.detail}`] };
    case "baseline:recorded": {
      const { state: color, level, notes, checks } = event.data.baseline;
      return { ...state, baseline: { state: color, level, notes, checks } };
    }
    case "iteration:started":
      return { ...state, iteration: event.data.iteration };
    case "iteration:perturbed": {
      const { iteration, how } = event.data;
      const told = how.choice === "reframe" ? `: ${how.directive}` : "";
      return {
        ...state,
        perturbations: [...(state.perturbations ?? []), { iteration, how }],
        notices: [
          ...state.notices,
          `iteration ${iteration} is worked on in another way: ${how.choice}${told}`,
        ],
      };
    }
    case "piece:skipped":
      return skipped(state, event.data);
    case "attempt:dispatched":
      return dispatched(state, event);
    case "attempt:starting": {
      const { attempt, nonce, dir, workDir, agentSession } = event.data;
      return withAttempt(state, attempt, {
        phase: "starting",
        nonce,
        dir,
        workDir,
        startedAt: event.at,
        ...(agentSession === null ? {} : { agentSession }),
      });
    }
    case "attempt:spawned":
      return spawned(state, event.data);
    case "attempt:ended":
      return attemptEnded(state, event.data, event.at);
    case "workspace:noticed":
      return { ...state, notices: [...state.notices, noticeLine(event)] };
    case "work:integrated":
      return integrated(state, event);
    case "work:rolled-back":
      return rolledBack(state, event.data);
    case "work:delivered":
      return { ...state, delivered: event.data };
    case "gate:started":
      return {
        ...withPiece(state, event.data.piece, { state: "working", attempt: null }),
        currentTree: event.data.tree,
        gateStartedAt: event.at,
      };
    case "gate:evaluated":
      return gateEvaluated(state, event);
    case "gate:failed":
      return withPiece(state, event.data.piece, { state: "broken", problem: event.data.problem });
    case "verdict:read":
      return verdictRead(state, event);
    case "gate:canceled":
      return withPiece(state, event.data.piece, { state: "pending" });
    case "alert:raised":
      return {
        ...state,
        alerts: [...(state.alerts ?? []), event.data.alert],
        notices: [...state.notices, `alert ${event.data.alert}: ${event.data.message}`],
      };
    case "goal:satisfied":
      return { ...state, satisfied: true, satisfiedTree: event.data.tree, verdictNow: "satisfied" };
    case "goal:revoked":
      return { ...state, satisfied: false, verdictNow: "revoked" };
    case "person:asked":
      return {
        ...pauseClock(state, event.at),
        question: { ...event.data, askedAt: event.at },
      };
    case "person:answered": {
      const answers = { ...state.answers, [event.data.id]: event.data.answer };
      return { ...omit(state, "question"), answers };
    }
    case "rule:answered":
      return ruleAnswered(state, event.data);
    case "command:accepted":
      return commandAccepted(state, event);
    case "command:refused":
      return { ...state, handledCommands: [...state.handledCommands, event.data.command] };
    case "memory:kept":
      return state;
    case "record:written":
      return { ...state, record: event.data };
    default:
      return assertNever(event);
  }
}

function rolledBack(
  state: SessionState,
  { iteration, to, rules }: EventOf<"work:rolled-back">["data"],
): SessionState {
  const why = rules.length === 0 ? "" : `: ${rules.join(", ")}`;
  return {
    ...state,
    pieces: withoutWorkOf(state, iteration),
    currentTree: to,
    undone: { iteration, rules },
    notices: [...state.notices, `iteration ${iteration} was undone${why}`],
  };
}

/** What was done in a round that is undone is to be done again, also what a gate had let pass. */
function withoutWorkOf(state: SessionState, iteration: number): SessionState["pieces"] {
  const worked = new Set(
    [...state.attempts, ...state.gates, ...state.verdicts].flatMap((one) =>
      one.iteration === iteration ? [one.piece] : [],
    ),
  );
  return Object.fromEntries(
    Object.entries(state.pieces).map(([id, piece]) => [
      id,
      piece.state === "succeeded" && worked.has(id) ? ({ state: "pending" } as const) : piece,
    ]),
  );
}

function ruleAnswered(
  state: SessionState,
  { rule, holds, statement }: EventOf<"rule:answered">["data"],
): SessionState {
  const open = state.question?.id === rule ? omit(state, "question") : state;
  const notices = holds ? state.notices : [...state.notices, ruleLine(rule, statement)];
  return { ...open, answers: { ...state.answers, [rule]: "approve" }, notices };
}

function ruleLine(rule: string, statement: string): string {
  return `rule ${rule} does not hold: ${statement}`;
}

function skipped(
  state: SessionState,
  { piece, because, stands }: EventOf<"piece:skipped">["data"],
): SessionState {
  if (stands === undefined) return withPiece(state, piece, { state: "skipped", because });
  const told = { ...state, notices: [...state.notices, `${piece} is not sent back again: ${because}`] };
  return withPiece(told, piece, { state: "succeeded", attempt: stands });
}

function moved(state: SessionState, event: EventOf<"session:moved"> & { readonly at: string }): SessionState {
  const to = event.data.to;
  if (isOutcome(to)) return { ...pauseClock(state, event.at), lifecycle: to, outcome: to };
  if (to === "validating")
    return {
      ...omit(omit(omit(state, "outcome"), "stopped"), "stopAsked"),
      answers: withoutRefusals(state),
      lifecycle: to,
      outOfService: {},
    };
  if (to === "running") return { ...state, lifecycle: to, runningSince: state.runningSince ?? event.at };
  return { ...state, lifecycle: to };
}

/** A rule that a person has said no to is asked again when the session is taken up again. */
function withoutRefusals({ answers, spec }: SessionState): SessionState["answers"] {
  const isRule = (id: string): boolean => spec.approvals.some((rule) => rule.id === id);
  return Object.fromEntries(
    Object.entries(answers).filter(([id, answer]) => answer !== "refuse" || !isRule(id)),
  );
}

/** The time between the last event of the dead process and now was not spent running. */
function recovered(state: SessionState, at: string): SessionState {
  const idle = { ...state, pieces: withoutGatesAtWork(state) };
  if (state.runningSince === undefined) return idle;
  return { ...pauseClock(idle, state.updatedAt), runningSince: at };
}

/** A gate dies with the process that evaluated it; it is due again. */
function withoutGatesAtWork(state: SessionState): SessionState["pieces"] {
  return Object.fromEntries(
    Object.entries(state.pieces).map(([id, piece]) => [
      id,
      piece.state === "working" && piece.attempt === null ? ({ state: "pending" } as const) : piece,
    ]),
  );
}

/**
 * After a crash the iteration goes on as if nothing had been. A session that was stopped keeps what was done in the
 * present iteration; what failed or was skipped is due again, and after a gate that had said no for the last time,
 * what it judged.
 */
function resumed(
  state: SessionState,
  event: EventOf<"session:resumed"> & { readonly at: string },
): SessionState {
  const limits = { ...state.limits, ...event.data.limits };
  const clock = state.wait === undefined ? {} : { runningSince: event.at };
  const next = { ...omit(state, "wait"), ...clock, limits };
  return state.lifecycle === "validating" ? { ...next, pieces: dueAgain(state), staleIterations: 0 } : next;
}

function dueAgain(state: SessionState): SessionState["pieces"] {
  const sentBack = new Set(
    state.spec.pieces.flatMap((piece) => {
      if (piece.kind === "agent") return [];
      const own = state.pieces[piece.id]?.state;
      if (piece.kind === "verdict" && own === "broken") return [piece.of];
      return own === "failed" ? piece.onFail.sendBack : [];
    }),
  );
  return Object.fromEntries(
    Object.entries(state.pieces).map(([id, piece]) => {
      const stays = (piece.state === "succeeded" && !sentBack.has(id)) || piece.state === "working";
      return [id, stays ? piece : ({ state: "pending" } as const)];
    }),
  );
}

function commandAccepted(state: SessionState, event: EventOf<"command:accepted">): SessionState {
  const next = { ...state, handledCommands: [...state.handledCommands, event.data.command] };
  const { kind, payload } = event.data;
  if (kind === "stop") {
    const how = payload["force"] === true ? "force" : "boundary";
    return { ...next, stopAsked: { how, by: String(payload["by"] ?? "stop") } };
  }
  if (kind === "update") return { ...next, steering: [...state.steering, String(payload["text"] ?? "")] };
  return next;
}

function pauseClock(state: SessionState, at: string): SessionState {
  if (state.runningSince === undefined) return state;
  const ran = Math.max(0, Date.parse(at) - Date.parse(state.runningSince));
  return { ...omit(state, "runningSince"), runningMs: state.runningMs + ran };
}

function omit<K extends "wait" | "question" | "outcome" | "stopped" | "stopAsked" | "runningSince">(
  state: SessionState,
  key: K,
): SessionState {
  const { [key]: _gone, ...rest } = state;
  return rest as SessionState;
}

function noticeLine(event: EventOf<"workspace:noticed">): string {
  const notice = event.data;
  switch (notice.notice) {
    case "protected-touched":
      return `protected paths touched: ${notice.paths.join(", ")}`;
    case "user-edit":
      return `your edits were kept: ${notice.paths.join(", ")}`;
    case "repository-changed":
      return `the repository itself was changed: ${notice.what.join(", ")}`;
    case "forbidden-touched":
      return `forbidden paths touched: ${notice.paths.join(", ")}`;
    case "command-refused":
      return `forbidden commands were refused: ${notice.commands.join(", ")}`;
    case "rule":
      return ruleLine(notice.rule, notice.statement);
    case "skipped":
      return `not part of the tree: ${notice.paths.join(", ")}`;
    default:
      return assertNever(notice);
  }
}
