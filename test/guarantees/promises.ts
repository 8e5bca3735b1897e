/** Where a promise of the engine is held to: a test of the promise's own name, or the title of the test that does it. */
export interface Promised {
  readonly promise: string;
  readonly file: string;
  /** Absent: the test is called as the promise is. */
  readonly title?: string;
}
/** A promise that is not kept yet, or that something stricter took the place of. */
export interface Open {
  readonly promise: string;
  readonly why: string;
}

export const kept = (promise: string, file: string, title?: string): Promised => ({
  promise,
  file,
  ...(title !== undefined && { title }),
});
export const open = (promise: string, why: string): Open => ({ promise, why });

const GATE = "test/guarantees/gate.test.ts";
const STOP = "test/guarantees/stop.test.ts";
const PHASES = "test/guarantees/phases.test.ts";
const RECOVERY = "test/guarantees/recovery.test.ts";
const TARGETS = "src/verify/targets.test.ts";
const GATE_UNIT = "src/verify/gate.test.ts";
const DECIDE = "src/run/decide.test.ts";
const FOLD = "src/run/fold.test.ts";
const SPENT = "src/run/spent.test.ts";
const LIFECYCLE = "src/run/lifecycle.test.ts";
const PLAN_LOOP = "src/run/plan-loop.test.ts";
const GRAPH = "src/graph/graph.test.ts";
const TRIGGERS = "src/triggers/triggers.test.ts";
const RISKS = "src/formats/loop/risks/risks.test.ts";
const PARSE = "src/formats/loop/parse.test.ts";
const MIGRATE = "src/formats/loop/migrate.test.ts";
const PROVIDER = "test/contract/provider.test.ts";
const PROVIDERS_UNIT = "src/adapters/providers/index.test.ts";
const PROCESS = "test/contract/process.test.ts";
const WORKTREE = "test/contract/workspace-worktree.test.ts";
const WORKSPACE = "test/contract/workspace.test.ts";
const LIMITS = "test/contract/loop-limits.test.ts";
const WEBHOOK = "src/adapters/webhook/index.test.ts";
const MEMORY = "src/record/loop-memory.test.ts";
const NOTES = "src/run/notes.test.ts";
const TRIALS = "src/verify/experiments/loop-trials.test.ts";
const EXPLORE = "src/commands/loop-proposals.test.ts";
const ADMIT = "src/formats/loop/admit.test.ts";
const FOOLED_PERSON = "test/e2e/fooled/person.test.ts";
const FOOLED_FILES = "test/e2e/fooled/files.test.ts";

