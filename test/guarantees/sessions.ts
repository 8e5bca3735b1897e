import { kept, type Open, open, type Promised } from "./promises.ts";

const STORE = "test/contract/store.test.ts";
const LEASES = "test/contract/store-leases.test.ts";
const QUEUE = "test/contract/queue.test.ts";
const WRITER = "src/adapters/store-sqlite/writer.test.ts";
const POINTS = "test/crash/points.test.ts";
const ORPHANS = "test/crash/orphans.test.ts";
const DECIDE = "src/run/decide.test.ts";
const PROMPT = "src/run/prompt.test.ts";
const GATE_UNIT = "src/verify/gate.test.ts";
const JUDGEMENT = "src/run/judgement.test.ts";
const FOOLED_STORE = "test/e2e/fooled/store.test.ts";
const LIMITS = "test/e2e/hostile/limits.test.ts";
const SESSIONS = "test/e2e/hostile/sessions.test.ts";
const AGENTS = "test/e2e/hostile/agents.test.ts";
const PROVIDERS_UNIT = "src/adapters/providers/index.test.ts";
const SUMMARIES = "src/run/summaries.test.ts";
const WEBHOOK = "src/adapters/webhook/index.test.ts";

/** What durable sessions are held to. */
export const SESSION_PROMISES: Readonly<Record<string, readonly Promised[]>> = {
  durability: [
    kept(
      "a kill at any statement of dispatch, finish and close costs nothing",
      POINTS,
      "a session that dies at any durable step comes to the same end after resume",
    ),
    kept(
      "state is synced before it is acknowledged",
      WRITER,
      "a commit is synced to the disk before it is acknowledged",
    ),
    kept("events and state commit together", STORE, "events join the chain and the summary moves with them"),
    kept(
      "what agents can write is no truth of the engine",
      FOOLED_STORE,
      "gains nothing by changing the state alone, and the walk shows it",
    ),
    kept("sessions are ordered by number, not by clock", STORE, "sessions are numbered per top level"),
    kept(
      "a holder that lost its lease changes nothing more",
      STORE,
      "a holder whose lease went to another or was released appends nothing more",
    ),
    kept("a checkout has one writer", LEASES, "a checkout has one writer, and a refusal names it"),
    kept(
      "a completion counts once, and only from who holds the work",
      QUEUE,
      "a completion counts once and needs the current fence and assignment",
    ),
    kept(
      "an agent that outlives its coordinator is drained or ended, never doubled",
      ORPHANS,
      "an agent that ended meanwhile is drained, and nothing is done again",
    ),
  ],
  stopping: [
    kept(
      "ties go by declared order",
      "src/run/dispatch-order.test.ts",
      "of pieces that are ready the one with the heaviest chain behind it comes first, else the file's order counts",
    ),
    kept("unknown spend passes no budget silently", DECIDE, "is not brought by a cost that is not known"),
    kept(
      "a stop waits for no agent that does not end",
      SESSIONS,
      "stop --force ends an agent that ignores everything",
    ),
    kept("a pause lets an attempt end and can be gone on from", SESSIONS, "loop pause lets the attempt end"),
    kept("an attempt has a time limit", AGENTS, "prints for ever is timed out, and gone"),
    kept(
      "only a failure that may pass is tried again, after longer and longer waits",
      DECIDE,
      "is tried again after a delay that doubles, as often as the limit says, and then fails the piece",
    ),
    kept(
      "other failures are not tried again in the round",
      DECIDE,
      "of another kind is not tried again in the same round",
    ),
    kept(
      "a loop that changes nothing ends with a reason",
      DECIDE,
      "comes when as many rounds as the limit says bring neither a new tree nor a new answer",
    ),
    kept("a usage limit parks the session", LIMITS, "parks the session, which goes on by itself and once"),
  ],
  verdicts: [
    kept("agents write no verdict", FOOLED_STORE, "is reported as tampering when it writes"),
    kept("a broken judge is no failed work", JUDGEMENT, "are no verdict"),
    kept(
      "a verdict is bound to the tree that it saw",
      GATE_UNIT,
      "reuses a verdict on the same judged tree, and none of a check that measures",
    ),
    kept(
      "nobody grades work of the own family",
      PROVIDERS_UNIT,
      "whoever judges must be of another family, whatever name it goes by",
    ),
    kept(
      "checks are frozen before the work",
      FOOLED_STORE,
      "gains nothing by changing the frozen checks in an old event, and the chain shows it",
    ),
  ],
  context: [
    kept("what an attempt is told besides its goal fits two kilobytes", PROMPT),
    kept(
      "output of checks is told by its end alone",
      PROMPT,
      "of a failing check an attempt is told the end of the output, and no more of it however long it was",
    ),
    kept(
      "earlier rounds cost a few lines",
      SUMMARIES,
      "no more rounds are told than asked for, each within its length",
    ),
    kept(
      "output is capped where it is kept",
      AGENTS,
      "floods stdout is done; we hold little of it in memory and 64 MB on disk",
    ),
  ],
  safety: [
    kept(
      "who starts a loop from outside needs its token",
      WEBHOOK,
      "a call with the token counts once it is whole, under the key of its caller, and is taken once",
    ),
    kept(
      "agents inherit no environment that was not declared",
      PROVIDERS_UNIT,
      "marks of a surrounding agent session and undeclared keys are not passed on",
    ),
    kept(
      "a write barrier is a check on the tree",
      "test/contract/loop-limits.test.ts",
      "a change of what is forbidden ends the session at first sight",
    ),
  ],
};

export const SESSION_OPEN: readonly Open[] = [
  open("credentials are taken out of traces", "streams are kept raw, readable by the user alone"),
  open("a tree of sessions shares one budget", "sessions do not start sessions yet"),
];
