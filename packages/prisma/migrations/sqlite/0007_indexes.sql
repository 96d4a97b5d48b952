-- Indexes of filters, for SQLite 3.42 and newer: version 3 of the tables of memory stores.
-- Can be run repeatedly and concurrently: keeps what exists.

-- A namespace with indexed fields.
CREATE TABLE IF NOT EXISTS "keepsake_indexes" (
  "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "namespace_key" TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_indexes_namespace_key_key" ON "keepsake_indexes" ("namespace_key");

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
  DELETE FROM "keepsake_field_values" WHERE ("number", "field", "value", "seq") IN (
    SELECT f."number", f."field", substr(j."value", 1, 200), OLD."seq"
    FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
    CROSS JOIN json_each(OLD."fields") j ON j."key" = f."field"
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
  DELETE FROM "keepsake_field_values" WHERE ("number", "field", "value", "seq") IN (
    SELECT f."number", f."field", substr(j."value", 1, 200), OLD."seq"
    FROM "keepsake_indexes" i CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
    CROSS JOIN json_each(OLD."fields") j ON j."key" = f."field"
    WHERE i."namespace_key" = OLD."namespace_key"
  );
END;

UPDATE "keepsake_meta" SET "version" = 3 WHERE "part" = 'store' AND "version" = 2;