/** What must hold, by part of the engine. */
export const PROMISES: Readonly<Record<string, readonly Promised[]>> = {
  gate: [
    kept("a missing metric or judgment fails closed", GATE),
    kept(
      "a target without a blocking check is never satisfied",
      TARGETS,
      "is never had without a blocking check",
    ),
    kept(
      "advisory failures do not hold the gate",
      TARGETS,
      "is not held by advisory checks, of goals or overall",
    ),
    kept(
      "satisfied flips back when the artifact disappears",
      GATE_UNIT,
      "takes satisfied back when what satisfied it is gone",
    ),
    kept(
      "a judge on the builder's provider is refused",
      PLAN_LOOP,
      "is refused for a judge that only builders could serve",
    ),
    kept(
      "an independent judge can satisfy",
      "test/e2e/loops/corpus.test.ts",
      "a brief is not done before the judge has accepted it, whatever the checks say",
    ),
    kept("a bare PASS is demoted", GATE),
    kept("unreadable judge text yields nothing", GATE),
    kept("NEEDS_REVISION is not a pass", GATE),
    kept("an unknown decision word is skipped", GATE),
    kept("only the gate builds a satisfied goal state", GATE),
    kept("nothing that perturbs or summarises can reach goal state", NOTES),
  ],
  stop: [
    kept("success is checked before the iteration cap", DECIDE, "is success before any ceiling"),
    kept("each budget fires on its own", STOP),
    kept("0 disables no-progress", STOP),
    kept(
      "every stop is written to the ledger",
      LIMITS,
      "an end without success is in the ledger with its reason",
    ),
    kept(
      "an unsatisfiable loop ends on no progress",
      DECIDE,
      "comes when as many rounds as the limit says bring neither a new tree nor a new answer",
    ),
    kept(
      "a stuck node stops being dispatched while the run goes on",
      SPENT,
      "stops being sent back after so many, while the run goes on",
    ),
    kept(
      "a node whose goals are satisfied is never capped",
      SPENT,
      "is never held back once its goals are reached",
    ),
    kept("resume refunds no revisions", SPENT, "counts over a crash and a resume"),
    kept("the token budget can fire on estimates", STOP),
    kept("the cost ceiling fires when a rate is set", STOP),
  ],
  state: [
    kept(
      "success is unreachable without running",
      LIFECYCLE,
      "go to every outcome from where a session can be running, by legal steps only",
    ),
    kept(
      "illegal moves leave the state alone",
      LIFECYCLE,
      "refuse a move that the table does not name, with both names",
    ),
    kept(
      "a run that died mid-iteration is reported as such",
      "test/crash/points.test.ts",
      "a session that dies at any durable step comes to the same end after resume",
    ),
    kept(
      "a closed run resumes through validation",
      FOLD,
      "keeps what was done, and makes what failed due again",
    ),
    kept(
      "every outcome closes and nothing else does",
      LIFECYCLE,
      "close after every outcome and after nothing else",
    ),
    kept("every state round-trips through its name", STOP),
    kept(
      "checkpoints survive reopening the store",
      "src/adapters/store-sqlite/index.test.ts",
      "what was stored is there after closing and opening",
    ),
  ],
  graph: [
    kept("one wave per chain link", GRAPH, "cover each piece once, after everything it depends on"),
    kept("independent nodes share a wave", GRAPH, "hold what can start together, in the order of ids"),
    kept(
      "independent nodes really run concurrently",
      "test/e2e/loops/corpus.test.ts",
      "three modules are rewritten side by side, each apart from the others, judged, and merged",
    ),
    kept(
      "cycles and unknown dependencies are errors",
      GRAPH,
      "a cycle is named as a circle, without what merely waits behind it",
    ),
    kept(
      "heaviest chain wins",
      GRAPH,
      "of equal chains the first dependency counts, of equal ends the last id",
    ),
    kept("published Amdahl values", GRAPH, "the speedup at p = %d on %d workers is %d"),
    kept(
      "fixed width is capped by the widest wave",
      GRAPH,
      "sequential is one, fixed is at most what it says",
    ),
    kept("auto stops when the gain dries up", GRAPH, "%j gives %d workers on five at once"),
  ],
  phases: [
    kept("open one at a time", PHASES),
    kept("a phase with no nodes does not block", PHASES),
    kept("a phase that never satisfies its goals never opens the next", PHASES),
    kept("unrelated phases are parallel", PHASES),
    kept("unstaged nodes are never gated", PHASES),
    kept("a cyclic phase graph refuses to start", PHASES),
  ],
  isolation: [
    kept("two nodes get separate directories", WORKTREE, "worktrees can be added at the same time"),
    kept(
      "new and modified files in a worktree reach the root and the gate",
      WORKSPACE,
      "merging work into an untouched root brings new, changed and deleted files",
    ),
    kept(
      "an isolated node sees its isolated upstream's output",
      DECIDE,
      "is not a piece whose isolated work is not merged yet",
    ),
    kept(
      "the second writer of a path is refused and named",
      WORKSPACE,
      "a conflict changes nothing at all and keeps the work",
    ),
    kept(
      "bookkeeping directories are never published",
      WORKSPACE,
      "our session copies and folders named like git's own are never part of a tree",
    ),
    kept("odd node ids cannot escape", PARSE, "a wrong id"),
    kept(
      "outside a repository it degrades and says so",
      WORKSPACE,
      "a plain folder has no commits, branches or worktrees",
    ),
    kept(
      "a missing container runtime degrades rather than fails",
      "test/contract/loop-container.test.ts",
      "without a service that answers the piece works in a sandbox, which is said, and production refuses",
    ),
    kept(
      "no network unless asked",
      "test/contract/loop-sandbox.test.ts",
      "changes its worktree alone, and sees neither store nor network",
    ),
  ],
  recovery: [
    kept(
      "transient errors back off and then let go",
      DECIDE,
      "is tried again after a delay that doubles, as often as the limit says, and then fails the piece",
    ),
    kept("the first retry waits exactly the base", RECOVERY),
    kept("exponential delay cannot overflow", RECOVERY),
    kept(
      "invalid output is revised, not blindly retried",
      "test/e2e/loops/phases.test.ts",
      "a judge whose words do not count is asked again, and work that it never accepts is not done",
    ),
    kept(
      "a safety violation halts at first sight",
      LIMITS,
      "a change of what is forbidden ends the session at first sight: %s",
    ),
    kept("a safety violation can never be configured to retry", RECOVERY),
    kept("budgets do not refill by asking twice", SPENT, "counts over a crash and a resume"),
    kept("an exhausted node is escalated", RECOVERY),
  ],
  providers: [
    kept(
      "unknown placeholders stay",
      "src/adapters/providers/template.test.ts",
      "what is no placeholder stays as it is",
    ),
    kept("non-zero exit is never a silent pass", PROVIDER, "exit code %i decides, whatever is printed"),
    kept("a hanging provider is killed promptly", PROCESS, "a process that hangs is timed out, not failed"),
    kept(
      "cascade falls past unavailable and failing ones",
      DECIDE,
      "hands its piece to the next one, for every piece and until a person has acted",
    ),
    kept("missing env names only the key", "test/guarantees/providers.test.ts"),
    kept(
      "malformed usage regex falls back",
      PROVIDER,
      "a usage pattern is looked for in both streams, a missing count is unknown",
    ),
    kept(
      "no rate means no cost",
      PROVIDER,
      "tokens are estimated by length and labelled so, without a price",
    ),
  ],
  triggers: [
    kept("once per minute, not per poll", TRIGGERS, "fires once a minute that fits, not once a look"),
    kept(
      "intervals wait before the first repeat",
      TRIGGERS,
      "waits before the first time, then keeps its beat whenever it is looked at",
    ),
    kept("file and goal triggers fire on the edge", TRIGGERS),
    kept(
      "state, log and success directories are ignored",
      "src/adapters/user-files/user-files.test.ts",
      "the newest change below a folder counts, but not in what is skipped, nor behind links",
    ),
    kept("an explicit key turns a burst into one run", TRIGGERS),
    kept(
      "a self-caused chain stops at max depth and the clock resets it",
      TRIGGERS,
      "a chain that a run keeps going by what it writes stops at its greatest depth, and the clock begins a new one",
    ),
    kept(
      "a human's later file is never capped",
      TRIGGERS,
      "what a run wrote is noticed up to a moment after its end; a person's later file is never held back",
    ),
    kept(
      "watch refuses a trigger-less loop",
      "test/contract/loop-watch.test.ts",
      "a loop that waits for %s is not watched",
    ),
  ],
  memory: [
    kept("corroboration needs distinct runs", MEMORY),
    kept("a fact without provenance is refused where required", NOTES),
    kept("human approval is the only road where set, and later writes do not revoke it", MEMORY),
    kept("low confidence is never recalled", MEMORY),
    kept("an agent can remember but not promote", "test/contract/loop-memory.test.ts"),
  ],
  evolution: [
    kept("one lucky run is not evidence", TRIALS),
    kept("configured skills are not re-adopted", EXPLORE),
    kept(
      "useless configured ones are proposed for removal",
      EXPLORE,
      "useless configured ones are proposed for removal, once pairs of runs without them do better",
    ),
    kept(
      "unexplored candidates are proposed, not spent on",
      EXPLORE,
      "candidates that nobody tries are named once a run has failed, and no run is spent on them",
    ),
    kept(
      "proposals expire by kind",
      "test/contract/loop-evolution.test.ts",
      "what an agent suggests waits for a person, and what is protected, worse or wrong is refused",
    ),
    kept(
      "no baseline is not a pass",
      "src/record/loop-baseline.test.ts",
      "no baseline is not a pass, and neither are too few runs",
    ),
    kept("a high-star credential grabber is excluded", "src/commands/skill-index.test.ts"),
    kept("unsafe names are refused, not sanitised", "test/contract/skills.test.ts"),
    kept("the protected list protects itself", ADMIT),
    kept("a sibling sharing a prefix is not protected by accident", ADMIT),
  ],
  config: [
    kept(
      "misspelt keys are refused at every level in both grammars",
      PARSE,
      "a misspelt key gets the right one as a hint",
    ),
    kept(
      "schema and model agree field by field",
      "test/golden/loop-schema.test.ts",
      "every document that the schema allows has a meaning for the reader",
    ),
    kept(
      "the renderer knows every top-level key",
      "src/formats/loop/markdown.test.ts",
      "any document survives Markdown: what is read from what was written is what was written",
    ),
    kept(
      "every Markdown example equals its YAML twin",
      "test/golden/loop-corpus.test.ts",
      "means the same as its Markdown twin, and as what it is converted to and back",
    ),
    kept(
      "migration is idempotent",
      MIGRATE,
      "a migrated file means the same, keeps its comments, and migrates to itself",
    ),
    kept("the new key wins", MIGRATE, "the new key wins over the old one"),
    kept(
      "every issue names a real 1.0 path",
      MIGRATE,
      "every issue names a 1.0 path at its place in the 0.3 text",
    ),
  ],
  faces: [
    kept(
      "the listener is loopback only",
      WEBHOOK,
      "a call with the token counts once it is whole, under the key of its caller, and is taken once",
    ),
    kept("rebound host names are refused", WEBHOOK, "a call %s starts nothing"),
    kept(
      "there is no tool for declaring a goal satisfied",
      FOOLED_PERSON,
      "no command of ours can make a goal that the gate has refused satisfied",
    ),
  ],
};

