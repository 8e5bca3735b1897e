import { runKeys } from "../../formats/ocp/run-keys.ts";
import { text } from "./columns.ts";
import type { Database } from "./driver.ts";
import { SQL } from "./statements.ts";

/** One version's step: SQL, or code where the new columns follow from what the old ones hold. */
export type Migration = string | ((db: Database) => void);

/**
 * The schema, one entry per version; an entry that was released never changes. The SQL is what SQLite and Postgres
 * have in common: text ids, ISO times and JSON as text, integers for booleans, money as BIGINT micro-dollars.
 */
export const MIGRATIONS: readonly Migration[] = [
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
  separateDocuments,
  `
  CREATE TABLE recommendations (
    recommendation TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    task_type TEXT NOT NULL,
    repo TEXT,
    pick TEXT NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX recommendations_by_age ON recommendations (at, recommendation);
  CREATE TABLE recommended_configurations (
    configuration TEXT NOT NULL,
    recommendation TEXT NOT NULL,
    PRIMARY KEY (configuration, recommendation)
  );
  `,
  `
  CREATE TABLE loop_records (
    top_level TEXT NOT NULL,
    loop TEXT NOT NULL,
    kind TEXT NOT NULL,
    record_key TEXT NOT NULL,
    part TEXT NOT NULL,
    at TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (top_level, loop, kind, record_key, part)
  );
  `,
];

/** Lists walk the rows of all runs: documents of many kilobytes between them made that slow. */
function separateDocuments(db: Database): void {
  db.exec(`
  CREATE TABLE run_documents (run TEXT PRIMARY KEY, document TEXT NOT NULL);
  INSERT INTO run_documents (run, document) SELECT run, document FROM runs;
  ALTER TABLE runs DROP COLUMN document;
  ALTER TABLE runs ADD COLUMN state TEXT NOT NULL DEFAULT 'finished';
  ALTER TABLE runs ADD COLUMN origin TEXT NOT NULL DEFAULT 'recorded';
  ALTER TABLE runs ADD COLUMN source TEXT;
  ALTER TABLE runs ADD COLUMN task TEXT;
  ALTER TABLE runs ADD COLUMN base_commit TEXT;
  ALTER TABLE runs ADD COLUMN slate TEXT;
  ALTER TABLE runs ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
  DROP INDEX runs_by_age;
  CREATE INDEX runs_by_age ON runs (started_at, run);
  CREATE INDEX runs_by_cost ON runs (cost_micro_usd, run);
  CREATE INDEX runs_of_repo ON runs (repo, started_at, run);
  CREATE INDEX runs_of_outcome ON runs (outcome, started_at, run);
  CREATE INDEX runs_of_configuration ON runs (configuration, started_at, run);
  CREATE INDEX runs_of_slate ON runs (slate);
  CREATE INDEX runs_of_base ON runs (base_commit);
  CREATE TABLE run_commits (commit_hash TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (commit_hash, run));
  CREATE INDEX commits_of_run ON run_commits (run);
  CREATE TABLE run_labels (label TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (label, run));
  CREATE INDEX labels_of_run ON run_labels (run);
  `);
  for (const row of db.all("SELECT run, document FROM run_documents")) {
    const { commits, labels } = runKeys(parsed(text(row, "document")));
    for (const commit of commits) db.run(SQL.putRunCommit, commit, text(row, "run"));
    for (const label of labels) db.run(SQL.putRunLabel, label, text(row, "run"));
  }
}

/** A document that cannot be read has no keys; that is no reason to keep the whole store from opening. */
function parsed(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return undefined;
  }
}
