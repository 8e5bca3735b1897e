import { fail, ok, type Result } from "../core/result.ts";
import {
  candidatesOf,
  type Loop,
  type LoopCheck,
  type LoopLimits,
  type LoopPiece,
  phaseLinks,
  TIERS,
} from "../formats/loop/index.ts";
import { inDispatchOrder } from "./dispatch-order.ts";
import type { AgentPiece, GatePiece, JudgedCheck, PlanPiece, VerdictPiece } from "./spec.ts";

/**
 * The pieces that the engine runs for a loop file: its own, a reading of each judge's words, a gate after each phase
 * that others wait for, and the gate of all goals. Problems: `unknown-provider` for a piece that nobody can do,
 * `missing-judge` for a judged check that no judge answers for, `judge-not-independent` for a judge that only builders'
 * providers could serve, `missing-check` when judges alone would decide.
 */
export function planLoop(loop: Loop): Result<readonly PlanPiece[]> {
  const runnable = loop.checks.filter(({ detector, blocking }) => blocking && detector.type !== "judge");
  if (runnable.length === 0)
    return fail(
      "missing-check",
      "no check of this loop runs: a judge alone cannot say that a goal is reached",
      {
        hint: "add a check with a script, file_exists, regex_match or threshold detector",
      },
    );
  const unserved = loop.pieces.find((piece) => candidatesOf(loop, piece).length === 0);
  if (unserved !== undefined)
    return fail(
      "unknown-provider",
      `no provider serves the tier ${unserved.tier} of piece "${unserved.id}"`,
      {
        hint: "add it to the tiers of a provider, or pin one with `provider:`",
      },
    );
  const unjudged = judgedChecks(loop).find((check) => judgesOf(loop, check).length === 0);
  if (unjudged !== undefined)
    return fail("missing-judge", `no piece with the role judge answers for the check "${unjudged.name}"`, {
      hint: "add a piece with the role judge",
    });
  const chains = providerChains(loop);
  const dependent = loop.pieces.find(({ id }) => chains.get(id)?.length === 0);
  if (dependent !== undefined)
    return fail(
      "judge-not-independent",
      `only providers that also build could serve the judge "${dependent.id}"`,
      {
        hint: "add a provider of its own for it, or set execution.providers.enforce_judge_independence: false",
      },
    );
  return ok(new LoopPlanner(loop, chains).plan());
}

/** What agents are told about limits that no code enforces, or not in every way round them. */
export function toldLimits({ forbiddenCommands, humanCheckpoint }: LoopLimits): readonly string[] {
  return [
    ...(forbiddenCommands.length === 0 ? [] : [`Never run: ${forbiddenCommands.join("; ")}`]),
    ...(humanCheckpoint.length === 0
      ? []
      : [`A person decides about these, so leave them undone: ${humanCheckpoint.join("; ")}`]),
  ];
}

function toldPaths({ forbiddenPaths }: LoopLimits): readonly string[] {
  return forbiddenPaths.length === 0 ? [] : [`Do not touch: ${forbiddenPaths.join(", ")}`];
}

const ALWAYS = Number.MAX_SAFE_INTEGER;
const OVERALL = "overall";

function judgedChecks(loop: Loop): readonly LoopCheck[] {
  return loop.checks.filter(({ detector }) => detector.type === "judge");
}

/**
 * A judge answers for the checks of its goals and for those of the whole; without goals for all. A check whose goal no
 * judge names is for every judge.
 */
function judgesOf(loop: Loop, { target }: LoopCheck): readonly LoopPiece[] {
  const judges = judgesIn(loop);
  const named = judges.filter(
    ({ goals }) => goals.length === 0 || target === OVERALL || goals.includes(target),
  );
  return named.length === 0 ? judges : named;
}

class LoopPlanner {
  readonly #loop: Loop;
  readonly #chains: ReadonlyMap<string, readonly string[]>;
  readonly #taken: ReadonlySet<string>;

  constructor(loop: Loop, chains: ReadonlyMap<string, readonly string[]>) {
    this.#loop = loop;
    this.#chains = chains;
    this.#taken = new Set(loop.pieces.map(({ id }) => id));
  }

