-- The tables of Keepsake's sessions, version 1, for PostgreSQL 14 and newer.
-- Can be run again, and by several at once: what is there stays as it is.

SELECT pg_advisory_xact_lock(7305794361026);

-- What is here, and of which version.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "part" text COLLATE "C" NOT NULL,
  "dialect" text NOT NULL,
  "version" integer NOT NULL,
  CONSTRAINT "keepsake_meta_pkey" PRIMARY KEY ("part")
);

CREATE TABLE IF NOT EXISTS "keepsake_sessions" (
  "key" bigserial NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- The number of the item that was added last. It never goes back, also when items are removed.
  "last_seq" bigint NOT NULL DEFAULT 0,
  "item_count" bigint NOT NULL DEFAULT 0,
  -- Rises with every change but an append: tells whether what was read still stands.
  "version" bigint NOT NULL DEFAULT 0,
  -- How many operation ids it has had.
  "operations" bigint NOT NULL DEFAULT 0,
  -- Newest first is by this: clocks tie, and go back.
  "activity" bigserial NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" bigint NOT NULL,
  "updated_ms" bigint NOT NULL,
  "expires_ms" bigint,
  CONSTRAINT "keepsake_sessions_pkey" PRIMARY KEY ("id")
);
-- As few indexes as will do: each makes every append dearer.
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_activity_key" ON "keepsake_sessions" ("activity");
CREATE INDEX IF NOT EXISTS "keepsake_sessions_expires_ms_idx" ON "keepsake_sessions" ("expires_ms") WHERE "expires_ms" IS NOT NULL;

CREATE TABLE IF NOT EXISTS "keepsake_items" (
  "session_key" bigint NOT NULL,
  "seq" bigint NOT NULL,
  -- JSON, as text: jsonb would refuse some of it, and change more.
  "item" text NOT NULL,
  CONSTRAINT "keepsake_items_pkey" PRIMARY KEY ("session_key", "seq")
);

-- The operation ids that a session remembers, and what was done under each.
CREATE TABLE IF NOT EXISTS "keepsake_operations" (
  "session_key" bigint NOT NULL,
  "operation_id" text COLLATE "C" NOT NULL,
  "digest" text NOT NULL,
  "place" bigint NOT NULL,
  CONSTRAINT "keepsake_operations_pkey" PRIMARY KEY ("session_key", "operation_id")
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- What follows would replace that of a newer version of Keepsake, if that has come before: then it is left as it is.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'sessions' AND "version" > 1) THEN

-- What belongs to a session goes with it.
CREATE OR REPLACE FUNCTION "keepsake_session_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
  RETURN OLD;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
FOR EACH ROW EXECUTE FUNCTION "keepsake_session_gone" ();

-- Changes a session in one step, and says whether it did. With "added" alone, adds these to a session that may have to
-- come into being.
CREATE OR REPLACE FUNCTION "keepsake_change_session" (
  of_id text,
  ttl_ms bigint,
  added text[],
  -- The session has to be as it was read, where these are given.
  of_key bigint DEFAULT NULL, of_version bigint DEFAULT NULL, of_last_seq bigint DEFAULT NULL,
  -- Items go from this number on; these numbers go; these get these texts.
  cut_from bigint DEFAULT NULL, removed bigint[] DEFAULT NULL,
  replaced bigint[] DEFAULT NULL, replacements text[] DEFAULT NULL,
  -- By how many there are more then; with all cut, so many as are added.
  growth bigint DEFAULT NULL,
  -- An operation that is done once, and what it says.
  of_operation text DEFAULT NULL, of_digest text DEFAULT NULL,
  -- Whether operation ids are forgotten, of a session that is there; whether it must not be there.
  forget boolean DEFAULT false, only_new boolean DEFAULT false
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(date_part('epoch', clock_timestamp()) * 1000)::bigint;
  n int := cardinality(added);
  its_key bigint;
  its_last bigint;
  its_operations bigint;
  is_there boolean := true;
BEGIN
  LOOP
    IF of_operation IS NOT NULL THEN
      -- Whoever is at it with the same operation has done it once the session is ours.
      PERFORM FROM "keepsake_sessions" WHERE "id" = of_id FOR UPDATE;
      -- A session that comes into being from here on is looked at in the next round.
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

-- Adds items, one a line, which no JSON text has more of. The session comes into being with them.
CREATE OR REPLACE FUNCTION "keepsake_append_items" (of_id text, ttl_ms bigint, lines text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(date_part('epoch', clock_timestamp()) * 1000)::bigint;
  added text[] := string_to_array(lines, E'\n');
  n int := cardinality(added);
  its_key bigint;
  its_last bigint;
BEGIN
  UPDATE "keepsake_sessions" AS s SET
    "last_seq" = s."last_seq" + n,
    "item_count" = s."item_count" + n,
    -- Whoever comes first stays there: where no column of an index changes, none of the indexes is written.
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

-- Takes the newest item away, and gives it. What is no JSON object is left as it is, for whoever asks to say so: then it is
-- not sound. NULL where there is none.
CREATE OR REPLACE FUNCTION "keepsake_pop_item" (of_id text, ttl_ms bigint, OUT popped text, OUT is_sound boolean)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(date_part('epoch', clock_timestamp()) * 1000)::bigint;
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