/** Traps of such loops, and the test that shows that this one is not in them. */
export const TRAPS: Readonly<Record<string, readonly Promised[]>> = {
  "correctness of done": [
    kept(
      "overall success ignores the goals",
      GATE,
      "overall success needs every goal, whatever the overall checks say",
    ),
    kept(
      "phases and judges deadlock",
      "test/golden/loop-corpus.test.ts",
      "the published loops that can never finish are found",
    ),
    kept(
      "nothing eligible, and the loop goes round",
      SPENT,
      "ends the session at once when nobody else can mend it, and raising the limit lets it go on",
    ),
    kept(
      "judgments live for one iteration",
      "src/run/workflow-laws.test.ts",
      "a goal is satisfied only by checks and reviewers that said yes of the same content",
    ),
    kept(
      "evidence is bypassed by a score",
      GATE,
      "a judge counts only with a pass, evidence and the score that is asked for, all three",
    ),
    kept("scales of scores do not match", RISKS, "a share for a score of 0 to 10"),
    kept("independence is a matter of ids", RISKS, "two names for the program that builds are one judge"),
    kept(
      "a verdict can be forged",
      FOOLED_PERSON,
      "no command of ours can make a goal that the gate has refused satisfied",
    ),
    kept("the graded party edits the grader", FOOLED_FILES, "weakens the check"),
    kept("detectors have no time-out", GATE_UNIT, "that is too slow after the work fails"),
    kept("progress is a count", STOP, "a check that passes while another breaks is a change"),
    kept("a revocation is never written", GATE_UNIT, "takes satisfied back when what satisfied it is gone"),
  ],
  "limits that are only words": [
    kept(
      "standing instructions never reach the agent",
      PROVIDERS_UNIT,
      "a command's placeholders are filled once, and the rules reach it in any case",
    ),
    kept(
      "forbidden paths are only prompt text",
      LIMITS,
      "a change of what is forbidden ends the session at first sight: %s",
    ),
    kept(
      "token limits of nodes are not enforced",
      SPENT,
      "is begun again below it and not any more at it, and what it did before stands",
    ),
    kept("a cost ceiling that cannot fire", RISKS, "a cost that nobody reports"),
    kept("usage is guessed", PROVIDER, "a resumed attempt is charged for what it added, not for the session"),
    kept(
      "failed calls are not charged",
      FOLD,
      "a lost attempt leaves its piece due in the same round, and its spend is not known",
    ),
    kept("the clock restarts at a resume", FOLD, "the time between is not counted as running"),
  ],
  engine: [
    kept("pipes deadlock", PROVIDER, "more output than a pipe holds arrives whole while the agent runs"),
    kept(
      "only the direct child is killed",
      PROCESS,
      "a process that ignores TERM is killed with its children after the grace",
    ),
    kept("an error page passes for an answer", RISKS, "an error page that looks like an answer: curl %s"),
    kept(
      "text that is put in is filled again",
      "src/adapters/providers/template.test.ts",
      "text that is put in is never filled again",
    ),
    kept(
      "failures are classed by substrings",
      PROVIDER,
      "an agent that claims success and exits with 0 but closes with an error has failed",
    ),
    kept(
      "a usage limit burns retries",
      DECIDE,
      "parks the session until its end, whatever else is ready, and then the piece is due again",
    ),
    kept(
      "isolated work gets lost",
      WORKTREE,
      "work of a worktree comes back with what the agent committed, deleted and left untracked",
    ),
    kept(
      "worktrees are reused and left over",
      WORKTREE,
      "an untouched worktree is removed by another process",
    ),
    kept(
      "rollback restores counters, not files",
      "test/e2e/loops/rules.test.ts",
      "a round that breaks a rollback rule is undone, and the next one is told",
    ),
    kept(
      "a failed upstream does not stop its dependents",
      DECIDE,
      "is skipped with the input that blocks it, and what reads it with it",
    ),
    kept(
      "approval cannot wait",
      DECIDE,
      "is asked for each approval before the first dispatch, and a no ends the session",
    ),
    kept(
      "one reader at a time",
      "test/e2e/hostile/sessions.test.ts",
      "status says so, events --follow ends with it, and an update reaches the next attempt",
    ),
    kept(
      "a run cannot be stopped or steered",
      "test/e2e/hostile/sessions.test.ts",
      "stop --force ends an agent that ignores everything",
    ),
    kept("nobody is told", LIMITS, "an alert and the end reach the command that the home names"),
  ],
  "skills and changes": [
    kept(
      "a skill that nobody looked at is used",
      "test/contract/skills.test.ts",
      "a skill that an agent has written is not used, wherever it lies, before a person has looked at it",
    ),
    kept(
      "a skill is fetched while a run goes on",
      "test/contract/loop-skills.test.ts",
      "a piece is told where its skills lie; one in quarantine waits for a person, and nothing is fetched",
    ),
    kept(
      "skills are ranked without runs that lack them",
      TRIALS,
      "of changes that do nothing, however many a loop tries, at most one life in twenty adopts any",
    ),
    kept(
      "proposals can only be read",
      "test/contract/loop-evolution.test.ts",
      "a skill is tried in pairs of runs, is proposed once they speak for it, and a person applies it",
    ),
  ],
  planning: [
    kept(
      "the order of goals orders nothing",
      "src/run/dispatch-order.test.ts",
      "a goal comes before the goals that build on it, however heavy, and a circle of goals orders nothing",
    ),
    kept(
      "Amdahl is the wrong model for a known graph",
      GRAPH,
      "respects dependencies and workers, idles nobody, and lies between its bounds",
    ),
    kept(
      "the first small step ends the search for workers",
      GRAPH,
      "a step that gains nothing does not hide a later one that does",
    ),
    kept(
      "an absolute gain serialises two independent nodes",
      GRAPH,
      "a second worker is started for its share of the time, where an absolute gain would not do",
    ),
    kept(
      "a plan ignores phases",
      GRAPH,
      "waves by phase hold no piece of another phase, and those of none come first",
    ),
    kept("both day fields of cron must match", TRIGGERS, "either of two restricted day fields may match"),
    kept(
      "minutes that are missed are lost",
      TRIGGERS,
      "whenever a watcher looks, every time is fired or counted as skipped, once",
    ),
    kept(
      "a goal cannot chain loops",
      TRIGGERS,
      "a goal that was reached while nobody watched fires when what was known is kept",
    ),
    kept(
      "the system's timer reads UTC times as local ones",
      "test/contract/loop-schedule.test.ts",
      "what would be put into the system's timer is printed, and nothing is touched",
    ),
  ],
  "files and faces": [
    kept(
      "defaults differ by path",
      "src/formats/loop/rules.test.ts",
      "a namespace that is written in part keeps its own defaults",
    ),
    kept(
      "a migration loses comments",
      MIGRATE,
      "a migrated file means the same, keeps its comments, and migrates to itself",
    ),
    kept(
      "a switch without a reader",
      "test/golden/loop-schema.test.ts",
      "of every field it is said whether the engine acts on it",
    ),
  ],
};

export const OPEN: readonly Open[] = [
  open(
    "percentage success uses the blocking pass rate",
    "stricter: every goal and every blocking check must hold, and a smaller share is named as not acted on",
  ),
  open(
    "resume refunds no stale rounds",
    "a person who resumes wants a further try; a crash gives nothing back",
  ),
  open("an init command is an argv", "skills bring no commands of their own, so none is ever run"),
  open(
    "every preset is accepted by its own validator",
    "there is no web face yet, nor any other promise about it",
  ),
];
