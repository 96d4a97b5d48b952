-- The tables of Keepsake's memory stores, version 1, for PostgreSQL 14 and newer.
-- Can be run again, and by several at once: what is there stays as it is.

SELECT pg_advisory_xact_lock(7305794361026);

CREATE TABLE IF NOT EXISTS "keepsake_records" (
  -- The order of creation.
  "seq" bigserial NOT NULL,
  -- The namespace, and a digest of it: a namespace may be longer than a key of an index.
  "namespace" text COLLATE "C" NOT NULL,
  "namespace_key" text COLLATE "C" NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- As it is, but for what databases and drivers do not give back, such as NUL: that is two characters, U+0001 the first.
  "content" text NOT NULL,
  -- JSON, as text: jsonb would refuse some of it, and change more.
  "metadata" text NOT NULL,
  -- What filters compare: of each field of the metadata its value as text, after a letter for its type.
  "fields" jsonb NOT NULL,
  "version" integer NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" bigint NOT NULL,
  "updated_ms" bigint NOT NULL,
  "expires_ms" bigint,
  -- Where it stands in a conversation.
  "thread" text COLLATE "C",
  "turn_index" bigint,
  "speaker" text COLLATE "C",
  -- What search looks at; none of what is kept out of it. A position a time that the text has the word.
  "words" tsvector,
  "word_count" integer,
  "language" text COLLATE "C",
  -- Bits: 1 the text ends by asking, 2 it speaks of a time, 4 it gives a standing instruction.
  "flags" smallint NOT NULL DEFAULT 0,
  CONSTRAINT "keepsake_records_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_key_id_key" ON "keepsake_records" ("namespace_key", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_key_seq_idx" ON "keepsake_records" ("namespace_key", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_idx" ON "keepsake_records" (left("namespace", 256), "namespace_key");
CREATE INDEX IF NOT EXISTS "keepsake_records_thread_idx" ON "keepsake_records" ("namespace_key", "thread", "turn_index", "seq") WHERE "thread" IS NOT NULL AND "language" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms") WHERE "expires_ms" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_words_idx" ON "keepsake_records" USING GIN ("words") WITH (fastupdate = off);

-- As with sessions, that of a newer version of Keepsake is left as it is.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'store' AND "version" > 1) THEN

-- Which records of a namespace hold which of some words, and how often. Each word belongs to a part of a feature, and those of
-- one part count as one. A function, so that PostgreSQL plans it once a connection; without what prepares for long work,
-- compiling and other processes: that would take longer than the work.
--
-- How often is read off "ts_rank", which for one word at n places is a tenth of 1/1² + 1/2² + … + 1/n² over π²/6: that sum
-- is π²/6 less about 1 / (n + 0.5).
CREATE OR REPLACE FUNCTION "keepsake_find_words" (words text[], features int[], parts int[], of_namespace text)
RETURNS TABLE ("seq" bigint, "word_count" int, "feature" int, "times" double precision)
LANGUAGE plpgsql STABLE SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT h."seq", min(h."word_count"), h.feature, sum(h.times)
    FROM (
      SELECT r."seq", r."word_count", w.feature, w.part,
        round(0.6079271 / (1 - 10 * ts_rank(r."words", w.word)) - 0.5) AS times
      FROM (
        SELECT quote_literal(word)::tsquery AS word, feature, part
        FROM unnest(words, features, parts) AS given (word, feature, part)
      ) AS w CROSS JOIN "keepsake_records" AS r
      -- IS TRUE keeps indexes of the namespace out of it: they would tell nothing but what the words tell.
      WHERE r."words" @@ w.word AND (r."namespace_key" = of_namespace) IS TRUE
        AND (r."expires_ms" IS NULL OR r."expires_ms" > (extract(epoch FROM statement_timestamp()) * 1000)::bigint)
      -- What is added up below is to be small.
      OFFSET 0
    ) AS h GROUP BY h."seq", h.feature, h.part;
END;
$$;

END IF;
END $keepsake$;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'postgresql', 1) ON CONFLICT DO NOTHING;
