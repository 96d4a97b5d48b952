-- Indexes of large namespaces and of filters, for SQLite 3.42 and newer: version 3 of the tables of memory stores.
-- Can be run repeatedly and concurrently: keeps what exists.

-- A namespace with an index of its own.
CREATE TABLE IF NOT EXISTS "keepsake_indexes" (
  "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "namespace_key" TEXT NOT NULL,
  -- Records up to this one are in blocks. Those after it are read for each search.
  "packed_seq" BIGINT NOT NULL DEFAULT 0,
  "blocks" INTEGER NOT NULL DEFAULT 0,
  -- Changes of records up to this one are noted in keepsake_unpacked, and how many there were.
  "noted_seq" BIGINT NOT NULL DEFAULT 0,
  "changes" BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_indexes_namespace_key_key" ON "keepsake_indexes" ("namespace_key");

-- Up to about a thousand records with consecutive numbers, which are the same without their lower 13 bits.
CREATE TABLE IF NOT EXISTS "keepsake_blocks" (
  "number" INTEGER NOT NULL,
  "block" INTEGER NOT NULL,
  "last_seq" BIGINT NOT NULL,
  -- How often it was written. 0: from now on, changes of its records are noted, so that they can be read and then written.
  "writes" INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY ("number", "block")
);
CREATE TRIGGER IF NOT EXISTS "keepsake_block_planned" AFTER INSERT ON "keepsake_blocks"
BEGIN
  UPDATE "keepsake_indexes" SET "noted_seq" = NEW."last_seq" WHERE "number" = NEW."number";
END;

-- The records of a block that contain a word, three bytes each: two for the lower 13 bits of their number, the lower one
-- first, and one for the frequency (2 bits) and the length of the text (6 bits), in the steps of ranking.
CREATE TABLE IF NOT EXISTS "keepsake_postings" (
  "number" INTEGER NOT NULL,
  "block" INTEGER NOT NULL,
  "term" TEXT NOT NULL,
  "postings" BLOB NOT NULL,
  PRIMARY KEY ("number", "block", "term")
) WITHOUT ROWID;

-- Records that were changed or deleted since their block was planned.
CREATE TABLE IF NOT EXISTS "keepsake_unpacked" (
  "number" INTEGER NOT NULL,
  "seq" BIGINT NOT NULL,
  -- The number of its last change in the namespace.
  "change" BIGINT NOT NULL,
  PRIMARY KEY ("number", "seq")
) WITHOUT ROWID;

-- Notes that a record was changed. A record whose number was given again, or a new one with such a number, is changed too.
CREATE VIEW IF NOT EXISTS "keepsake_notes" AS SELECT NULL AS "namespace_key", NULL AS "seq" WHERE 0;
CREATE TRIGGER IF NOT EXISTS "keepsake_note" INSTEAD OF INSERT ON "keepsake_notes"
WHEN EXISTS (SELECT 1 FROM "keepsake_indexes" WHERE "namespace_key" = NEW."namespace_key" AND "noted_seq" >= NEW."seq")
BEGIN
  UPDATE "keepsake_indexes" SET "changes" = "changes" + 1 WHERE "namespace_key" = NEW."namespace_key";
  INSERT INTO "keepsake_unpacked" ("number", "seq", "change")
  SELECT "number", NEW."seq", "changes" FROM "keepsake_indexes" WHERE "namespace_key" = NEW."namespace_key"
  ON CONFLICT DO UPDATE SET "change" = excluded."change";
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_words_added" AFTER INSERT ON "keepsake_records"
WHEN NEW."words" IS NOT NULL
BEGIN
  INSERT INTO "keepsake_notes" ("namespace_key", "seq") VALUES (NEW."namespace_key", NEW."seq");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_words_changed" AFTER UPDATE OF "seq", "words", "word_count" ON "keepsake_records"
WHEN OLD."seq" <> NEW."seq" OR OLD."words" IS NOT NEW."words" OR OLD."word_count" IS NOT NEW."word_count"
BEGIN
  INSERT INTO "keepsake_notes" ("namespace_key", "seq") VALUES (OLD."namespace_key", OLD."seq");
  INSERT INTO "keepsake_notes" ("namespace_key", "seq") VALUES (NEW."namespace_key", NEW."seq");
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_words_gone" AFTER DELETE ON "keepsake_records"
WHEN OLD."words" IS NOT NULL
BEGIN
  INSERT INTO "keepsake_notes" ("namespace_key", "seq") VALUES (OLD."namespace_key", OLD."seq");
END;

-- Writes the postings of a planned block, or of one in which records have changed, unless another process did since they were
-- read. Their `changes` until then are no longer noted.
CREATE VIEW IF NOT EXISTS "keepsake_block_writes" AS SELECT
  NULL AS "number", NULL AS "block", NULL AS "writes", NULL AS "after_seq", NULL AS "last_seq", NULL AS "changes",
  -- A JSON array of [term, postings in hexadecimal].
  NULL AS "postings"
WHERE 0;
CREATE TRIGGER IF NOT EXISTS "keepsake_block_write" INSTEAD OF INSERT ON "keepsake_block_writes"
WHEN EXISTS (
  SELECT 1 FROM "keepsake_blocks" WHERE "number" = NEW."number" AND "block" = NEW."block" AND "writes" = NEW."writes"
)
BEGIN
  DELETE FROM "keepsake_postings" WHERE "number" = NEW."number" AND "block" = NEW."block";
  INSERT INTO "keepsake_postings" ("number", "block", "term", "postings")
  SELECT NEW."number", NEW."block", "value" ->> 0, unhex("value" ->> 1) FROM json_each(NEW."postings");
  DELETE FROM "keepsake_unpacked"
  WHERE "number" = NEW."number" AND "seq" > NEW."after_seq" AND "seq" <= NEW."last_seq" AND "change" <= NEW."changes";
  UPDATE "keepsake_blocks" SET "writes" = "writes" + 1 WHERE "number" = NEW."number" AND "block" = NEW."block";
  UPDATE "keepsake_indexes" SET "packed_seq" = max("packed_seq", NEW."last_seq"), "blocks" = max("blocks", NEW."block" + 1)
  WHERE "number" = NEW."number";
END;

-- A field that stores declared as indexed in a namespace.
CREATE TABLE IF NOT EXISTS "keepsake_indexed_fields" (
  "number" INTEGER NOT NULL,
  "field" TEXT NOT NULL,
  -- Records up to this one have been indexed. NULL: all are.
  "indexed_seq" BIGINT DEFAULT 0,
  PRIMARY KEY ("number", "field")
);

-- Which records have a value in such a field. Values are cut after 200 characters.
CREATE TABLE IF NOT EXISTS "keepsake_field_values" (
  "number" INTEGER NOT NULL,
  "field" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  "seq" BIGINT NOT NULL,
  PRIMARY KEY ("number", "field", "value", "seq")
);

-- An index without records goes as a whole.
CREATE TRIGGER IF NOT EXISTS "keepsake_records_gone" AFTER DELETE ON "keepsake_records"
WHEN NOT EXISTS (SELECT 1 FROM "keepsake_records" WHERE "namespace_key" = OLD."namespace_key")
BEGIN
  DELETE FROM "keepsake_indexes" WHERE "namespace_key" = OLD."namespace_key";
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_index_gone" AFTER DELETE ON "keepsake_indexes"
BEGIN
  DELETE FROM "keepsake_blocks" WHERE "number" = OLD."number";
  DELETE FROM "keepsake_postings" WHERE "number" = OLD."number";
  DELETE FROM "keepsake_unpacked" WHERE "number" = OLD."number";
  DELETE FROM "keepsake_indexed_fields" WHERE "number" = OLD."number";
  DELETE FROM "keepsake_field_values" WHERE "number" = OLD."number";
END;

CREATE TRIGGER IF NOT EXISTS "keepsake_record_fields_added" AFTER INSERT ON "keepsake_records"
WHEN EXISTS (SELECT 1 FROM "keepsake_indexes" WHERE "namespace_key" = NEW."namespace_key")
BEGIN
  INSERT OR IGNORE INTO "keepsake_field_values" ("number", "field", "value", "seq")
  SELECT f."number", f."field", substr(j."value", 1, 200), NEW."seq"
  FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
  CROSS JOIN json_each(NEW."fields") j ON j."key" = f."field"
  WHERE i."namespace_key" = NEW."namespace_key";
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_fields_changed" AFTER UPDATE OF "seq", "fields" ON "keepsake_records"
WHEN (OLD."seq" <> NEW."seq" OR OLD."fields" <> NEW."fields")
  AND EXISTS (SELECT 1 FROM "keepsake_indexes" WHERE "namespace_key" = NEW."namespace_key")
BEGIN
  -- By the number of the row, because SQLite would read the whole table for each record otherwise.
  DELETE FROM "keepsake_field_values" WHERE "rowid" IN (
    SELECT v."rowid"
    FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
    CROSS JOIN json_each(OLD."fields") j ON j."key" = f."field"
    CROSS JOIN "keepsake_field_values" v
      ON v."number" = f."number" AND v."field" = f."field" AND v."value" = substr(j."value", 1, 200) AND v."seq" = OLD."seq"
    WHERE i."namespace_key" = OLD."namespace_key"
  );
  INSERT OR IGNORE INTO "keepsake_field_values" ("number", "field", "value", "seq")
  SELECT f."number", f."field", substr(j."value", 1, 200), NEW."seq"
  FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
  CROSS JOIN json_each(NEW."fields") j ON j."key" = f."field"
  WHERE i."namespace_key" = NEW."namespace_key";
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_record_fields_gone" AFTER DELETE ON "keepsake_records"
WHEN EXISTS (SELECT 1 FROM "keepsake_indexes" WHERE "namespace_key" = OLD."namespace_key")
BEGIN
  DELETE FROM "keepsake_field_values" WHERE "rowid" IN (
    SELECT v."rowid"
    FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
    CROSS JOIN json_each(OLD."fields") j ON j."key" = f."field"
    CROSS JOIN "keepsake_field_values" v
      ON v."number" = f."number" AND v."field" = f."field" AND v."value" = substr(j."value", 1, 200) AND v."seq" = OLD."seq"
    WHERE i."namespace_key" = OLD."namespace_key"
  );
END;

UPDATE "keepsake_meta" SET "version" = 3 WHERE "part" = 'store' AND "version" = 2;
