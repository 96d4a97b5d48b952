-- The tables of Keepsake's memory stores, version 1, for SQLite 3.42 and newer, with FTS5.
-- Can be run repeatedly and concurrently: keeps what exists.

CREATE TABLE IF NOT EXISTS "keepsake_records" (
  -- The order of creation.
  "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  -- The namespace, and a digest of it, because a namespace may be long.
  "namespace" TEXT NOT NULL,
  "namespace_key" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  -- Unchanged, except that characters that databases or drivers do not return, such as NUL, are escaped as two characters.
  "content" TEXT NOT NULL,
  -- JSON.
  "metadata" TEXT NOT NULL,
  -- For filters: the value of each metadata field as text, after a letter for its type. Names that begin with U+FEFE and a
  -- letter are fields of the source.
  "fields" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" BIGINT NOT NULL,
  "updated_ms" BIGINT NOT NULL,
  "expires_ms" BIGINT,
  -- Its position in a conversation.
  "thread" TEXT,
  "turn_index" BIGINT,
  "speaker" TEXT,
  -- For search, or NULL for records kept out of it. Each word as often as it occurs.
  "words" TEXT,
  "word_count" INTEGER,
  "language" TEXT,
  -- Bits: 1 the text ends with a question, 2 it mentions a time, 4 it gives a standing instruction.
  "flags" INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_key_id_key" ON "keepsake_records" ("namespace_key", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_key_seq_idx" ON "keepsake_records" ("namespace_key", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_idx" ON "keepsake_records" (substr("namespace", 1, 256), "namespace_key");
CREATE INDEX IF NOT EXISTS "keepsake_records_thread_idx" ON "keepsake_records" ("namespace_key", "thread", "turn_index", "seq") WHERE "thread" IS NOT NULL AND "language" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms") WHERE "expires_ms" IS NOT NULL;

-- The index of the words: which records contain them, and how often.
CREATE VIRTUAL TABLE IF NOT EXISTS "keepsake_record_words" USING fts5 ("words", content='keepsake_records', content_rowid='seq', tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE IF NOT EXISTS "keepsake_record_terms" USING fts5vocab ('keepsake_record_words', 'instance');
CREATE TRIGGER IF NOT EXISTS "keepsake_record_added" AFTER INSERT ON "keepsake_records"
BEGIN
  INSERT INTO "keepsake_record_words" ("rowid", "words") VALUES (NEW."seq", NEW."words");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_gone" AFTER DELETE ON "keepsake_records"
BEGIN
  INSERT INTO "keepsake_record_words" ("keepsake_record_words", "rowid", "words") VALUES ('delete', OLD."seq", OLD."words");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_changed" AFTER UPDATE OF "seq", "words" ON "keepsake_records"
WHEN OLD."seq" <> NEW."seq" OR OLD."words" IS NOT NEW."words"
BEGIN
  INSERT INTO "keepsake_record_words" ("keepsake_record_words", "rowid", "words") VALUES ('delete', OLD."seq", OLD."words");
  INSERT INTO "keepsake_record_words" ("rowid", "words") VALUES (NEW."seq", NEW."words");
END;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'sqlite', 1) ON CONFLICT DO NOTHING;
