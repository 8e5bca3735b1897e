/**
 * The schema, one entry per version; an entry that was released never changes. The SQL is what SQLite and Postgres
 * have in common: text ids, ISO times and JSON as text, integers for booleans, money as BIGINT micro-dollars.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    top_level TEXT NOT NULL,
    title TEXT NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    projection TEXT NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    UNIQUE (top_level, number)
  );
  CREATE INDEX sessions_by_age ON sessions (created_at);
  CREATE TABLE events (
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    data TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE TABLE leases (
    session TEXT PRIMARY KEY,
    fence INTEGER NOT NULL,
    owner TEXT,
    expires_at TEXT NOT NULL,
    holder TEXT NOT NULL
  );
  CREATE TABLE checkouts (
    real_path TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    holder TEXT NOT NULL
  );
  CREATE TABLE commands (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    at TEXT NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX commands_of_session ON commands (session, answered, position);
  CREATE TABLE attempts (
    attempt TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    position INTEGER NOT NULL,
    exclusive_key TEXT NOT NULL,
    capability TEXT NOT NULL,
    priority INTEGER NOT NULL,
    not_before TEXT NOT NULL,
    assignment TEXT NOT NULL,
    state TEXT NOT NULL,
    fence INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease_until TEXT,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    result TEXT
  );
  CREATE INDEX attempts_in_order ON attempts (state, priority DESC, position);
  CREATE INDEX attempts_of_session ON attempts (session, position);
  CREATE UNIQUE INDEX one_claim_per_key ON attempts (exclusive_key) WHERE state = 'claimed';
  CREATE TABLE attempt_needs (
    attempt TEXT NOT NULL,
    needs TEXT NOT NULL,
    PRIMARY KEY (attempt, needs)
  );
  CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    session TEXT,
    title TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT NOT NULL,
    configuration TEXT,
    repo TEXT,
    task_type TEXT,
    cost_micro_usd BIGINT NOT NULL,
    cost_basis TEXT,
    unknown_costs INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX runs_by_age ON runs (started_at);
  `,
];
