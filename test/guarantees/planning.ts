import { kept, type Open, open, type Promised } from "./promises.ts";

const HERE = "test/guarantees/planning.test.ts";
const RECOMMEND = "src/plan/recommend.test.ts";
const PLAN = "src/plan/plan.test.ts";
const RECEIPT = "src/plan/receipt.test.ts";
const RANGES = "src/learn/ranges/ranges.test.ts";
const ROWS = "src/learn/rows/rows.test.ts";
const BELIEF = "src/learn/belief.test.ts";
const WAY = "src/commands/current-way.test.ts";
const ARMS = "src/commands/experiment-arms.test.ts";
const MONEY = "src/commands/experiment-money.test.ts";
const TESTS = "src/verify/experiments/experiments.test.ts";
const CLI = "test/contract/recommend.test.ts";
const CONFIG = "test/contract/config-effects.test.ts";
const OUTCOME = "test/contract/records/outcome.test.ts";
const IMPORT = "test/contract/records/import.test.ts";

/** What planning and learning are held to. */
export const PLANNING: Readonly<Record<string, readonly Promised[]>> = {
  learning: [
    kept(
      "fits of the same runs are the same, in any order",
      BELIEF,
      "the order in which runs come changes no digit",
    ),
    kept(
      "the same question to the same runs gets the same numbers",
      RECOMMEND,
      "is the same for the same question, whatever the order of the runs",
    ),
    kept(
      "copies as pieces and as one wide piece predict the same",
      "src/plan/copies.test.ts",
      "copies as pieces predict what one piece as wide does, to the last digit",
    ),
    kept(
      "an effect of a time box that only the prior knows is not counted, and the answer says so",
      CLI,
      "a time box that no run tells of changes no number, and the answer says so",
    ),
    kept(
      "several results of a model on one benchmark share one weight",
      "test/golden/prior-weights.test.ts",
      "several results of a model on one benchmark share the weight of one",
    ),
    kept(
      "a negative weight of the prior is refused",
      "test/golden/prior-weights.test.ts",
      "a negative weight, or one that is no number, is refused by name",
    ),
    kept("a run counts once", ROWS, "a run that came in twice teaches once"),
    kept(
      "a kept fit of another version is never misread",
      BELIEF,
      "that is cut off or of another version is none",
    ),
    kept(
      "a fit that a recommendation names can be had again",
      CLI,
      "after 30 recorded runs with a clear winner moves there, says why, and shows the same numbers as text, data and page",
    ),
    kept("an unknown source to leave out fails, and the known ones are listed", HERE),
    kept("a new task's id does not move any number", HERE),
    kept(
      "the worth of exploring is that of brute force, and never negative",
      PLAN,
      "the worth of exploring is that of exact enumeration",
    ),
    kept("draws near no chance do not blow up the price of a miss", HERE),
    kept("a workflow whose roles differ from those of its catalogue name is a shape of its own", HERE),
    kept(
      "a part on every run cannot be told from its harness",
      ROWS,
      "a part on every run is not estimated, and parts that come together are one",
    ),
    kept("without a record of a harness no effect of a part is there", HERE),
    kept(
      "ranges hold what they say, or are not printed",
      RANGES,
      "ranges of part effects hold what they say, where the range of the belief does not",
    ),
    kept("odd runs give finite, sane and wide answers", "src/learn/adversarial.test.ts"),
    kept("runs without a workflow teach by what ran", ROWS, "without a workflow the pieces are what ran"),
    kept(
      "a feature of one's own is kept as it was said, so that new limits apply to old runs",
      "src/formats/config/declared-features.test.ts",
      "that is changed reads what was said before anew",
    ),
    kept(
      "how far verdicts are trusted is the user's to say",
      CONFIG,
      "org and outcome.q.* reach the learner",
    ),
  ],
  recommending: [
    kept(
      "a model that is not offered any more is never picked, and its runs stay data",
      RECOMMEND,
      "never picks a model that is not offered any more, though its runs stay data",
    ),
    kept(
      "a way that the user never ran is not called usual",
      WAY,
      "is nothing where nothing was run: no way of the catalogue is ever called usual",
    ),
    kept(
      "a tie of usual ways does not flip with one run of another",
      WAY,
      "of equals is the one that got there first, and one run of another way does not flip it",
    ),
    kept(
      "the pick stays until another saves more than its noise",
      RECOMMEND,
      "keeps what runs now while nothing is better by more than the noise",
    ),
    kept("payback is a whole number of runs, at least one", HERE),
    kept(
      "an answer fits a screen and never loses its reason and its id",
      CLI,
      "answers from published figures alone, without a chance, with the pair that teaches most",
    ),
    kept(
      "page, text and data show the same number",
      CLI,
      "after 30 recorded runs with a clear winner moves there, says why, and shows the same numbers as text, data and page",
    ),
    kept(
      "options are numbered once",
      RECOMMEND,
      "never picks a model that is not offered any more, though its runs stay data",
    ),
    kept(
      "a pasted label is the option with that label, or is refused",
      RECEIPT,
      "an option is named by its number, its key, or a name that only it has",
    ),
    kept(
      "with too few scores for a target every chance is said to be of an accepted result",
      CLI,
      "--target is a score, and says what is accepted in place of --rule",
    ),
    kept("a chance that no way reaches is said not to be reached", HERE),
    kept("tries to put a miss right have a cap, and their chance stands apart from that of one run", HERE),
    kept("a miss has the published price", PLAN, "retrying after a miss has the published price"),
    kept(
      "no configuration key is taken that has no effect",
      "test/golden/config-keys.test.ts",
      "no key of the configuration is taken that has no effect",
    ),
    kept(
      "what was taken without asking is told from a person's choice",
      "src/commands/keep-recommendation.test.ts",
      "what was taken without asking anybody does not count as a person's choice",
    ),
    kept(
      "a budget that is used up pauses exploring",
      CONFIG,
      "explore.* says which exploration comes first and which needs no question; a budget that is used up pauses it",
    ),
  ],
  receipts: [
    kept(
      "a late excluded event rejects inside the window and not outside",
      OUTCOME,
      "a late excluded event inside the window rejects, outside it does not",
    ),
    kept(
      "a run that follows a recommendation carries its forecast and its rule",
      "test/contract/receipts.test.ts",
      "carries the choice, its propensity and the forecast, and ends with a receipt",
    ),
    kept(
      "undoing a rule change gives each run its own rule back",
      OUTCOME,
      "undoing a rule change restores each run's own rule, not a default",
    ),
    kept(
      "what is not known is not scored",
      RECEIPT,
      "scores nothing that is not known: an unknown cost is no zero",
    ),
    kept(
      "a task is stored as it was planned",
      "test/contract/records/recording.test.ts",
      "a task is stored as it was planned, without what was only shown, and features in the document's words",
    ),
    kept(
      "outcomes added since survive an import",
      IMPORT,
      "the same document again changes nothing, and outcomes added since survive",
    ),
  ],
  "change tests": [
    kept(
      "looking more often does not raise false adoption",
      "src/verify/experiments/anytime.test.ts",
      "adopts a change that is no better at most as often as stated, though one looks at every pair",
    ),
    kept(
      "pairs in bulk decide as one by one",
      TESTS,
      "pairs that come in bulk give the decision of the first look that decides",
    ),
    kept("nothing is adopted before the fewest pairs", TESTS, "four pairs can adopt nothing at 5 %"),
    kept("a budget of nothing buys no pair", MONEY, "of nothing buys no pair"),
    kept(
      "a missing cost leaves outcomes to decide",
      TESTS,
      "a missing cost leaves the decision to the outcomes",
    ),
    kept(
      "a digest that fits two harnesses is refused",
      ARMS,
      "is a harness by as much of its digest as is unique; a digest that fits two is refused",
    ),
    kept(
      "an arm that matches nothing is refused with what exists",
      ARMS,
      "that no run is of is refused by name, with what there is",
    ),
    kept(
      "a judge's spend counts, and an unknown one is not zero",
      "src/record/judge-cost.test.ts",
      "what a judge cost counts as spent, and not as a cost of the run's way of working",
    ),
    kept(
      "a pair that was cut short goes on with the arm that is missing",
      "test/e2e/planner/experiment.test.ts",
      "goes on with the arm that a pair lacks, then with further pairs, and counts what the judge costs",
    ),
  ],
};

/** Not kept, or without a counterpart here. */
export const PLANNING_OPEN: readonly Open[] = [
  open("a stored copy of a shipped run is counted once", "figures are shipped, no runs"),
  open("a label never makes a shipped source of a user's run", "there is no shipped source of runs"),
  open("what an organization shared can be named and removed", "runs are not shared yet"),
  open("no shipped data carries a date", "the prior's version is one; it holds no run"),
];
