-- The tables of Keepsake's sessions, version 1, for SQLite 3.38 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

-- The installed parts and their versions.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "part" TEXT NOT NULL PRIMARY KEY,
  "dialect" TEXT NOT NULL,
  "version" INTEGER NOT NULL
);

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
  "place" BIGINT NOT NULL,
  PRIMARY KEY ("session_key", "operation_id")
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- Deletes what belongs to a session.
CREATE TRIGGER IF NOT EXISTS "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
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
    SELECT "key", NEW."operation_id", NEW."digest", "operations"
    FROM "keepsake_sessions" WHERE "id" = NEW."id" AND NEW."operation_id" IS NOT NULL;
  DELETE FROM "keepsake_operations" WHERE NEW."operation_id" IS NOT NULL
    AND "session_key" = (SELECT "key" FROM "keepsake_sessions" WHERE "id" = NEW."id")
    AND "place" <= (SELECT "operations" FROM "keepsake_sessions" WHERE "id" = NEW."id") - 1000;
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

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('sessions', 'sqlite', 1) ON CONFLICT DO NOTHING;
