import type { Point, Ruling } from "./ruling.ts";
import type { JudgedCheck } from "./spec.ts";

const MAX_POINT_CHARS = 1000;
const WORST = 0;
const BEST = 10;

/** What a judge is told about its last message. `readJudgement` reads exactly this. */
export function judgementContract(checks: readonly JudgedCheck[]): string {
  const asked = checks.map(({ name, statement, standard, minScore }) =>
    [
      `- ${name}: ${statement}`,
      `  judged against: ${standard}`,
      ...(minScore === undefined ? [] : [`  a pass needs a score of ${minScore} of ${BEST} or more`]),
    ].join("\n"),
  );
  return `You judge these and nothing else:
${asked.join("\n")}
Your last message must hold one block for each of them, and its name in no other block:
VERDICT: <name> PASS or FAIL
STANDARD: <what you held it against>
EVIDENCE: <file:line or quotation that shows it>
SCORE: <${WORST} to ${BEST}, where a score is asked for>
A pass without evidence counts as no verdict, and no verdict is not a pass.`;
}

/**
 * A judge's last words over its checks. Void when a blocking check has no block, two, no evidence for a pass, or no
 * score where one is asked for; a fail when one of them fails or scores too low; advisory checks hold nothing.
 */
export function readJudgement(words: string, checks: readonly JudgedCheck[]): Ruling {
  const blocks = blocksOf(words);
  const evidence: Point[] = [];
  const findings: Point[] = [];
  for (const check of checks.filter(({ blocking }) => blocking)) {
    const own = blocks.filter(({ name }) => name === check.name.toLowerCase());
    const [block, ...more] = own;
    if (block === undefined) return voided(`it says nothing of ${check.name}`);
    if (more.length > 0) return voided(`it judges ${check.name} twice`);
    const answer = answerOf(check, block);
    if ("void" in answer) return voided(answer.void);
    const point = { where: check.name, what: answer.what.slice(0, MAX_POINT_CHARS) };
    (answer.passed ? evidence : findings).push(point);
  }
  return findings.length > 0 ? { said: "fail", findings } : { said: "pass", evidence };
}

function voided(why: string): Ruling {
  return { said: "void", why };
}

type Answer = { readonly passed: boolean; readonly what: string } | { readonly void: string };

function answerOf({ name, minScore }: JudgedCheck, { decision, evidence, score }: Block): Answer {
  if (decision === "FAIL" || decision === "NEEDS_REVISION")
    return { passed: false, what: evidence === "" ? "it fails, without a word on why" : evidence };
  if (decision !== "PASS") return { void: `its verdict on ${name} is neither PASS nor FAIL` };
  if (evidence === "") return { void: `it says ${name} passes, without evidence` };
  if (minScore === undefined) return { passed: true, what: evidence };
  if (score === undefined) return { void: `it gives ${name} no score from ${WORST} to ${BEST}` };
  const isEnough = score >= minScore;
  return { passed: isEnough, what: isEnough ? evidence : `scored ${score}, needs ${minScore}: ${evidence}` };
}

interface Block {
  /** In lower case. */
  readonly name: string;
  readonly decision: string;
  readonly evidence: string;
  readonly score?: number;
}

/** A block begins with its verdict; lines without a known key carry the evidence on. */
function blocksOf(words: string): readonly Block[] {
  const blocks: { name: string; decision: string; evidence: string; score?: number }[] = [];
  let isEvidence = false;
  for (const line of words.split(/\r?\n/)) {
    const [, key = "", value = ""] = /^[\s*_>-]*([A-Za-z]+)[*_]*:[*_]*\s*(.*?)\s*$/.exec(line) ?? [];
    const block = blocks.at(-1);
    switch (key.toUpperCase()) {
      case "VERDICT": {
        const [, name = "", decision = ""] = /^(.*?)\s+(\S+)$/.exec(value) ?? [];
        blocks.push({ name: name.toLowerCase(), decision: decision.toUpperCase(), evidence: "" });
        isEvidence = false;
        break;
      }
      case "STANDARD":
        isEvidence = false;
        break;
      case "SCORE": {
        const score = scoreOf(value);
        if (block !== undefined && score !== undefined) block.score = score;
        isEvidence = false;
        break;
      }
      case "EVIDENCE":
        if (block !== undefined) block.evidence = value;
        isEvidence = true;
        break;
      default:
        if (block !== undefined && isEvidence) block.evidence = `${block.evidence} ${line.trim()}`.trim();
    }
  }
  return blocks;
}

/** `8`, `8.5` or `8/10`. */
function scoreOf(value: string): number | undefined {
  const [, digits] = /^(\d+(?:\.\d+)?)(?:\s*\/\s*10)?(?:\s|$)/.exec(value) ?? [];
  const score = Number(digits);
  return digits !== undefined && score >= WORST && score <= BEST ? score : undefined;
}
