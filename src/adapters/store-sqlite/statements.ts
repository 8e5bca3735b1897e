/** Every statement of the store and the queue, in SQL that SQLite and Postgres share. */
export const SQL = {
  nextNumber: "SELECT COALESCE(MAX(number), 0) + 1 AS number FROM sessions WHERE top_level = ?",
  insertSession: `INSERT INTO sessions (session, number, top_level, title, state, outcome, created_at, updated_at,
    projection, head_seq, head_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateSession: `UPDATE sessions SET title = ?, state = ?, outcome = ?, updated_at = ?, projection = ?, head_seq = ?,
    head_hash = ? WHERE session = ?`,
  session: "SELECT * FROM sessions WHERE session = ?",
  sessions: "SELECT * FROM sessions",
  sessionsNewestFirst: "ORDER BY created_at DESC, number DESC, session DESC",
  appendPoint: `SELECT s.head_seq, s.head_hash, s.updated_at, l.fence, l.owner,
    (SELECT COALESCE(MAX(e.seq), 0) FROM events e WHERE e.session = s.session) AS last_seq FROM sessions s
    LEFT JOIN leases l ON l.session = s.session WHERE s.session = ?`,
  insertEvent: "INSERT INTO events (session, seq, type, at, data, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
  events: "SELECT * FROM events WHERE session = ? AND seq > ? ORDER BY seq",

  lease: "SELECT * FROM leases WHERE session = ?",
  putLease: `INSERT INTO leases (session, fence, owner, expires_at, holder) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET fence = excluded.fence, owner = excluded.owner,
    expires_at = excluded.expires_at, holder = excluded.holder`,
  renewLease: "UPDATE leases SET expires_at = ? WHERE session = ? AND fence = ? AND owner IS NOT NULL",
  releaseLease: "UPDATE leases SET owner = NULL WHERE session = ? AND fence = ?",

  checkout: "SELECT * FROM checkouts WHERE real_path = ?",
  putCheckout: `INSERT INTO checkouts (real_path, session, holder) VALUES (?, ?, ?)
    ON CONFLICT (real_path) DO UPDATE SET session = excluded.session, holder = excluded.holder`,
  dropCheckout: "DELETE FROM checkouts WHERE real_path = ? AND session = ?",

  insertCommand: `INSERT INTO commands (id, session, position, kind, payload, at)
    VALUES (?, ?, (SELECT COALESCE(MAX(position), 0) + 1 FROM commands), ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  pendingCommands: "SELECT * FROM commands WHERE session = ? AND answered = 0 ORDER BY position",
  answerCommand: "UPDATE commands SET answered = 1 WHERE id = ? AND session = ? AND answered = 0",

  insertAttempt: `INSERT INTO attempts (attempt, session, position, exclusive_key, capability, priority, not_before,
    assignment, state) VALUES (?, ?, (SELECT COALESCE(MAX(position), 0) + 1 FROM attempts), ?, ?, ?, ?, ?, 'ready')`,
  insertNeed:
    "INSERT INTO attempt_needs (attempt, needs) VALUES (?, ?) ON CONFLICT (attempt, needs) DO NOTHING",
  attemptState: "SELECT state FROM attempts WHERE attempt = ?",
  dropAttempt: "DELETE FROM attempts WHERE attempt = ?",
  dropNeeds: "DELETE FROM attempt_needs WHERE attempt = ?",
  attempts: "SELECT * FROM attempts WHERE session = ? ORDER BY position",
  claimAttempt: `UPDATE attempts SET state = 'claimed', fence = fence + 1, worker = ?, lease_until = ?
    WHERE attempt = ? RETURNING attempt, session, worker, fence, assignment, lease_until`,
  heartbeat: `UPDATE attempts SET lease_until = ? WHERE attempt = ? AND fence = ? AND state = 'claimed'
    RETURNING cancel_requested`,
  complete: `UPDATE attempts SET state = 'settled', result = ?, lease_until = NULL
    WHERE attempt = ? AND fence = ? AND assignment = ? AND state = 'claimed'`,
  cancel: `UPDATE attempts SET cancel_requested = 1, state = CASE WHEN state = 'ready' THEN 'canceled' ELSE state END
    WHERE attempt = ? AND state IN ('ready', 'claimed')`,
  revoke: `UPDATE attempts SET state = 'canceled', fence = fence + 1, worker = NULL, lease_until = NULL
    WHERE attempt = ? AND fence = ? AND state = 'claimed'`,

  putRun: `INSERT INTO runs (run, session, title, state, origin, started_at, ended_at, outcome, configuration, source,
    task, task_type, repo, base_commit, slate, cost_micro_usd, cost_basis, unknown_costs, attempts, revision)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run) DO UPDATE SET session = excluded.session, title = excluded.title, state = excluded.state,
    origin = excluded.origin, started_at = excluded.started_at, ended_at = excluded.ended_at,
    outcome = excluded.outcome, configuration = excluded.configuration, source = excluded.source,
    task = excluded.task, task_type = excluded.task_type, repo = excluded.repo, base_commit = excluded.base_commit,
    slate = excluded.slate, cost_micro_usd = excluded.cost_micro_usd, cost_basis = excluded.cost_basis,
    unknown_costs = excluded.unknown_costs, attempts = excluded.attempts, revision = excluded.revision`,
  putRunDocument: `INSERT INTO run_documents (run, document) VALUES (?, ?)
    ON CONFLICT (run) DO UPDATE SET document = excluded.document`,
  putRunCommit: "INSERT INTO run_commits (commit_hash, run) VALUES (?, ?) ON CONFLICT DO NOTHING",
  putRunLabel: "INSERT INTO run_labels (label, run) VALUES (?, ?) ON CONFLICT DO NOTHING",
  dropRunCommits: "DELETE FROM run_commits WHERE run = ?",
  dropRunLabels: "DELETE FROM run_labels WHERE run = ?",
  runRevision: "SELECT revision FROM runs WHERE run = ?",
  runs: "SELECT * FROM runs",
  run: "SELECT r.*, d.document FROM runs r JOIN run_documents d ON d.run = r.run WHERE r.run = ?",
  runDocument: "SELECT document FROM run_documents WHERE run = ?",
  runTotals: `SELECT COUNT(*) AS runs, COALESCE(SUM(cost_micro_usd), 0) AS cost_micro_usd,
    COALESCE(SUM(unknown_costs), 0) AS unknown_costs,
    COALESCE(SUM(CASE WHEN unknown_costs > 0 THEN 1 ELSE 0 END), 0) AS runs_not_costed FROM runs`,

  putRecommendation: `INSERT INTO recommendations (recommendation, at, task_type, repo, pick, document)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (recommendation) DO NOTHING`,
  putRecommended: `INSERT INTO recommended_configurations (configuration, recommendation) VALUES (?, ?)
    ON CONFLICT DO NOTHING`,
  recommendations: "SELECT recommendation, at, task_type, repo, pick FROM recommendations",
  recommendationsNewestFirst: "ORDER BY at DESC, recommendation DESC",
  recommendation: "SELECT document FROM recommendations WHERE recommendation = ?",
  recommendationOf: `SELECT r.document FROM recommended_configurations c
    JOIN recommendations r ON r.recommendation = c.recommendation WHERE c.configuration = ?
    ORDER BY r.at DESC, r.recommendation DESC LIMIT 1`,

  putLoopRecord: `INSERT INTO loop_records (top_level, loop, kind, record_key, part, at, document)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (top_level, loop, kind, record_key, part)
    DO UPDATE SET at = excluded.at, document = excluded.document`,
  dropLoopRecord:
    "DELETE FROM loop_records WHERE top_level = ? AND loop = ? AND kind = ? AND record_key = ? AND part = ?",
  loopRecords: "SELECT * FROM loop_records",
  loopRecordsNewestFirst: "ORDER BY at DESC, kind, record_key, part",
} as const;

/** The best claimable attempt: highest priority, then oldest. `?`: now, each capability, then perhaps the session. */
export function bestReadyAttempt(capabilities: number, ofSession: boolean): string {
  return `SELECT a.attempt FROM attempts a WHERE a.state = 'ready' AND a.not_before <= ?
    AND a.capability IN (${list(capabilities)})${ofSession ? " AND a.session = ?" : ""}
    AND NOT EXISTS (SELECT 1 FROM attempts c WHERE c.exclusive_key = a.exclusive_key AND c.state = 'claimed')
    AND NOT EXISTS (SELECT 1 FROM attempt_needs d JOIN attempts n ON n.attempt = d.needs
      WHERE d.attempt = a.attempt AND n.state <> 'settled')
    ORDER BY a.priority DESC, a.position LIMIT 1`;
}

/** Placeholders for `count` values. */
function list(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** SQL with placeholders, and the value of each. */
export interface Query {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** A condition with `?` and its value, or a column and the values it may have. Without a value it is left out. */
export type Condition = readonly [sql: string, value: string | readonly string[] | undefined];

/** ` WHERE ...` of the conditions that have a value, or nothing. No row is meant by an empty list of values. */
export function whereOf(conditions: readonly Condition[]): Query {
  const where: string[] = [];
  const params: string[] = [];
  for (const [sql, value] of conditions) {
    if (value === undefined) continue;
    if (typeof value === "string") where.push(sql);
    else if (sql.includes("?")) where.push(sql);
    else where.push(value.length === 0 ? "1 = 0" : `${sql} IN (${list(value.length)})`);
    params.push(...(typeof value === "string" ? [value] : value));
  }
  return { sql: where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`, params };
}

/** A select with the conditions that have a value. */
export function selection(
  select: string,
  order: string,
  limit: number | undefined,
  conditions: readonly Condition[],
): Query {
  const { sql, params } = whereOf(conditions);
  if (limit === undefined) return { sql: `${select}${sql} ${order}`, params };
  return { sql: `${select}${sql} ${order} LIMIT ?`, params: [...params, limit] };
}
