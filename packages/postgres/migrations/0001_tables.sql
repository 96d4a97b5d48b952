-- The tables of Keepsake, version 1, for PostgreSQL 14 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

-- What is installed: one row.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "dialect" text NOT NULL,
  "version" integer NOT NULL,
  CONSTRAINT "keepsake_meta_pkey" PRIMARY KEY ("dialect")
);

-- Cursors of lists of sessions contain a number that would tell one user how much all others have written. They are encrypted
-- with a key that is derived from this secret. Without it, or with another one, earlier cursors are refused.
CREATE TABLE IF NOT EXISTS "keepsake_secrets" (
  "name" text NOT NULL,
  "secret" text NOT NULL,
  CONSTRAINT "keepsake_secrets_pkey" PRIMARY KEY ("name")
);
INSERT INTO "keepsake_secrets" ("name", "secret") VALUES ('cursors', CAST(gen_random_uuid() AS text) || CAST(gen_random_uuid() AS text)) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS "keepsake_sessions" (
  "key" bigserial NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- The number of the item that was appended last. Never decreases, even if items are removed.
  "last_seq" bigint NOT NULL DEFAULT 0,
  "item_count" bigint NOT NULL DEFAULT 0,
  -- Grows with every change except an append: tells whether the session has changed since it was read.
  "version" bigint NOT NULL DEFAULT 0,
  -- How many operation ids the session has had.
  "operations" bigint NOT NULL DEFAULT 0,
  -- Sessions are listed by this number, because clocks tie and can go back.
  "activity" bigserial NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" bigint NOT NULL,
  "updated_ms" bigint NOT NULL,
  "expires_ms" bigint,
  CONSTRAINT "keepsake_sessions_pkey" PRIMARY KEY ("id")
);
-- As few indexes as possible, because each one slows down every append.
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_activity_key" ON "keepsake_sessions" ("activity");
CREATE INDEX IF NOT EXISTS "keepsake_sessions_expires_ms_idx" ON "keepsake_sessions" ("expires_ms") WHERE "expires_ms" IS NOT NULL;

CREATE TABLE IF NOT EXISTS "keepsake_items" (
  "session_key" bigint NOT NULL,
  "seq" bigint NOT NULL,
  -- JSON as text, because jsonb rejects some JSON and alters more.
  "item" text NOT NULL,
  CONSTRAINT "keepsake_items_pkey" PRIMARY KEY ("session_key", "seq")
);

