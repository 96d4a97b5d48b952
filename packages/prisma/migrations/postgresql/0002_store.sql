-- The tables of Keepsake's memory stores, version 1, for PostgreSQL 14 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

CREATE TABLE IF NOT EXISTS "keepsake_records" (
  -- The order of creation.
  "seq" bigserial NOT NULL,
  -- The namespace, and a digest of it, because a namespace may be too long for an index.
  "namespace" text COLLATE "C" NOT NULL,
  "namespace_key" text COLLATE "C" NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- Unchanged, except that characters that databases or drivers do not return, such as NUL, are escaped as two characters.
  "content" text NOT NULL,
  -- JSON as text, because jsonb rejects some JSON and alters more.
  "metadata" text NOT NULL,
  -- For filters: the value of each metadata field as text, after a letter for its type. Names that begin with U+FEFE and a
  -- letter are fields of the source.
  "fields" jsonb NOT NULL,
  "version" integer NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" bigint NOT NULL,
  "updated_ms" bigint NOT NULL,
  "expires_ms" bigint,
  -- Its position in a conversation.
  "thread" text COLLATE "C",
  "turn_index" bigint,
  "speaker" text COLLATE "C",
  -- For search, or NULL for records kept out of it. A word has as many positions as it has occurrences.
  "words" tsvector,
  "word_count" integer,
  "language" text COLLATE "C",
  -- Bits: 1 the text ends with a question, 2 it mentions a time, 4 it gives a standing instruction.
  "flags" smallint NOT NULL DEFAULT 0,
  CONSTRAINT "keepsake_records_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_key_id_key" ON "keepsake_records" ("namespace_key", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_key_seq_idx" ON "keepsake_records" ("namespace_key", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_idx" ON "keepsake_records" (left("namespace", 256), "namespace_key");
CREATE INDEX IF NOT EXISTS "keepsake_records_thread_idx" ON "keepsake_records" ("namespace_key", "thread", "turn_index", "seq") WHERE "thread" IS NOT NULL AND "language" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms") WHERE "expires_ms" IS NOT NULL;
-- Words of new records first go to a list of at most 64 kB, and then into the index together, which takes a third of the time.
-- Each search reads that list, so it is not larger.
CREATE INDEX IF NOT EXISTS "keepsake_records_words_idx" ON "keepsake_records" USING GIN ("words") WITH (gin_pending_list_limit = 64);

-- Skips the function if a newer version of Keepsake has installed its own.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'store' AND "version" > 1) THEN

-- Finds which records of a namespace contain which words, and how often. Each word belongs to a part of a feature, and the
-- words of a part count as one. It is a function so that PostgreSQL plans it once per connection. JIT and parallel workers are
-- off, because preparing them takes longer than the work.
--
-- The number of occurrences is calculated from "ts_rank", which for one word at n positions is a tenth of
-- 1/1² + 1/2² + … + 1/n² divided by π²/6. That sum is about π²/6 - 1 / (n + 0.5).
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
      -- IS TRUE keeps the planner from using an index of the namespace, which the words already select.
      WHERE r."words" @@ w.word AND (r."namespace_key" = of_namespace) IS TRUE
        AND (r."expires_ms" IS NULL OR r."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
      -- OFFSET 0 keeps the planner from aggregating all columns.
      OFFSET 0
    ) AS h GROUP BY h."seq", h.feature, h.part;
END;
$$;

END IF;
END $keepsake$;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'postgresql', 1) ON CONFLICT DO NOTHING;
