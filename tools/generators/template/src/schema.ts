import type { Namespace } from '@keepsake/core';

/** The tables. `place` and `activity` are sequences, so they are unique, whatever the clock says. */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS keepsake_sessions (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    activity INTEGER NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE IF NOT EXISTS keepsake_items (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    item TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS keepsake_items_of_session ON keepsake_items (session, place);

  CREATE TABLE IF NOT EXISTS keepsake_operations (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (session, id)
  ) STRICT;

  -- AUTOINCREMENT: a place that was given up is given to nobody else, so no cursor skips a record that came later.
  CREATE TABLE IF NOT EXISTS keepsake_records (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    expires_at TEXT,
    UNIQUE (namespace, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS keepsake_records_in_order ON keepsake_records (namespace, place);
  CREATE INDEX IF NOT EXISTS keepsake_records_expiring ON keepsake_records (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE IF NOT EXISTS keepsake_words (
    namespace TEXT NOT NULL,
    word TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (namespace, word, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS keepsake_words_of_record ON keepsake_words (place);
  CREATE TRIGGER IF NOT EXISTS keepsake_forget_words AFTER DELETE ON keepsake_records BEGIN
    DELETE FROM keepsake_words WHERE place = old.place;
  END;

  CREATE TABLE IF NOT EXISTS keepsake_secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT;
  INSERT OR IGNORE INTO keepsake_secrets VALUES ('cursors', hex(randomblob(32)));
`;

/** A namespace as one value. JSON separates the segments, whatever they contain: `['a', 'b']` is not `['a:b']`. */
export function namespaceKey(namespace: Namespace): string {
  return JSON.stringify(namespace);
}

/** The inverse of {@link namespaceKey}. */
export function readNamespaceKey(key: string): Namespace {
  return JSON.parse(key) as Namespace;
}
