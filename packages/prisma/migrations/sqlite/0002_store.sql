-- The tables of Keepsake's memory stores, version 1, for SQLite 3.38 and newer.
-- Can be run again, and by several at once: what is there stays as it is.

CREATE TABLE IF NOT EXISTS "keepsake_records" (
  -- The order of creation.
  "seq" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  -- The namespace as text that tells each from every other, below /; and the id in it.
  "namespace" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  -- JSON texts.
  "content" TEXT NOT NULL,
  "metadata" TEXT NOT NULL,
  "turn" TEXT,
  "version" INTEGER NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" BIGINT NOT NULL,
  "updated_ms" BIGINT NOT NULL,
  "expires_ms" BIGINT,
  -- What search looks at; none of what is kept out of it.
  "words" TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_id_key" ON "keepsake_records" ("namespace", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_seq_idx" ON "keepsake_records" ("namespace", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms");

CREATE VIRTUAL TABLE IF NOT EXISTS "keepsake_record_words" USING fts5 ("words", content='keepsake_records', content_rowid='seq', tokenize='unicode61');
CREATE TRIGGER IF NOT EXISTS "keepsake_record_added" AFTER INSERT ON "keepsake_records"
BEGIN
  INSERT INTO "keepsake_record_words" ("rowid", "words") VALUES (NEW."seq", NEW."words");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_gone" AFTER DELETE ON "keepsake_records"
BEGIN
  INSERT INTO "keepsake_record_words" ("keepsake_record_words", "rowid", "words") VALUES ('delete', OLD."seq", OLD."words");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_changed" AFTER UPDATE OF "words" ON "keepsake_records"
BEGIN
  INSERT INTO "keepsake_record_words" ("keepsake_record_words", "rowid", "words") VALUES ('delete', OLD."seq", OLD."words");
  INSERT INTO "keepsake_record_words" ("rowid", "words") VALUES (NEW."seq", NEW."words");
END;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'sqlite', 1) ON CONFLICT DO NOTHING;