  plan(): readonly PlanPiece[] {
    const pieces = inDispatchOrder(this.#loop);
    const ids = pieces.map(({ id }) => id);
    const last = this.#lastPieces().map(({ id }) => id);
    return [
      ...pieces.map((piece) => this.#agent(piece)),
      ...pieces.flatMap((piece) => this.#verdict(piece)),
      ...this.#loop.phases.items.flatMap(({ name }) => this.#phaseGate(name)),
      {
        kind: "gate",
        id: this.#name("gate", "goal gate"),
        dependsOn: ids,
        onFail: { sendBack: last, rounds: ALWAYS },
      },
    ];
  }

  #agent(piece: LoopPiece): AgentPiece {
    const loop = this.#loop;
    const own = loop.pieceLimits.get(piece.id);
    const [provider = "", ...fallbacks] = this.#chains.get(piece.id) ?? [];
    const timeoutMs = loop.providers.find(({ id }) => id === provider)?.timeoutMs;
    const caps = [own?.maxMs ?? loop.limits.maxMs, timeoutMs].filter((cap) => cap !== undefined);
    const phase = loop.phases.items.find(({ name }) => name === piece.phase);
    const judges = this.#judged(piece);
    const stronger = this.#stronger(piece);
    const rules = own === undefined ? [] : [...own.rules, ...toldLimits(own), ...toldPaths(own)];
    const maxTokens = own?.maxTokens ?? loop.limits.maxTokens;
    const after = this.#before(piece.phase);
    const commands = [...loop.limits.forbiddenCommands, ...(own?.forbiddenCommands ?? [])];
    return {
      kind: "agent",
      id: piece.id,
      role: piece.role,
      instruction: [
        piece.instruction,
        ...(phase === undefined ? [] : [`Phase ${phase.name}: ${phase.guideline} Stay inside this phase.`]),
        ...rules,
      ].join("\n"),
      dependsOn: piece.dependsOn,
      goals: piece.goals,
      provider,
      ...(fallbacks.length > 0 && { fallbacks }),
      ...(stronger.length > 0 && { stronger }),
      ...(after.length > 0 && { after }),
      tier: piece.tier,
      isolation: piece.isolation.mode === "none" ? "none" : "worktree",
      ...(piece.isolation.mode === "container" && {
        sandbox: sandboxOf(piece.isolation, loop.containerImage),
      }),
      permission: piece.role === "judge" ? "read" : "edit",
      join: loop.join,
      ...(caps.length > 0 && { wallMs: Math.min(...caps) }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(own !== undefined && own.forbiddenPaths.length > 0 && { forbiddenPaths: own.forbiddenPaths }),
      ...(commands.length > 0 && { forbiddenCommands: commands }),
      ...(judges.length > 0 && { answers: "judgement", judges, reads: [{ kind: "changes" }] }),
    };
  }

  /** Who of the next tier may step in when rounds bring nothing: nobody who judges, as long as judges are kept apart. */
  #stronger(piece: LoopPiece): readonly string[] {
    const { stop, enforceJudgeIndependence } = this.#loop;
    const tier = TIERS[TIERS.indexOf(piece.tier) + 1];
    if (stop.perturbAfterIterations === undefined || tier === undefined) return [];
    if (piece.role === "judge" || piece.provider !== undefined) return [];
    const usual = this.#chains.get(piece.id) ?? [];
    const judging = judgesIn(this.#loop).flatMap(({ id }) => this.#chains.get(id) ?? []);
    return candidatesOf(this.#loop, { tier })
      .map(({ id }) => id)
      .filter((id) => id !== usual[0] && !(enforceJudgeIndependence && judging.includes(id)));
  }

  #judged(piece: LoopPiece): readonly JudgedCheck[] {
    return judgedChecks(this.#loop).flatMap((check) => {
      const { name, statement, detector, blocking } = check;
      if (detector.type !== "judge" || !judgesOf(this.#loop, check).includes(piece)) return [];
      const { standard, minScore } = detector;
      return [{ name, statement, standard, blocking, ...(minScore !== undefined && { minScore }) }];
    });
  }

  #verdict(piece: LoopPiece): readonly VerdictPiece[] {
    const checks = this.#judged(piece);
    if (checks.length === 0) return [];
    const back = this.#loop.pieces.filter(({ phase }) => phase === piece.phase).map(({ id }) => id);
    return [
      {
        kind: "verdict",
        id: this.#verdictId(piece),
        of: piece.id,
        dependsOn: [piece.id],
        rule: { kind: "judgement", checks },
        onFail: { sendBack: back, rounds: ALWAYS },
      },
    ];
  }

  /** Where nothing can be checked after a phase, its end is that its pieces have ended. */
  #phaseGate(phase: string): readonly GatePiece[] {
    const goals = this.#goalsAfter(phase);
    const members = this.#members(phase).map(({ id }) => id);
    if (goals.length === 0 || !this.#isWaitedFor(phase)) return [];
    return [
      {
        kind: "gate",
        id: this.#phaseId(phase),
        goals,
        dependsOn: members,
        onFail: { sendBack: members, rounds: ALWAYS },
      },
    ];
  }

  /** What must be over before the pieces of a phase may begin. */
  #before(phase: string | undefined): readonly string[] {
    const waits = phaseLinks(this.#loop.phases).find(({ id }) => id === phase)?.dependsOn ?? [];
    return waits.flatMap((name) => {
      const verdicts = this.#members(name).filter((piece) => this.#judged(piece).length > 0);
      const ends = verdicts.map((piece) => this.#verdictId(piece));
      if (this.#goalsAfter(name).length > 0) return [this.#phaseId(name), ...ends];
      return ends.length > 0 ? ends : this.#members(name).map(({ id }) => id);
    });
  }

  /** Goals of the phase's pieces that some check answers for. */
  #goalsAfter(phase: string): readonly string[] {
    const goals = new Set(this.#members(phase).flatMap((piece) => piece.goals));
    return [...goals].filter((goal) =>
      this.#loop.checks.some(
        (check) => check.target === goal && check.blocking && check.detector.type !== "judge",
      ),
    );
  }

  /** Who mends what the gate of all goals finds: a phase that others have built on is not opened again. */
  #lastPieces(): readonly LoopPiece[] {
    return this.#loop.pieces.filter(({ phase }) => phase === undefined || !this.#isWaitedFor(phase));
  }

  #isWaitedFor(phase: string): boolean {
    return phaseLinks(this.#loop.phases).some(
      ({ id, dependsOn }) => dependsOn.includes(phase) && this.#members(id).length > 0,
    );
  }

  #members(phase: string): readonly LoopPiece[] {
    return this.#loop.pieces.filter((piece) => piece.phase === phase);
  }

  #verdictId(piece: LoopPiece): string {
    return this.#name(`${piece.id} verdict`, `verdict of ${piece.id}`);
  }

