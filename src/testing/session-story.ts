import { sha256 } from "../core/hash.ts";
import { type AttemptId, makeId } from "../core/ids.ts";
import { instant } from "../core/time.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import type { TreeId } from "../ports/workspace.ts";
import { DEFAULT_LIMITS } from "../run/defaults.ts";
import type { AttemptEnded, DatedEvent, SessionEvent } from "../run/events.ts";
import { providerNow } from "../run/fallback.ts";
import { step } from "../run/fold.ts";
import { movesTo } from "../run/moves.ts";
import type { AgentPiece, GatePiece, Limits, PlanPiece, SessionSpec } from "../run/spec.ts";
import { attemptOf, type SessionState } from "../run/state.ts";
import type { GateResult } from "../verify/types.ts";

const BEGIN_MS = Date.UTC(2026, 0, 1);

export function treeId(text: string): TreeId {
  return sha256(text) as string as TreeId;
}

export function agentPiece(id: string, more: Partial<AgentPiece> = {}): AgentPiece {
  return {
    kind: "agent",
    id,
    role: "implementer",
    dependsOn: [],
    instruction: `do ${id}`,
    goals: [],
    provider: "agent",
    tier: "standard",
    isolation: "none",
    permission: "edit",
    join: { strategy: "wait_for_all" },
    ...more,
  };
}

export function gatePiece(dependsOn: readonly string[], sendBack: readonly string[] = dependsOn): GatePiece {
  return { kind: "gate", id: "gate", dependsOn, onFail: { sendBack, rounds: Number.MAX_SAFE_INTEGER } };
}

/** A session of one agent piece and a gate, unless other pieces are named. */
export function aSpec(pieces?: readonly PlanPiece[], limits: Partial<Limits> = {}): SessionSpec {
  const base = treeId("base");
  return {
    kind: "go",
    title: "a story",
    goals: [{ name: "goal", description: "reach it" }],
    topLevel: "/top",
    sessionWorktree: false,
    workspaceKind: "git",
    ignoreRules: "rules",
    providers: [{ kind: "command", id: "agent", argv: ["agent"], promptOnStdin: true }],
    pieces: pieces ?? [agentPiece("work"), gatePiece(["work"])],
    gate: {
      checks: [],
      goals: ["goal"],
      protection: { paths: [], globs: [], unprotected: [], manifests: [], allowTests: false },
      environment: { base, snapshots: [], envFiles: [], setup: [] },
      base,
      guard: false,
      flakyRetries: 0,
      toolPath: "/usr/bin",
      digest: sha256("gate"),
    },
    commands: [],
    limits: { ...DEFAULT_LIMITS, ...limits },
    approvals: [],
    delivery: { kind: "leave" },
    allowUnknownCost: false,
    ifNeeded: false,
    rules: [],
    forbiddenPaths: [],
  };
}

/** What a gate may say of a tree. */
export function aResult(satisfied: boolean, tree: TreeId, more: Partial<GateResult> = {}): GateResult {
  return {
    tree,
    level: "clean",
    checks: [],
    targets: [],
    satisfied,
    touchedProtected: [],
    restoredButWouldPass: [],
    needsApproval: [],
    keptEdits: [],
    ...more,
  };
}

/** A session told event by event, without stores and processes: each method adds what the engine would append. */
export class Story {
  readonly events: DatedEvent[] = [];
  state: SessionState;
  nowMs = BEGIN_MS;

  constructor(spec: SessionSpec = aSpec()) {
    const created = { type: "session:created", data: { spec, facts: null } } as const;
    const event: DatedEvent = { ...created, at: instant(this.nowMs), seq: 1 };
    this.events.push(event);
    this.state = step(undefined, event);
  }

  /** A session that has begun to run. */
  static running(spec?: SessionSpec): Story {
    return new Story(spec).add(
      { type: "session:moved", data: { from: "created", to: "validating", why: "start" } },
      { type: "session:moved", data: { from: "validating", to: "planning", why: "start" } },
      { type: "session:moved", data: { from: "planning", to: "running", why: "planned" } },
    );
  }

  /** One second later. */
  add(...added: readonly SessionEvent[]): this {
    this.pass(1000);
    for (const one of added) {
      const event: DatedEvent = { ...one, at: instant(this.nowMs), seq: this.events.length + 1 };
      this.events.push(event);
      this.state = step(this.state, event);
    }
    return this;
  }

