/*
 * Times are in milliseconds since 1970. Records and items are JSON, because SQLite can not store lone surrogates as text,
 * and JSON escapes them.
 */

/** The tables of version 1. */
export const SCHEMA_1 = `
  -- The secret of cursors hides how much others have written.
  CREATE TABLE keepsake_schema (version INTEGER NOT NULL, cursor_secret TEXT NOT NULL) STRICT;
  INSERT INTO keepsake_schema VALUES (0, hex(randomblob(32)));

  CREATE TABLE keepsake_sessions (
    session INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    -- Higher than that of all sessions that changed before.
    activity INTEGER NOT NULL,
    item_count INTEGER NOT NULL,
    expires_ms INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX keepsake_sessions_by_activity ON keepsake_sessions (activity);
  CREATE INDEX keepsake_sessions_expiring ON keepsake_sessions (expires_ms) WHERE expires_ms IS NOT NULL;

  -- The segments of the ids of sessions, as in them: what is between colons, each once.
  CREATE TABLE keepsake_session_segments (
    segment TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (segment, session)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keepsake_items (
    -- The session, and in the lower 32 bits the number of the item. SQLite adds rows fastest behind the highest rowid.
    place INTEGER PRIMARY KEY,
    item TEXT NOT NULL
  ) STRICT;

  CREATE TABLE keepsake_operations (
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest TEXT NOT NULL,
    applied_ms INTEGER NOT NULL,
    PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX keepsake_operations_in_order ON keepsake_operations (session, number);

  CREATE TABLE keepsake_namespaces (
    namespace INTEGER PRIMARY KEY AUTOINCREMENT,
    -- As formatNamespace of @keepsake/core writes it: descendants are a range.
    path TEXT NOT NULL UNIQUE,
    records INTEGER NOT NULL DEFAULT 0,
    deletions INTEGER NOT NULL DEFAULT 0,
    -- The last deletion that is no longer among the records.
    forgotten INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- The segments of the paths of namespaces, as in them, each once.
  CREATE TABLE keepsake_segments (
    segment TEXT NOT NULL,
    namespace INTEGER NOT NULL,
    PRIMARY KEY (segment, namespace)
  ) STRICT, WITHOUT ROWID;

  -- Namespaces that were taken away, while their rows are being removed: see cleared-rows.ts.
  CREATE TABLE keepsake_cleared (namespace INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE keepsake_records (
    -- In the order of changes: a change removes the row of the record and adds another one.
    change INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- NULL for a record that was deleted.
    json TEXT,
    -- In the order of creation: the change that created the record.
    created INTEGER,
    expires_ms INTEGER,
    -- The vector of the content, and the id of the embedder that made it.
    embedder TEXT,
    vector BLOB
  ) STRICT;
  CREATE UNIQUE INDEX keepsake_records_by_id ON keepsake_records (namespace, id);
  -- Each index has the number of the change, too, in this order.
  CREATE INDEX keepsake_records_by_change ON keepsake_records (namespace);
  CREATE INDEX keepsake_records_by_creation ON keepsake_records (namespace, created) WHERE json IS NOT NULL;
  CREATE INDEX keepsake_records_expiring ON keepsake_records (namespace, expires_ms) WHERE expires_ms IS NOT NULL;
  CREATE INDEX keepsake_records_deleted ON keepsake_records (namespace) WHERE json IS NULL;

  -- Saved tables of searches, which are caches.
  CREATE TABLE keepsake_indexes (
    saved INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    -- How its records are searched.
    variant TEXT NOT NULL,
    -- The last change that is in it; NULL while it is written.
    change INTEGER,
    -- When more of it was written last.
    written_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX keepsake_indexes_by_namespace ON keepsake_indexes (namespace, variant);
  CREATE TABLE keepsake_pages (
    -- The number of the index, and in the lower 20 bits that of the page.
    place INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
`;
