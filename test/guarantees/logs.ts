import { kept, type Promised } from "./promises.ts";

const CLAUDE = "src/logs/claude-code/usage.test.ts";
const CLAUDE_STREAM = "src/logs/claude-code/stream.test.ts";
const CODEX = "src/logs/codex/usage.test.ts";
const CODEX_STREAM = "src/logs/codex/stream.test.ts";
const PRICES = "src/logs/prices/prices.test.ts";
const TRUTH = "src/logs/one-truth.test.ts";
const LINES = "src/logs/lines.test.ts";
const GRAPH = "src/logs/graph/graph.test.ts";
const CACHE = "test/contract/log-cache.test.ts";
const COMMANDS = "test/contract/log-commands.test.ts";
const LOG_GRAPH = "test/contract/log-graph.test.ts";
const RECORDING = "test/contract/records/recording.test.ts";
const INPUT = "test/e2e/hostile/input.test.ts";
const DOCUMENT_GRAPH = "src/record/document-graph.test.ts";

/** What readers of logs, prices and graphs are held to. */
export const LOGS: Readonly<Record<string, readonly Promised[]>> = {
  "one call": [
    kept(
      "records of one response are not added up",
      CLAUDE,
      "several records of one response count as one call",
    ),
    kept(
      "neither the first nor the last record is taken",
      CLAUDE,
      "the largest counts of a call's records are its usage, wherever they stand",
    ),
    kept(
      "a request id that is missing or another one does not switch deduplication off",
      CLAUDE,
      "a missing or another request id does not make a second call of a copy",
    ),
    kept(
      "an output count known at the stream's start is a lower bound, flagged",
      CLAUDE,
      "a call none of whose records has a stop reason is a lower bound",
    ),
    kept(
      "nested calls of an advisor are found",
      CLAUDE,
      "nested calls of another model count once per message, under their own model",
    ),
    kept("a counter that Codex writes again is no call", CODEX, "an unchanged total is not a call"),
    kept(
      "reasoning is inside output, cached tokens are inside input",
      CODEX,
      "reasoning is inside output, and cached and written tokens are inside input",
    ),
    kept(
      "a reset of any counter is seen, not only of the total",
      CODEX,
      "a new counter that has overtaken the old total is told by any count that fell",
    ),
  ],
  sessions: [
    kept(
      "sub-agents in nested folders count",
      CLAUDE,
      "subagents' transcripts in nested folders belong to their session and are told apart",
    ),
    kept(
      "sidechain records count",
      CLAUDE,
      "sidechain records inside a session's own transcript are calls of its subagents",
    ),
    kept(
      "a fork that replays counters under new times counts only its own work",
      CODEX,
      "counters that a fork copied from its parent are dropped whatever their times",
    ),
    kept(
      "archived and compressed rollouts are history, and both forms count once",
      CODEX,
      "a thread that is archived, compressed and live counts once, from the plain file",
    ),
    kept(
      "calls that leave no record are said to be missing",
      CLAUDE,
      "without totals the unlogged spend is unknown, not nothing",
    ),
    kept(
      "calls that only the agent's totals show are a line of their own",
      CLAUDE,
      "what the agent's totals hold beyond its calls is unlogged spend",
    ),
    kept(
      "cumulative totals of Claude Code's output are not added up",
      CLAUDE_STREAM,
      "cumulative totals are the run's own only beyond what was there before",
    ),
    kept(
      "cumulative counters of Codex's output are not added up",
      CODEX_STREAM,
      "the thread's counter is the turn's own only beyond what was there before, whatever the model was",
    ),
  ],
  files: [
    kept(
      "a snapshot in one line of hundreds of megabytes neither crashes nor is held",
      TRUTH,
      "a snapshot of hundreds of megabytes in one line is passed over without being held",
    ),
    kept(
      "a scan after new lines does not read everything",
      CACHE,
      "after new lines only the files that got them are read",
    ),
    kept(
      "a file replaced in place by a larger one is not taken for growth",
      CACHE,
      "a file that a longer one replaced in place, which looks like growth, is read from the start",
    ),
    kept(
      "an explicit folder replaces the defaults",
      CLAUDE,
      "an explicit config directory replaces the defaults, and may be a list",
    ),
    kept(
      "a missing folder of one agent is no error",
      TRUTH,
      "one agent without a folder does not hide what another has",
    ),
    kept(
      "a bad line can be found and stops nothing",
      CLAUDE,
      "a damaged line is named with file and line, and costs nothing else",
    ),
    kept(
      "invalid UTF-8 does not lose a record",
      LINES,
      "invalid UTF-8 is replaced and the line still counts",
    ),
    kept(
      "list, session, day and total come from one pass",
      TRUTH,
      "list, day, single session and total come to the same tokens and dollars",
    ),
    kept("all tables of an analysis agree", COMMANDS, "the totals of all tables of an analysis agree"),
  ],
  prices: [
    kept(
      "5-minute and 1-hour cache writes are priced apart",
      PRICES,
      "each class of cache tokens has its own price",
    ),
    kept(
      "long-context prices are decided call by call",
      PRICES,
      "long context is decided by each call, never by the sum of several",
    ),
    kept(
      "the service tier is the one in force at the call",
      CODEX,
      "the service tier is that of the settings before the call",
    ),
    kept("past calls keep the price of their day", PRICES, "a call is priced by its own day"),
    kept(
      "an unknown model stays unknown",
      PRICES,
      "a model without a price is unknown and named, never 0 and never its neighbour's price",
    ),
    kept("an unknown tier stays unknown", PRICES, "a tier without a factor is unknown, and named"),
    kept("no budget gate passes on an unknown cost", INPUT, "a dollar cap with a provider of unknown cost"),
  ],
  graphs: [
    kept(
      "an attempt of our own engine is matched by its session",
      RECORDING,
      "start, attempt and finish make a valid document with the cost of the session's log",
    ),
    kept(
      "a match by folder asks the model before it gives up",
      RECORDING,
      "of several sessions in its folder an attempt is matched to the only one that used its model",
    ),
    kept(
      "a launch that only times tell is marked as a guess",
      GRAPH,
      "a session that began while a command naming its agent ran was launched by it, as a guess",
    ),
    kept(
      "nothing of a document is lost on its way through the graph",
      LOG_GRAPH,
      "a run document goes through the graph whole, and is shown without any log",
    ),
    kept(
      "causes of further tries are part of the graph",
      DOCUMENT_GRAPH,
      "each attempt of a document hangs on the latest one before it, and a further try on its cause",
    ),
  ],
};
