-- The tables of Keepsake, version 1, for SQLite 3.42 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

-- What is installed: one row.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "dialect" TEXT NOT NULL PRIMARY KEY,
  "version" INTEGER NOT NULL
);

-- Cursors of lists of sessions contain a number that would tell one user how much all others have written. They are encrypted
-- with a key that is derived from this secret. Without it, or with another one, earlier cursors are refused.
CREATE TABLE IF NOT EXISTS "keepsake_secrets" (
  "name" TEXT NOT NULL PRIMARY KEY,
  "secret" TEXT NOT NULL
);
INSERT INTO "keepsake_secrets" ("name", "secret") VALUES ('cursors', hex(randomblob(32))) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS "keepsake_sessions" (
  "key" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL,
  -- The number of the item that was appended last. Never decreases, even if items are removed.
  "last_seq" BIGINT NOT NULL DEFAULT 0,
  "item_count" BIGINT NOT NULL DEFAULT 0,
  -- Grows with every change except an append: tells whether the session has changed since it was read.
  "version" BIGINT NOT NULL DEFAULT 0,
  -- How many operation ids the session has had.
  "operations" BIGINT NOT NULL DEFAULT 0,
  -- Sessions are listed by this number, because clocks tie and can go back.
  "activity" BIGINT NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" BIGINT NOT NULL,
  "updated_ms" BIGINT NOT NULL,
  "expires_ms" BIGINT
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_id_key" ON "keepsake_sessions" ("id");
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_activity_key" ON "keepsake_sessions" ("activity");
CREATE INDEX IF NOT EXISTS "keepsake_sessions_expires_ms_idx" ON "keepsake_sessions" ("expires_ms") WHERE "expires_ms" IS NOT NULL;

CREATE TABLE IF NOT EXISTS "keepsake_items" (
  "session_key" INTEGER NOT NULL,
  "seq" BIGINT NOT NULL,
  "item" TEXT NOT NULL,
  PRIMARY KEY ("session_key", "seq")
);

-- The operation ids that a session remembers, each with a digest of its transaction.
CREATE TABLE IF NOT EXISTS "keepsake_operations" (
  "session_key" INTEGER NOT NULL,
  "operation_id" TEXT NOT NULL,
  "digest" TEXT NOT NULL,
  -- The hour of the operation since 1970, and in the lower 31 bits its number in the session.
  "place" BIGINT NOT NULL,
  PRIMARY KEY ("session_key", "operation_id")
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- The segments of the ids of sessions, as in them: what is between colons, each once.
CREATE TABLE IF NOT EXISTS "keepsake_session_segments" (
  "segment" TEXT NOT NULL,
  "session" INTEGER NOT NULL,
  PRIMARY KEY ("segment", "session")
);
CREATE TRIGGER IF NOT EXISTS "keepsake_session_new" AFTER INSERT ON "keepsake_sessions"
BEGIN
  -- In JSON, a colon of the id is a colon: no escape has one.
  INSERT INTO "keepsake_session_segments" ("segment", "session")
    SELECT DISTINCT "value", NEW."key" FROM json_each('[' || replace(json_quote(NEW."id"), ':', '","') || ']');
END;

-- Deletes what belongs to a session.
CREATE TRIGGER IF NOT EXISTS "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_session_segments" WHERE "session" = OLD."key"
    AND "segment" IN (SELECT "value" FROM json_each('[' || replace(json_quote(OLD."id"), ':', '","') || ']'));
END;

-- Changes a session in one step, by an insert into this view, which is always empty. With "added" only, appends to a session
-- and creates it if it is missing. Fails with 'keepsake: changed' if the session is not in the given state.
CREATE VIEW IF NOT EXISTS "keepsake_session_changes" AS
SELECT
  NULL AS "id", NULL AS "now_ms", NULL AS "ttl_ms",
  NULL AS "added", NULL AS "added_count",
  -- If given, the session must be in this state.
  NULL AS "key", NULL AS "version", NULL AS "last_seq",
  -- Removes items from this number on, removes these numbers, and gives these numbers these texts. Lists are JSON.
  NULL AS "cut_from", NULL AS "removed", NULL AS "replaced", NULL AS "replacements",
  -- By how much the number of items changes. Ignored if all are removed.
  NULL AS "growth",
  -- An operation id that is applied once, and a digest of its transaction.
  NULL AS "operation_id", NULL AS "digest",
  -- Whether to forget the operation ids of an existing session; whether the session must not exist.
  NULL AS "forget", NULL AS "only_new"
WHERE 0;

CREATE TRIGGER IF NOT EXISTS "keepsake_session_change" INSTEAD OF INSERT ON "keepsake_session_changes"
BEGIN
  DELETE FROM "keepsake_sessions" WHERE "id" = NEW."id" AND "expires_ms" <= NEW."now_ms";

  SELECT RAISE (ABORT, 'keepsake: changed') WHERE NEW."key" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "keepsake_sessions" AS s WHERE s."id" = NEW."id" AND s."key" = NEW."key"
      AND s."version" = NEW."version" AND s."last_seq" = coalesce(NEW."last_seq", s."last_seq"));
  SELECT RAISE (ABORT, 'keepsake: changed') WHERE NEW."only_new" AND EXISTS (
    SELECT 1 FROM "keepsake_sessions" WHERE "id" = NEW."id");
  SELECT RAISE (ABORT, 'keepsake: changed') WHERE NEW."operation_id" IS NOT NULL AND EXISTS (
    SELECT 1 FROM "keepsake_sessions" AS s JOIN "keepsake_operations" AS o ON o."session_key" = s."key"
    WHERE s."id" = NEW."id" AND o."operation_id" = NEW."operation_id");

  INSERT INTO "keepsake_sessions"
    ("id", "last_seq", "item_count", "operations", "activity", "created_ms", "updated_ms", "expires_ms")
  SELECT
    NEW."id", NEW."added_count", NEW."added_count", NEW."operation_id" IS NOT NULL,
    coalesce((SELECT max("activity") FROM "keepsake_sessions"), 0) + 1,
    NEW."now_ms", NEW."now_ms", NEW."now_ms" + NEW."ttl_ms"
  WHERE NOT NEW."forget" OR EXISTS (SELECT 1 FROM "keepsake_sessions" WHERE "id" = NEW."id")
  ON CONFLICT ("id") DO UPDATE SET
    "last_seq" = "last_seq" + excluded."last_seq",
    "item_count" = CASE WHEN NEW."cut_from" = 0 THEN NEW."added_count" ELSE "item_count" + NEW."growth" END,
    "version" = "version" + (NEW."key" IS NOT NULL OR NEW."operation_id" IS NOT NULL OR NEW."forget"),
    "operations" = "operations" + excluded."operations",
    "activity" = excluded."activity",
    "updated_ms" = max("updated_ms", excluded."updated_ms"),
    "expires_ms" = coalesce(excluded."expires_ms", "expires_ms");

  DELETE FROM "keepsake_items" WHERE NEW."cut_from" IS NOT NULL
    AND "session_key" = (SELECT "key" FROM "keepsake_sessions" WHERE "id" = NEW."id") AND "seq" >= NEW."cut_from";
  DELETE FROM "keepsake_items" WHERE NEW."removed" IS NOT NULL
    AND "session_key" = (SELECT "key" FROM "keepsake_sessions" WHERE "id" = NEW."id")
    AND "seq" IN (SELECT CAST("value" AS INTEGER) FROM json_each(NEW."removed"));
  UPDATE "keepsake_items" SET "item" = given."item"
    FROM (SELECT CAST(r."value" AS INTEGER) AS "seq", t."value" AS "item"
      FROM json_each(NEW."replaced") AS r JOIN json_each(NEW."replacements") AS t ON t."key" = r."key") AS given
    WHERE NEW."replaced" IS NOT NULL
    AND "session_key" = (SELECT "key" FROM "keepsake_sessions" WHERE "id" = NEW."id")
    AND "keepsake_items"."seq" = given."seq";
  INSERT INTO "keepsake_items" ("session_key", "seq", "item")
    SELECT s."key", s."last_seq" - NEW."added_count" + given."key" + 1, given."value"
    FROM "keepsake_sessions" AS s, json_each(NEW."added") AS given WHERE s."id" = NEW."id";

  DELETE FROM "keepsake_operations" WHERE NEW."forget"
    AND "session_key" = (SELECT "key" FROM "keepsake_sessions" WHERE "id" = NEW."id");
  INSERT INTO "keepsake_operations" ("session_key", "operation_id", "digest", "place")
    SELECT "key", NEW."operation_id", NEW."digest", "operations" + (unixepoch() / 3600 << 31)
    FROM "keepsake_sessions" WHERE "id" = NEW."id" AND NEW."operation_id" IS NOT NULL;
  -- Forgets at most eight of the oldest: those of more than 30 days ago, except the latest 1,000, or the latest as many as the
  -- session has items.
  DELETE FROM "keepsake_operations" WHERE NEW."operation_id" IS NOT NULL AND "rowid" IN (
    SELECT oldest."row" FROM (
      SELECT o."rowid" AS "row", o."place" AS "place", s."operations" - max(1000, s."item_count") AS "kept_after"
      FROM "keepsake_sessions" AS s JOIN "keepsake_operations" AS o ON o."session_key" = s."key"
      WHERE s."id" = NEW."id" AND o."place" < (unixepoch() / 3600 - 720) << 31
      ORDER BY o."place" LIMIT 8) AS oldest
    WHERE (oldest."place" & 2147483647) <= oldest."kept_after");
END;

-- Appends items in the same way, and creates a missing session. This is the most common change, and has its own view because
-- SQLite compiles the whole trigger for each insert into a view.
CREATE VIEW IF NOT EXISTS "keepsake_session_appends" AS
SELECT NULL AS "id", NULL AS "now_ms", NULL AS "ttl_ms", NULL AS "added", NULL AS "added_count" WHERE 0;

CREATE TRIGGER IF NOT EXISTS "keepsake_session_append" INSTEAD OF INSERT ON "keepsake_session_appends"
BEGIN
  DELETE FROM "keepsake_sessions" WHERE "id" = NEW."id" AND "expires_ms" <= NEW."now_ms";

  INSERT INTO "keepsake_sessions"
    ("id", "last_seq", "item_count", "activity", "created_ms", "updated_ms", "expires_ms")
  VALUES (
    NEW."id", NEW."added_count", NEW."added_count",
    coalesce((SELECT max("activity") FROM "keepsake_sessions"), 0) + 1,
    NEW."now_ms", NEW."now_ms", NEW."now_ms" + NEW."ttl_ms")
  ON CONFLICT ("id") DO UPDATE SET
    "last_seq" = "last_seq" + excluded."last_seq",
    "item_count" = "item_count" + excluded."item_count",
    "activity" = excluded."activity",
    "updated_ms" = max("updated_ms", excluded."updated_ms"),
    "expires_ms" = coalesce(excluded."expires_ms", "expires_ms");

  INSERT INTO "keepsake_items" ("session_key", "seq", "item")
    SELECT s."key", s."last_seq" - NEW."added_count" + given."key" + 1, given."value"
    FROM "keepsake_sessions" AS s, json_each(NEW."added") AS given WHERE s."id" = NEW."id";
END;

-- A namespace with records.
CREATE TABLE IF NOT EXISTS "keepsake_namespaces" (
  -- Not used again once the namespace was empty.
  "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "path" TEXT NOT NULL,
  -- A digest of the path.
  "key" TEXT NOT NULL,
  -- The number of the last change. Numbers begin with the time in microseconds, so that they are higher than those that the
  -- namespace had before it was empty.
  "change" BIGINT NOT NULL,
  -- The number of the last deletion that is no longer remembered.
  "forgotten" BIGINT NOT NULL,
  -- How many records there are, expired ones included, and how many deletions are remembered.
  "records" BIGINT NOT NULL DEFAULT 0,
  "deletions" BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_namespaces_key_key" ON "keepsake_namespaces" ("key");
CREATE INDEX IF NOT EXISTS "keepsake_namespaces_path_idx" ON "keepsake_namespaces" (substr("path", 1, 256), "key");

-- The segments of the paths of namespaces, as in them, each once. Rows are written and removed with those of the namespaces.
CREATE TABLE IF NOT EXISTS "keepsake_segments" (
  "segment" TEXT NOT NULL,
  "namespace" BIGINT NOT NULL,
  PRIMARY KEY ("segment", "namespace")
);
CREATE TRIGGER IF NOT EXISTS "keepsake_namespace_new" AFTER INSERT ON "keepsake_namespaces" WHEN NEW."path" <> ''
BEGIN
  -- In JSON, a colon of the path is a colon: no escape has one.
  INSERT INTO "keepsake_segments" ("segment", "namespace")
    SELECT DISTINCT "value", NEW."number" FROM json_each('[' || replace(json_quote(NEW."path"), ':', '","') || ']');
END;

-- Records, and deletions of records.
CREATE TABLE IF NOT EXISTS "keepsake_records" (
  "namespace" BIGINT NOT NULL,
  "id" TEXT NOT NULL,
  -- The number of the last change, and of the one that created the record; NULL for a deletion.
  "change" BIGINT NOT NULL,
  "created" BIGINT,
  -- JSON. NULL for a deletion.
  "record" TEXT,
  -- Milliseconds since 1970.
  "created_ms" BIGINT,
  "updated_ms" BIGINT,
  "expires_ms" BIGINT,
  -- The vector of an embedder: 32-bit numbers.
  "embedder" TEXT,
  "vector" BLOB,
  PRIMARY KEY ("namespace", "id")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_change_key" ON "keepsake_records" ("namespace", "change") WHERE "change" > 0;
CREATE INDEX IF NOT EXISTS "keepsake_records_created_idx" ON "keepsake_records" ("namespace", "created") WHERE "created" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_deleted_idx" ON "keepsake_records" ("namespace", "change") WHERE "record" IS NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("namespace", "expires_ms") WHERE "expires_ms" IS NOT NULL;

-- Namespaces that are gone, but whose records are still to be removed.
CREATE TABLE IF NOT EXISTS "keepsake_cleared" (
  "namespace" INTEGER NOT NULL PRIMARY KEY
);

-- Saved search indexes of namespaces, which any process can make again. "change" is NULL while one is written.
CREATE TABLE IF NOT EXISTS "keepsake_indexes" (
  "saved" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "namespace" BIGINT NOT NULL,
  "variant" TEXT NOT NULL,
  "change" BIGINT,
  "written_ms" BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS "keepsake_indexes_namespace_idx" ON "keepsake_indexes" ("namespace");
-- One process at a time writes one.
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_indexes_written_key" ON "keepsake_indexes" ("namespace", "variant") WHERE "change" IS NULL;
CREATE TABLE IF NOT EXISTS "keepsake_pages" (
  "saved" BIGINT NOT NULL,
  "page" INTEGER NOT NULL,
  "bytes" BLOB NOT NULL,
  "checksum" BIGINT NOT NULL,
  PRIMARY KEY ("saved", "page")
);

-- Deletes what belongs to a namespace. Its records are many: they are removed in steps.
CREATE TRIGGER IF NOT EXISTS "keepsake_namespace_gone" AFTER DELETE ON "keepsake_namespaces"
BEGIN
  INSERT INTO "keepsake_cleared" ("namespace") SELECT OLD."number" WHERE OLD."records" > 0;
  DELETE FROM "keepsake_indexes" WHERE "namespace" = OLD."number";
  DELETE FROM "keepsake_segments" WHERE "namespace" = OLD."number"
    AND "segment" IN (SELECT "value" FROM json_each('[' || replace(json_quote(OLD."path"), ':', '","') || ']'));
END;
CREATE TRIGGER IF NOT EXISTS "keepsake_index_gone" AFTER DELETE ON "keepsake_indexes"
BEGIN
  DELETE FROM "keepsake_pages" WHERE "saved" = OLD."saved";
END;

-- Changes records of a namespace, all or none, by an insert into this view, which is always empty. "changes" is a JSON array of
-- objects: "id"; "guard", the number of the last change of the record that must be there, NULL for none, and "guard_ms", its time;
-- "place", the place of the change among these; "created", the number of the change that created the record, or if it is one of these, "place_created", its
-- place; "created_ms", NULL for now; "ttl_ms"; "vector" in hexadecimal; "record" as JSON, NULL for a deletion. Fails with
-- 'keepsake: changed' if other records are there.
--
-- Also deletes at most "most_expired" expired records, and forgets deletions until half of "most_deletions" are left, if there are
-- more; with 0, all.
CREATE VIEW IF NOT EXISTS "keepsake_record_changes" AS
SELECT
  NULL AS "path", NULL AS "key", NULL AS "now_ms", NULL AS "changes", NULL AS "last_place", NULL AS "embedder",
  NULL AS "most_expired", NULL AS "most_deletions"
WHERE 0;

CREATE TRIGGER IF NOT EXISTS "keepsake_record_change" INSTEAD OF INSERT ON "keepsake_record_changes"
BEGIN
  SELECT RAISE (ABORT, 'keepsake: changed') WHERE EXISTS (
    SELECT 1 FROM json_each(NEW."changes") AS c LEFT JOIN "keepsake_records" AS r
      ON r."namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key") AND r."id" = c."value" ->> 'id'
      AND r."record" IS NOT NULL AND (r."expires_ms" IS NULL OR r."expires_ms" > NEW."now_ms")
    WHERE r."change" IS NOT c."value" ->> 'guard' OR r."updated_ms" IS NOT c."value" ->> 'guard_ms');

  INSERT INTO "keepsake_namespaces" ("path", "key", "change", "forgotten")
  SELECT NEW."path", NEW."key", NEW."now_ms" * 1000, NEW."now_ms" * 1000 WHERE NEW."last_place" > 0
  ON CONFLICT DO NOTHING;

  UPDATE "keepsake_namespaces" SET
    "records" = "records" - known."old_records" + known."new_records",
    "deletions" = "deletions" - known."old_deletions" + known."new_deletions"
  FROM (
    SELECT
      count(r."record") AS "old_records", count(r."id") - count(r."record") AS "old_deletions",
      count(c."value" ->> 'record') AS "new_records", count(*) - count(c."value" ->> 'record') AS "new_deletions"
    FROM json_each(NEW."changes") AS c LEFT JOIN "keepsake_records" AS r
      ON r."namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key") AND r."id" = c."value" ->> 'id'
  ) AS known WHERE "key" = NEW."key";

  INSERT INTO "keepsake_records"
    ("namespace", "id", "change", "created", "record", "created_ms", "updated_ms", "expires_ms", "embedder", "vector")
  SELECT n."number", c."value" ->> 'id', n."change" + (c."value" ->> 'place'),
    iif(c."value" ->> 'record' IS NULL, NULL, coalesce(c."value" ->> 'created', n."change" + (c."value" ->> 'place_created'))),
    c."value" ->> 'record',
    coalesce(c."value" ->> 'created_ms', NEW."now_ms"), max(NEW."now_ms", coalesce(c."value" ->> 'created_ms', 0)),
    NEW."now_ms" + (c."value" ->> 'ttl_ms'),
    iif(c."value" ->> 'vector' IS NULL, NULL, NEW."embedder"), unhex(c."value" ->> 'vector')
  FROM "keepsake_namespaces" AS n CROSS JOIN json_each(NEW."changes") AS c WHERE n."key" = NEW."key"
  ON CONFLICT ("namespace", "id") DO UPDATE SET
    "change" = excluded."change", "created" = excluded."created", "record" = excluded."record",
    "created_ms" = excluded."created_ms", "updated_ms" = excluded."updated_ms", "expires_ms" = excluded."expires_ms",
    "embedder" = excluded."embedder", "vector" = excluded."vector";
  UPDATE "keepsake_namespaces" SET "change" = "change" + NEW."last_place" WHERE "key" = NEW."key";

  UPDATE "keepsake_records" SET
    "change" = (SELECT "change" FROM "keepsake_namespaces" WHERE "key" = NEW."key") + expired."place",
    "created" = NULL, "record" = NULL, "created_ms" = NULL, "updated_ms" = NULL, "expires_ms" = NULL, "embedder" = NULL,
    "vector" = NULL
  FROM (
    SELECT o."namespace", o."id", row_number() OVER () AS "place" FROM "keepsake_records" AS o
    WHERE o."namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key") AND o."expires_ms" <= NEW."now_ms"
    LIMIT NEW."most_expired"
  ) AS expired
  WHERE "keepsake_records"."namespace" = expired."namespace" AND "keepsake_records"."id" = expired."id";
  UPDATE "keepsake_namespaces" SET
    "change" = "change" + expired."count", "records" = "records" - expired."count", "deletions" = "deletions" + expired."count"
  FROM (
    SELECT count(*) AS "count" FROM "keepsake_namespaces" AS n JOIN "keepsake_records" AS r
      ON r."namespace" = n."number" AND r."change" > n."change" AND r."change" > 0
    WHERE n."key" = NEW."key"
  ) AS expired WHERE "key" = NEW."key" AND expired."count" > 0;

  UPDATE "keepsake_namespaces" SET
    "deletions" = NEW."most_deletions" / 2,
    -- With 0, an index with anything from before is refused.
    "forgotten" = iif(NEW."most_deletions" = 0, "change", (
      SELECT max(o."change") FROM (
        SELECT d."change" FROM "keepsake_records" AS d
        WHERE d."namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key") AND d."record" IS NULL
        ORDER BY d."change"
        LIMIT (SELECT "deletions" - NEW."most_deletions" / 2 FROM "keepsake_namespaces" WHERE "key" = NEW."key")
      ) AS o
    ))
  WHERE "key" = NEW."key" AND ("deletions" > NEW."most_deletions" OR NEW."most_deletions" = 0);
  DELETE FROM "keepsake_records"
  WHERE "namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key") AND "record" IS NULL
    AND "change" <= (SELECT "forgotten" FROM "keepsake_namespaces" WHERE "key" = NEW."key");

  DELETE FROM "keepsake_records"
  WHERE "namespace" = (SELECT "number" FROM "keepsake_namespaces" WHERE "key" = NEW."key" AND "records" = 0);
  DELETE FROM "keepsake_namespaces" WHERE "key" = NEW."key" AND "records" = 0;
END;

INSERT INTO "keepsake_meta" ("dialect", "version") VALUES ('sqlite', 1) ON CONFLICT DO NOTHING;
