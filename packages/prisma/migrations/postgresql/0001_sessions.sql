-- The tables of Keepsake's sessions, version 1, for PostgreSQL 14 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

-- The installed parts and their versions.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "part" text COLLATE "C" NOT NULL,
  "dialect" text NOT NULL,
  "version" integer NOT NULL,
  CONSTRAINT "keepsake_meta_pkey" PRIMARY KEY ("part")
);

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
  "place" bigint NOT NULL,
  CONSTRAINT "keepsake_operations_pkey" PRIMARY KEY ("session_key", "operation_id")
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- Skips the functions if a newer version of Keepsake has installed its own.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'sessions' AND "version" > 1) THEN

-- Deletes what belongs to a session.
CREATE OR REPLACE FUNCTION "keepsake_session_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
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
    VALUES (its_key, of_operation, of_digest, its_operations);
    DELETE FROM "keepsake_operations" WHERE "session_key" = its_key AND "place" <= its_operations - 1000;
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

END IF;
END $keepsake$;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('sessions', 'postgresql', 1) ON CONFLICT DO NOTHING;