  pass(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** In the round that is under way, or in the next one after a gate has said no. */
  dispatch(piece: string): AttemptId {
    const { attempts, gates } = this.state;
    const entropy = new Uint8Array(10).fill(attempts.length);
    const attempt = makeId("attempt", this.nowMs, entropy);
    const refused = gates.some((gate) => gate.iteration === this.state.iteration && !gate.result.satisfied);
    const iteration = this.state.iteration === 0 || refused ? this.state.iteration + 1 : this.state.iteration;
    const plan = this.state.spec.pieces.find((one) => one.id === piece);
    const isolated = plan?.kind === "agent" && plan.isolation === "worktree";
    const begun: SessionEvent[] =
      iteration > this.state.iteration ? [{ type: "iteration:started", data: { iteration } }] : [];
    this.add(...begun, {
      type: "attempt:dispatched",
      data: {
        attempt,
        piece,
        iteration,
        n: attempts.filter((one) => one.piece === piece).length + 1,
        assignment: sha256(attempt),
        before: this.state.currentTree,
        provider: plan?.kind === "agent" ? providerNow(this.state, plan, this.nowMs) : "agent",
        workDir: isolated ? `/worktrees/${attempt}` : "/top",
        promptDigest: sha256("prompt"),
        steering: this.state.steering,
        continues: null,
        isolated,
      },
    });
    return attempt;
  }

  spawn(attempt: AttemptId): this {
    const workDir = attemptOf(this.state, attempt)?.workDir ?? "/top";
    const data = { attempt, nonce: `nonce of ${attempt}`, dir: `/traces/${attempt}`, fence: 1, workDir };
    const identity = { pid: 7, startTicks: "7", bootId: "boot", pidNamespace: "pid:[1]", host: "here" };
    return this.add(
      { type: "attempt:starting", data: { ...data, agentSession: null } },
      { type: "attempt:spawned", data: { attempt, identity, containment: "group" } },
    );
  }

  end(attempt: AttemptId, end: AttemptEnd = { reason: "done" }, more: Partial<AttemptEnded> = {}): this {
    const ended: AttemptEnded = {
      attempt,
      end,
      exitCode: null,
      durationMs: 1,
      after: treeId(attempt),
      changes: [],
      facts: null,
      agentSession: null,
      model: null,
      summary: "",
      usage: { kind: "known", provenance: "measured", models: [] },
      priced: [],
      cumulative: [],
      containment: null,
      survivorsKilled: 0,
      escaped: 0,
      artifacts: [],
      seal: null,
      ...more,
    };
    return this.add({ type: "attempt:ended", data: ended });
  }

  /** Dispatched, spawned and ended. */
  attempt(piece: string, end?: AttemptEnd, more?: Partial<AttemptEnded>): AttemptId {
    const attempt = this.dispatch(piece);
    this.spawn(attempt).end(attempt, end, more);
    return attempt;
  }

  beginGate(tree: TreeId = this.state.currentTree, piece = "gate"): this {
    const iteration = Math.max(this.state.iteration, 1);
    return this.add({ type: "gate:started", data: { piece, iteration, tree, level: "clean" } });
  }

  /** What a gate says, without what follows from it for the goal. */
  evaluate(satisfied: boolean, piece: string, more: Partial<GateResult> = {}): this {
    this.beginGate(more.tree, piece);
    const iteration = Math.max(this.state.iteration, 1);
    const result = aResult(satisfied, this.state.currentTree, more);
    return this.add({
      type: "gate:evaluated",
      data: { piece, iteration, result, headKnown: true, threat: "same-user" },
    });
  }

  judge(satisfied: boolean, more: Partial<GateResult> = {}): this {
    this.evaluate(satisfied, "gate", more);
    const { iteration, currentTree: tree } = this.state;
    return satisfied
      ? this.add({ type: "goal:satisfied", data: { tree, iteration: Math.max(iteration, 1) } })
      : this;
  }

  /** The process died and another went on. */
  crash(): this {
    return this.add(
      {
        type: "session:recovered",
        data: { drained: [], lost: [], reapedProcesses: 0, restoredPaths: [] },
      },
      { type: "session:resumed", data: {} },
    );
  }

  /** Stopped, closed and gone on with. */
  stopAndResume(limits: Partial<Limits> = {}): this {
    return this.add(
      { type: "session:stopped", data: { reason: { why: "asked", how: "boundary", by: "test" } } },
      ...movesTo(this.state.lifecycle, "paused", "asked"),
      { type: "session:moved", data: { from: "paused", to: "closed", why: "asked" } },
    )
      .pass(60_000)
      .add(
        { type: "session:moved", data: { from: "closed", to: "validating", why: "resume" } },
        { type: "session:resumed", data: { limits } },
      );
  }
}