  #phaseId(phase: string): string {
    return this.#name(`phase ${phase}`, `gate of phase ${phase}`);
  }

  #name(wanted: string, otherwise: string): string {
    return this.#taken.has(wanted) ? otherwise : wanted;
  }
}

function sandboxOf(
  { network, image }: Extract<LoopPiece["isolation"], { readonly mode: "container" }>,
  usual: string | undefined,
): NonNullable<AgentPiece["sandbox"]> {
  const named = image ?? usual;
  return { network, ...(named !== undefined && { image: named }) };
}

/**
 * Who does each piece, in turn. With judges kept independent, no provider that may do what is judged is one that may
 * judge, not even when one stands in for another.
 */
function providerChains(loop: Loop): ReadonlyMap<string, readonly string[]> {
  const chains = new Map(
    loop.pieces.map((piece) => [piece.id, candidatesOf(loop, piece).map(({ id }) => id)] as const),
  );
  if (!loop.enforceJudgeIndependence) return chains;
  const judged = judgedPieces(loop);
  const makers = new Set(judged.flatMap(({ id }) => (chains.get(id) ?? []).slice(0, 1)));
  const judging = new Map(
    judgesIn(loop).map(({ id }) => [id, (chains.get(id) ?? []).filter((one) => !makers.has(one))] as const),
  );
  const judges = new Set([...judging.values()].flat());
  const made = judged.map(({ id }) => {
    const [first, ...others] = chains.get(id) ?? [];
    const rest = others.filter((one) => !judges.has(one));
    return [id, first === undefined ? rest : [first, ...rest]] as const;
  });
  return new Map([...chains, ...made, ...judging]);
}

function judgesIn({ pieces }: Loop): readonly LoopPiece[] {
  return pieces.filter(({ role }) => role === "judge");
}

/** What builders do, and whatever a judge reads, over any number of steps. */
function judgedPieces(loop: Loop): readonly LoopPiece[] {
  const read = new Set<string>();
  const waiting = judgesIn(loop).flatMap(({ dependsOn }) => dependsOn);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (read.has(id)) continue;
    read.add(id);
    waiting.push(...(loop.pieces.find((piece) => piece.id === id)?.dependsOn ?? []));
  }
  return loop.pieces.filter(({ id, role }) => role === "builder" || (role !== "judge" && read.has(id)));
}
