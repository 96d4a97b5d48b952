/** The tables. `activity`, `place`, `log` and `change` are sequences, so they are unique, whatever the clock says. */
export const TABLES = `
  PRAGMA secure_delete = ON; -- For this connection: SQLite overwrites what it deletes.

  CREATE TABLE IF NOT EXISTS keepsake_sessions (
    id TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, activity INTEGER NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS keepsake_items (place INTEGER PRIMARY KEY, session TEXT NOT NULL, item TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS keepsake_items_of_session ON keepsake_items (session, place);
  CREATE TABLE IF NOT EXISTS keepsake_operations (
    session TEXT NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (session, id)) STRICT;

  -- AUTOINCREMENT never reuses a number: no reader takes a new log for an old one, or misses a change.
  CREATE TABLE IF NOT EXISTS keepsake_namespaces (log INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL UNIQUE) STRICT;
  -- record is NULL after a deletion or expiry, first_change if this change created the record.
  CREATE TABLE IF NOT EXISTS keepsake_records (
    change INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, id TEXT NOT NULL, record TEXT, expires_ms INTEGER,
    first_change INTEGER, created INTEGER AS (coalesce(first_change, change)), UNIQUE (namespace, id)) STRICT;
  CREATE INDEX IF NOT EXISTS keepsake_records_by_change ON keepsake_records (namespace, change);
  CREATE INDEX IF NOT EXISTS keepsake_records_by_creation ON keepsake_records (namespace, created);
  CREATE INDEX IF NOT EXISTS keepsake_records_expiring ON keepsake_records (expires_ms) WHERE expires_ms IS NOT NULL;

  CREATE TABLE IF NOT EXISTS keepsake_secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT;
  INSERT OR IGNORE INTO keepsake_secrets VALUES ('cursors', hex(randomblob(32)));
`;