-- The operation ids that a session remembers, each with a digest of its transaction.
CREATE TABLE IF NOT EXISTS "keepsake_operations" (
  "session_key" bigint NOT NULL,
  "operation_id" text COLLATE "C" NOT NULL,
  "digest" text NOT NULL,
  -- The hour of the operation since 1970, and in the lower 31 bits its number in the session.
  "place" bigint NOT NULL,
  CONSTRAINT "keepsake_operations_pkey" PRIMARY KEY ("session_key", "operation_id")
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- The segments of the ids of sessions, what is between colons, each once. Rows are written and removed with the sessions.
CREATE TABLE IF NOT EXISTS "keepsake_session_segments" (
  -- A digest, because segments may be too long for an index with the id.
  "segment" text COLLATE "C" NOT NULL,
  "session" text COLLATE "C" NOT NULL,
  CONSTRAINT "keepsake_session_segments_pkey" PRIMARY KEY ("segment", "session")
);

-- A namespace with records.
CREATE TABLE IF NOT EXISTS "keepsake_namespaces" (
  -- Not used again once the namespace was empty.
  "number" bigserial NOT NULL,
  "path" text COLLATE "C" NOT NULL,
  -- A digest of the path, which may be too long for an index.
  "key" text COLLATE "C" NOT NULL,
  -- The number of the last change. Numbers begin with the time in microseconds, so that they are higher than those that the
  -- namespace had before it was empty. Whoever changes records holds the lock of this row, so that changes become visible in
  -- the order of their numbers.
  "change" bigint NOT NULL,
  -- The number of the last deletion that is no longer remembered.
  "forgotten" bigint NOT NULL,
  -- How many records there are, expired ones included, and how many deletions are remembered.
  "records" bigint NOT NULL DEFAULT 0,
  "deletions" bigint NOT NULL DEFAULT 0,
  -- No record expires before this time, in milliseconds since 1970. NULL if none expires.
  "expires_ms" bigint,
  CONSTRAINT "keepsake_namespaces_pkey" PRIMARY KEY ("number")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_namespaces_key_key" ON "keepsake_namespaces" ("key");
CREATE INDEX IF NOT EXISTS "keepsake_namespaces_path_idx" ON "keepsake_namespaces" (left("path", 256), "key");

-- The segments of the paths of namespaces, as in them, each once. Rows are written and removed with those of the namespaces.
CREATE TABLE IF NOT EXISTS "keepsake_segments" (
  "segment" text COLLATE "C" NOT NULL,
  "namespace" bigint NOT NULL,
  CONSTRAINT "keepsake_segments_pkey" PRIMARY KEY ("segment", "namespace")
);

-- Records, and deletions of records.
CREATE TABLE IF NOT EXISTS "keepsake_records" (
  "namespace" bigint NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- The number of the last change, and of the one that created the record; NULL for a deletion.
  "change" bigint NOT NULL,
  "created" bigint,
  -- JSON as text, because jsonb rejects some JSON and alters more. NULL for a deletion.
  "record" text,
  -- Milliseconds since 1970.
  "created_ms" bigint,
  "updated_ms" bigint,
  "expires_ms" bigint,
  -- The vector of an embedder: 32-bit numbers.
  "embedder" text,
  "vector" bytea,
  CONSTRAINT "keepsake_records_pkey" PRIMARY KEY ("namespace", "id")
);
-- The conditions keep indexes from serving statements that they are not for.
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_change_key" ON "keepsake_records" ("namespace", "change") WHERE "change" > 0;
CREATE INDEX IF NOT EXISTS "keepsake_records_created_idx" ON "keepsake_records" ("namespace", "created") WHERE "created" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_deleted_idx" ON "keepsake_records" ("namespace", "change") WHERE "record" IS NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("namespace", "expires_ms") WHERE "expires_ms" IS NOT NULL;

-- Namespaces that are gone, but whose records are still to be removed.
CREATE TABLE IF NOT EXISTS "keepsake_cleared" (
  "namespace" bigint NOT NULL,
  CONSTRAINT "keepsake_cleared_pkey" PRIMARY KEY ("namespace")
);

-- Saved search indexes of namespaces, which any process can make again. "change" is NULL while one is written.
CREATE TABLE IF NOT EXISTS "keepsake_indexes" (
  "saved" bigserial NOT NULL,
  "namespace" bigint NOT NULL,
  "variant" text COLLATE "C" NOT NULL,
  "change" bigint,
  "written_ms" bigint NOT NULL,
  CONSTRAINT "keepsake_indexes_pkey" PRIMARY KEY ("saved")
);
CREATE INDEX IF NOT EXISTS "keepsake_indexes_namespace_idx" ON "keepsake_indexes" ("namespace");
-- One process at a time writes one.
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_indexes_written_key" ON "keepsake_indexes" ("namespace", "variant") WHERE "change" IS NULL;
CREATE TABLE IF NOT EXISTS "keepsake_pages" (
  "saved" bigint NOT NULL,
  "page" integer NOT NULL,
  "bytes" bytea NOT NULL,
  "checksum" bigint NOT NULL,
  CONSTRAINT "keepsake_pages_pkey" PRIMARY KEY ("saved", "page")
);

-- Skips the functions if a newer version of Keepsake has installed its own.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "version" > 1) THEN

CREATE OR REPLACE FUNCTION "keepsake_segments_of" (id text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT left(encode(sha256(convert_to(part, 'UTF8')), 'hex'), 32) FROM unnest(string_to_array(id, ':')) AS part
$$;
CREATE OR REPLACE FUNCTION "keepsake_session_new" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "keepsake_session_segments" ("segment", "session") SELECT s, NEW."id" FROM "keepsake_segments_of" (NEW."id") AS s
  ON CONFLICT DO NOTHING;
  RETURN NEW;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_session_new" AFTER INSERT ON "keepsake_sessions"
FOR EACH ROW EXECUTE FUNCTION "keepsake_session_new" ();

-- Deletes what belongs to a session.
CREATE OR REPLACE FUNCTION "keepsake_session_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_session_segments" WHERE "session" = OLD."id" AND "segment" = ANY (ARRAY (SELECT "keepsake_segments_of" (OLD."id")));
  RETURN OLD;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
FOR EACH ROW EXECUTE FUNCTION "keepsake_session_gone" ();

-- Changes a session in one step, and returns whether it did. With "added" only, appends to a session and creates it if it is
-- missing. All times are those of the statement, as in src/database/clock.ts.
CREATE OR REPLACE FUNCTION "keepsake_change_session" (
  of_id text,
  ttl_ms bigint,
  added text[],
  -- If given, the session must be in this state.
  of_key bigint DEFAULT NULL, of_version bigint DEFAULT NULL, of_last_seq bigint DEFAULT NULL,
  -- Removes items from this number on, removes these numbers, and gives these numbers these texts.
  cut_from bigint DEFAULT NULL, removed bigint[] DEFAULT NULL,
  replaced bigint[] DEFAULT NULL, replacements text[] DEFAULT NULL,
  -- By how much the number of items changes. Ignored if all are removed.
  growth bigint DEFAULT NULL,
  -- An operation id that is applied once, and a digest of its transaction.
  of_operation text DEFAULT NULL, of_digest text DEFAULT NULL,
  -- Whether to forget the operation ids of an existing session; whether the session must not exist.
  forget boolean DEFAULT false, only_new boolean DEFAULT false
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint;
  n int := cardinality(added);
  its_key bigint;
  its_last bigint;
  its_operations bigint;
  is_there boolean := true;
  this_hour bigint := floor(extract(epoch FROM statement_timestamp()) / 3600);
  aged text;
BEGIN
  LOOP
    IF of_operation IS NOT NULL THEN
      -- Waits for a concurrent call with the same operation.
      PERFORM FROM "keepsake_sessions" WHERE "id" = of_id FOR UPDATE;
      -- A session that is created from here on is checked in the next round.
      is_there := FOUND;
      IF EXISTS (
        SELECT FROM "keepsake_sessions" AS s JOIN "keepsake_operations" AS o ON o."session_key" = s."key"
        WHERE s."id" = of_id AND o."operation_id" = of_operation AND (s."expires_ms" IS NULL OR s."expires_ms" > now_ms)
      ) THEN
        RETURN false;
      END IF;
    END IF;

    UPDATE "keepsake_sessions" AS s SET
      "last_seq" = s."last_seq" + n,
      "item_count" = CASE WHEN cut_from = 0 THEN n ELSE s."item_count" + coalesce(growth, n) END,
      "version" = s."version" + CASE WHEN of_key IS NOT NULL OR of_operation IS NOT NULL OR forget THEN 1 ELSE 0 END,
      "operations" = s."operations" + CASE WHEN of_operation IS NOT NULL THEN 1 ELSE 0 END,
      "activity" = nextval('keepsake_sessions_activity_seq'),
      "updated_ms" = greatest(s."updated_ms", now_ms),
      "expires_ms" = coalesce(now_ms + ttl_ms, s."expires_ms")
    WHERE s."id" = of_id AND is_there AND NOT only_new AND (s."expires_ms" IS NULL OR s."expires_ms" > now_ms)
      AND s."key" = coalesce(of_key, s."key") AND s."version" = coalesce(of_version, s."version")
      AND s."last_seq" = coalesce(of_last_seq, s."last_seq")
    RETURNING s."key", s."last_seq", s."operations" INTO its_key, its_last, its_operations;
    EXIT WHEN FOUND;
    IF of_key IS NOT NULL OR forget THEN
      RETURN false;
    END IF;

    DELETE FROM "keepsake_sessions" WHERE "id" = of_id AND "expires_ms" <= now_ms;
    INSERT INTO "keepsake_sessions" AS s
      ("id", "last_seq", "item_count", "operations", "created_ms", "updated_ms", "expires_ms")
    VALUES (of_id, n, n, CASE WHEN of_operation IS NOT NULL THEN 1 ELSE 0 END, now_ms, now_ms, now_ms + ttl_ms)
    ON CONFLICT ("id") DO NOTHING
    RETURNING s."key", s."last_seq", s."operations" INTO its_key, its_last, its_operations;
    EXIT WHEN FOUND;
    IF only_new THEN
      RETURN false;
    END IF;
  END LOOP;

  IF cut_from IS NOT NULL THEN
    DELETE FROM "keepsake_items" WHERE "session_key" = its_key AND "seq" >= cut_from;
  END IF;
  IF removed IS NOT NULL THEN
    DELETE FROM "keepsake_items" WHERE "session_key" = its_key AND "seq" = ANY (removed);
  END IF;
  IF replaced IS NOT NULL THEN
    UPDATE "keepsake_items" AS i SET "item" = given."item"
    FROM unnest(replaced, replacements) AS given ("seq", "item")
    WHERE i."session_key" = its_key AND i."seq" = given."seq";
  END IF;
  IF n > 0 THEN
    INSERT INTO "keepsake_items" ("session_key", "seq", "item")
    SELECT its_key, its_last - n + given."place", given."item"
    FROM unnest(added) WITH ORDINALITY AS given ("item", "place");
  END IF;
  IF forget THEN
    DELETE FROM "keepsake_operations" WHERE "session_key" = its_key;
  END IF;
  IF of_operation IS NOT NULL THEN
    INSERT INTO "keepsake_operations" ("session_key", "operation_id", "digest", "place")
    VALUES (its_key, of_operation, of_digest, its_operations + (this_hour << 31));
    -- Forgets at most eight of the oldest: those of more than 30 days ago, except the latest 1,000, or the latest as many as the
    -- session has items. One by one: given several at once, PostgreSQL can read all operations of the session to find them.
    FOR aged IN
      SELECT oldest."operation_id" FROM (
        SELECT o."operation_id", o."place" FROM "keepsake_operations" AS o
        WHERE o."session_key" = its_key AND o."place" < (this_hour - 720) << 31
        ORDER BY o."place" LIMIT 8) AS oldest
      WHERE (oldest."place" & 2147483647) <= its_operations - greatest(1000, (SELECT s."item_count" FROM "keepsake_sessions" AS s WHERE s."id" = of_id))
    LOOP
      DELETE FROM "keepsake_operations" WHERE "session_key" = its_key AND "operation_id" = aged;
    END LOOP;
  END IF;
  RETURN true;
END;
$$;

-- Appends items, one per line: JSON texts have no line breaks. Creates a missing session.
CREATE OR REPLACE FUNCTION "keepsake_append_items" (of_id text, ttl_ms bigint, lines text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint;
  added text[] := string_to_array(lines, E'\n');
  n int := cardinality(added);
  its_key bigint;
  its_last bigint;
BEGIN
  UPDATE "keepsake_sessions" AS s SET
    "last_seq" = s."last_seq" + n,
    "item_count" = s."item_count" + n,
    -- The first session stays first: if no indexed column changes, PostgreSQL writes no index.
    "activity" = CASE
      WHEN s."activity" = pg_sequence_last_value('keepsake_sessions_activity_seq') THEN s."activity"
      ELSE nextval('keepsake_sessions_activity_seq')
    END,
    "updated_ms" = greatest(s."updated_ms", now_ms),
    "expires_ms" = coalesce(now_ms + ttl_ms, s."expires_ms")
  WHERE s."id" = of_id AND (s."expires_ms" IS NULL OR s."expires_ms" > now_ms)
  RETURNING s."key", s."last_seq" INTO its_key, its_last;
  IF NOT FOUND THEN
    RETURN "keepsake_change_session" (of_id, ttl_ms, added);
  END IF;
  INSERT INTO "keepsake_items" ("session_key", "seq", "item")
  SELECT its_key, its_last - n + given."place", given."item"
  FROM unnest(added) WITH ORDINALITY AS given ("item", "place");
  RETURN true;
END;
$$;

-- The newest items, newest first. A connection keeps the plan, also where it keeps no prepared statements. The subquery hides the
-- number, for which PostgreSQL would plan again; the settings are those of "keepsake_changed_records".
CREATE OR REPLACE FUNCTION "keepsake_newest_items" (of_id text, most bigint) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT i."item" FROM "keepsake_items" AS i
    WHERE i."session_key" = (
      SELECT s."key" FROM "keepsake_sessions" AS s
      WHERE s."id" = of_id AND (s."expires_ms" IS NULL OR s."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
    )
    ORDER BY i."seq" DESC LIMIT (SELECT most);
END;
$$;

-- Removes the newest item and returns it, or NULL if there is none. Keeps an item that is not a JSON object, and returns it as
-- not sound.
CREATE OR REPLACE FUNCTION "keepsake_pop_item" (of_id text, ttl_ms bigint, OUT popped text, OUT is_sound boolean)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint;
  its_key bigint;
  its_seq bigint;
BEGIN
  SELECT s."key" INTO its_key FROM "keepsake_sessions" AS s
  WHERE s."id" = of_id AND (s."expires_ms" IS NULL OR s."expires_ms" > now_ms) FOR UPDATE;
  SELECT i."seq", i."item" INTO its_seq, popped FROM "keepsake_items" AS i
  WHERE i."session_key" = its_key ORDER BY i."seq" DESC LIMIT 1;
  IF its_seq IS NULL THEN
    RETURN;
  END IF;
  BEGIN
    is_sound := json_typeof(popped::json) = 'object';
  EXCEPTION WHEN OTHERS THEN
    is_sound := false;
  END;
  IF is_sound THEN
    DELETE FROM "keepsake_items" WHERE "session_key" = its_key AND "seq" = its_seq;
    UPDATE "keepsake_sessions" AS s SET
      "item_count" = s."item_count" - 1,
      "version" = s."version" + 1,
      "activity" = nextval('keepsake_sessions_activity_seq'),
      "updated_ms" = greatest(s."updated_ms", now_ms),
      "expires_ms" = coalesce(now_ms + ttl_ms, s."expires_ms")
    WHERE s."id" = of_id;
  END IF;
END;
$$;

CREATE OR REPLACE FUNCTION "keepsake_namespace_new" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "keepsake_segments" ("segment", "namespace")
  SELECT DISTINCT part, NEW."number" FROM unnest(string_to_array(NEW."path", ':')) AS part;
  RETURN NEW;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_namespace_new" AFTER INSERT ON "keepsake_namespaces"
FOR EACH ROW EXECUTE FUNCTION "keepsake_namespace_new" ();

-- Deletes what belongs to a namespace. Its records are many: they are removed in steps.
CREATE OR REPLACE FUNCTION "keepsake_namespace_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."records" > 0 THEN
    INSERT INTO "keepsake_cleared" ("namespace") VALUES (OLD."number");
  END IF;
  DELETE FROM "keepsake_indexes" WHERE "namespace" = OLD."number";
  DELETE FROM "keepsake_segments"
  WHERE "namespace" = OLD."number" AND "segment" = ANY (string_to_array(OLD."path", ':'));
  RETURN OLD;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_namespace_gone" AFTER DELETE ON "keepsake_namespaces"
FOR EACH ROW EXECUTE FUNCTION "keepsake_namespace_gone" ();

CREATE OR REPLACE FUNCTION "keepsake_index_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "keepsake_pages" WHERE "saved" = OLD."saved";
  RETURN OLD;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_index_gone" AFTER DELETE ON "keepsake_indexes"
FOR EACH ROW EXECUTE FUNCTION "keepsake_index_gone" ();

-- The next records and deletions in the order of changes, and the next records in the order of creation. Without the settings,
-- PostgreSQL would read and sort all of a namespace that is larger than others, or than before the last ANALYZE.
CREATE OR REPLACE FUNCTION "keepsake_changed_records" (of_namespace bigint, after bigint, most bigint) RETURNS SETOF "keepsake_records"
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT r.* FROM "keepsake_records" AS r
    WHERE r."namespace" = of_namespace AND r."change" > 0 AND r."change" > after ORDER BY r."change" LIMIT most;
END;
$$;
CREATE OR REPLACE FUNCTION "keepsake_oldest_records" (of_namespace bigint, after bigint, most bigint) RETURNS SETOF "keepsake_records"
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT r.* FROM "keepsake_records" AS r
    WHERE r."namespace" = of_namespace AND r."created" > after
      AND (r."expires_ms" IS NULL OR r."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
    ORDER BY r."created" LIMIT most;
END;
$$;
CREATE OR REPLACE FUNCTION "keepsake_newest_records" (of_namespace bigint, before bigint, most bigint) RETURNS SETOF "keepsake_records"
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT r.* FROM "keepsake_records" AS r
    WHERE r."namespace" = of_namespace AND r."created" < before
      AND (r."expires_ms" IS NULL OR r."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
    ORDER BY r."created" DESC LIMIT most;
END;
$$;

-- Changes records of a namespace, all or none. "changes" is a JSON array of objects: "id"; "guard", the number of the last change
-- of the record that must be there, NULL for none, with "guard_ms", its time, and "guard_writer", its transaction: a number comes
-- again after a rollback; "place", the place of the change among these; "created", the number of the change that created the
-- record, or if it is one of these, "place_created", its place; "created_ms", NULL for now; "ttl_ms"; "vector" in hexadecimal. Each
-- of "lines" is the record of a change as JSON, which has no line breaks; nothing for a deletion.
--
-- Returns the time of the change, the number of the last one before, and the transaction. If other records are there, changes
-- nothing, and returns those that are, as a JSON array.
--
-- Also deletes at most "most_expired" expired records, and forgets deletions until half of "most_deletions" are left, if there are
-- more; with 0, all.
--
-- Plans are kept, also those from when the tables were small. The setting, `OFFSET 0`, and that only one index of a table serves
-- each statement keep them right. Statements that others could serve are rare, and are planned each time.
CREATE OR REPLACE FUNCTION "keepsake_change_records" (
  of_path text, of_key text, changes json, lines text, last_place int, of_embedder text, most_expired int, most_deletions int
) RETURNS TABLE ("now_ms" bigint, "before" bigint, "writer" text, "known" text)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  its_now bigint;
  its "keepsake_namespaces";
  known_records bigint;
  known_deletions bigint;
  put_records bigint;
  put_deletions bigint;
  next_expiry bigint;
  known_forgotten bigint;
  known_change bigint;
  expired bigint;
  is_changed boolean;
BEGIN
  LOOP
    SELECT n.* INTO its FROM "keepsake_namespaces" AS n WHERE n."key" = of_key FOR UPDATE;
    EXIT WHEN FOUND;
    its_now := floor(extract(epoch FROM clock_timestamp()) * 1000000);
    INSERT INTO "keepsake_namespaces" ("path", "key", "change", "forgotten") VALUES (of_path, of_key, its_now, its_now)
    ON CONFLICT DO NOTHING;
  END LOOP;
  known_forgotten := its."forgotten";
  known_change := its."change";
  -- After waiting for others, so that it is not before theirs.
  its_now := floor(extract(epoch FROM clock_timestamp()) * 1000);

  SELECT
    coalesce(bool_or(
      c.guard IS DISTINCT FROM CASE WHEN r."expires_ms" <= its_now OR r."record" IS NULL THEN NULL ELSE r."change" END
      OR (c.guard IS NOT NULL AND (c.guard_ms, c.guard_writer) IS DISTINCT FROM (r."updated_ms", r."writer"))
    ), false),
    count(r."record"), count(r."id") - count(r."record")
  INTO is_changed, known_records, known_deletions
  FROM json_to_recordset(changes) AS c (id text, guard bigint, guard_ms bigint, guard_writer text)
  LEFT JOIN LATERAL (
    SELECT k.*, k.xmin::text AS "writer" FROM "keepsake_records" AS k
    WHERE k."namespace" = its."number" AND k."id" = c.id COLLATE "C" OFFSET 0
  ) AS r ON true;
  IF is_changed THEN
    RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::text, coalesce(json_agg(r.*)::text, '[]')
      FROM json_to_recordset(changes) AS c (id text)
      JOIN LATERAL (
        SELECT k."id", k."change", k."created", k."record", k."created_ms", k."updated_ms", k."expires_ms", k.xmin::text AS "writer"
        FROM "keepsake_records" AS k WHERE k."namespace" = its."number" AND k."id" = c.id COLLATE "C" AND k."record" IS NOT NULL
          AND (k."expires_ms" IS NULL OR k."expires_ms" > its_now) OFFSET 0
      ) AS r ON true;
    DELETE FROM "keepsake_namespaces" WHERE "number" = its."number" AND "records" = 0;
    RETURN;
  END IF;

  WITH put AS (
    INSERT INTO "keepsake_records" AS r
      ("namespace", "id", "change", "created", "record", "created_ms", "updated_ms", "expires_ms", "embedder", "vector")
    SELECT its."number", c.id, its."change" + c.place,
      CASE WHEN l.line <> '' THEN coalesce(c.created, its."change" + c.place_created) END, nullif(l.line, ''),
      coalesce(c.created_ms, its_now), greatest(its_now, c.created_ms), its_now + c.ttl_ms,
      CASE WHEN c.vector IS NOT NULL THEN of_embedder END, decode(c.vector, 'hex')
    FROM ROWS FROM (
      json_to_recordset(changes) AS (id text, place int, created bigint, place_created int, created_ms bigint, ttl_ms bigint, vector text),
      string_to_table(lines, E'\n')
    ) AS c (id, place, created, place_created, created_ms, ttl_ms, vector, line) CROSS JOIN LATERAL (SELECT coalesce(c.line, '')) AS l (line)
    ON CONFLICT ("namespace", "id") DO UPDATE SET
      "change" = excluded."change", "created" = excluded."created", "record" = excluded."record",
      "created_ms" = excluded."created_ms", "updated_ms" = excluded."updated_ms", "expires_ms" = excluded."expires_ms",
      "embedder" = excluded."embedder", "vector" = excluded."vector"
    RETURNING r."record", r."expires_ms"
  )
  SELECT count(put."record"), count(*) - count(put."record"), min(put."expires_ms")
  INTO put_records, put_deletions, next_expiry FROM put;
  its."change" := its."change" + last_place;
  its."records" := its."records" - known_records + put_records;
  its."deletions" := its."deletions" - known_deletions + put_deletions;
  its."expires_ms" := least(its."expires_ms", next_expiry);

  IF its."expires_ms" <= its_now THEN
    EXECUTE 'UPDATE "keepsake_records" AS r SET
        "change" = $1 + e.place, "created" = NULL, "record" = NULL, "created_ms" = NULL, "updated_ms" = NULL,
        "expires_ms" = NULL, "embedder" = NULL, "vector" = NULL
      FROM (
        SELECT o."id", row_number() OVER () AS place FROM "keepsake_records" AS o
        WHERE o."namespace" = $2 AND o."expires_ms" <= $3 LIMIT $4
      ) AS e WHERE r."namespace" = $2 AND r."id" = e."id"'
    USING its."change", its."number", its_now, most_expired;
    GET DIAGNOSTICS expired = ROW_COUNT;
    its."change" := its."change" + expired;
    its."records" := its."records" - expired;
    its."deletions" := its."deletions" + expired;
    EXECUTE 'SELECT min("expires_ms") FROM "keepsake_records" WHERE "namespace" = $1 AND "expires_ms" IS NOT NULL'
    INTO its."expires_ms" USING its."number";
  END IF;

  IF its."records" = 0 THEN
    EXECUTE 'DELETE FROM "keepsake_records" WHERE "namespace" = $1' USING its."number";
    UPDATE "keepsake_namespaces" SET "records" = 0 WHERE "number" = its."number";
    DELETE FROM "keepsake_namespaces" WHERE "number" = its."number";
  ELSE
    IF most_deletions = 0 THEN
      -- An index with anything from before is refused.
      its."forgotten" := its."change";
      its."deletions" := 0;
    ELSIF its."deletions" > most_deletions THEN
      EXECUTE 'SELECT max(o."change"), $2 - count(*) FROM (
          SELECT d."change" FROM "keepsake_records" AS d WHERE d."namespace" = $1 AND d."record" IS NULL
          ORDER BY d."change" LIMIT $2 - $3 / 2
        ) AS o'
      INTO its."forgotten", its."deletions" USING its."number", its."deletions", most_deletions;
    END IF;
    IF known_forgotten < its."forgotten" THEN
      EXECUTE 'DELETE FROM "keepsake_records" WHERE "namespace" = $1 AND "record" IS NULL AND "change" <= $2'
      USING its."number", its."forgotten";
    END IF;
    UPDATE "keepsake_namespaces" SET
      "change" = its."change", "forgotten" = its."forgotten", "records" = its."records", "deletions" = its."deletions",
      "expires_ms" = its."expires_ms"
    WHERE "number" = its."number";
  END IF;
  RETURN QUERY SELECT its_now, known_change, pg_current_xact_id()::xid::text, NULL::text;
END;
$$;

END IF;
END $keepsake$;

INSERT INTO "keepsake_meta" ("dialect", "version") VALUES ('postgresql', 1) ON CONFLICT DO NOTHING;
