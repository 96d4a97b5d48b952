/*
 * Times are in milliseconds since 1970. Records and items are JSON, because SQLite can not store lone surrogates as text,
 * and JSON escapes them.
 */

/** The tables of version 1. */
export const SCHEMA_1 = `
  CREATE TABLE keepsake_schema (version INTEGER NOT NULL) STRICT;
  INSERT INTO keepsake_schema VALUES (0);

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
    PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX keepsake_operations_in_order ON keepsake_operations (session, number);

  CREATE TABLE keepsake_namespaces (
    namespace INTEGER PRIMARY KEY AUTOINCREMENT,
    -- As formatNamespace of @keepsake/core writes it: descendants are a range.
    path TEXT NOT NULL UNIQUE,
    record_count INTEGER NOT NULL DEFAULT 0,
    -- How the texts in the index were analysed; NULL without texts.
    analysis TEXT,
    last_document INTEGER NOT NULL DEFAULT 0,
    document_count INTEGER NOT NULL DEFAULT 0,
    total_length INTEGER NOT NULL DEFAULT 0,
    total_squares INTEGER NOT NULL DEFAULT 0,
    -- Rises when a vector is removed.
    removed_vectors INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE keepsake_records (
    -- In the order of creation.
    record INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    id TEXT NOT NULL,
    json TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    -- The number in the index, in the order of puts; NULL if search does not find it.
    document INTEGER,
    flags INTEGER NOT NULL DEFAULT 0,
    thread TEXT,
    turn_index INTEGER,
    speaker TEXT
  ) STRICT;
  CREATE UNIQUE INDEX keepsake_records_by_id ON keepsake_records (namespace, id);
  CREATE INDEX keepsake_records_in_order ON keepsake_records (namespace, record);
  CREATE UNIQUE INDEX keepsake_records_by_document ON keepsake_records (namespace, document) WHERE document IS NOT NULL;
  CREATE INDEX keepsake_records_by_turn ON keepsake_records (namespace, thread, turn_index, document)
    WHERE thread IS NOT NULL AND document IS NOT NULL;
  CREATE INDEX keepsake_records_expiring ON keepsake_records (namespace, expires_ms) WHERE expires_ms IS NOT NULL;

  -- Which records have a value in a field of their metadata or source: see records/field-rows.ts.
  CREATE TABLE keepsake_fields (
    namespace INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (namespace, field, value, record)
  ) STRICT, WITHOUT ROWID;

  -- The documents of a block that have a term, three bytes each: see search/postings.ts.
  CREATE TABLE keepsake_postings (
    namespace INTEGER NOT NULL,
    block INTEGER NOT NULL,
    term TEXT NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (namespace, block, term)
  ) STRICT, WITHOUT ROWID;

  -- How many documents are in a language, or by a speaker.
  CREATE TABLE keepsake_counts (
    namespace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keepsake_vectors (
    namespace INTEGER NOT NULL,
    document INTEGER NOT NULL,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (namespace, document)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Version 2 remembers when operations were applied; those that were applied before count as applied now. It also has the
 * secret of cursors, which hides how much others have written.
 */
export const SCHEMA_2 = `
  ALTER TABLE keepsake_operations ADD COLUMN applied_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE keepsake_operations SET applied_ms = unixepoch() * 1000;
  ALTER TABLE keepsake_schema ADD COLUMN cursor_secret TEXT;
  UPDATE keepsake_schema SET cursor_secret = hex(randomblob(32));
`;

/** Version 3 indexes only the fields that stores declare. A filter that names one has the records indexed that are there. */
export const SCHEMA_3 = `
  DELETE FROM keepsake_fields;
  CREATE TABLE keepsake_indexed_fields (
    namespace INTEGER NOT NULL,
    field TEXT NOT NULL,
    -- Records up to this one have been indexed. NULL: all are.
    indexed_record INTEGER,
    PRIMARY KEY (namespace, field)
  ) STRICT, WITHOUT ROWID;
`;

/** Version 4 tells searches where the documents with a value are, without a look at the records. Indexes the fields again. */
export const SCHEMA_4 = `
  DELETE FROM keepsake_indexed_fields;
  DROP TABLE keepsake_fields;
  CREATE TABLE keepsake_fields (
    namespace INTEGER NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    record INTEGER NOT NULL,
    -- As in keepsake_records.
    document INTEGER,
    PRIMARY KEY (namespace, field, value, record)
  ) STRICT, WITHOUT ROWID;
`;

/** Version 5 takes a namespace away at once; its rows are removed afterwards: see cleared-rows.ts. */
export const SCHEMA_5 = `
  CREATE TABLE keepsake_cleared (namespace INTEGER PRIMARY KEY) STRICT;
`;
