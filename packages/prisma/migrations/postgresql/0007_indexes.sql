-- Indexes of large namespaces and of filters, for PostgreSQL 14 and newer: version 3 of the tables of memory stores.
-- Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

-- A namespace with an index of its own.
CREATE TABLE IF NOT EXISTS "keepsake_indexes" (
  "number" serial NOT NULL,
  "namespace_key" text COLLATE "C" NOT NULL,
  -- Records up to this one are in blocks. Those after it are read for each search.
  "packed_seq" bigint NOT NULL DEFAULT 0,
  "blocks" integer NOT NULL DEFAULT 0,
  -- How often a block was written again, which gives its records other places.
  "rewrites" integer NOT NULL DEFAULT 0,
  CONSTRAINT "keepsake_indexes_pkey" PRIMARY KEY ("number")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_indexes_namespace_key_key" ON "keepsake_indexes" ("namespace_key");

-- Up to two thousand records with consecutive numbers, fewer if their texts are long.
CREATE TABLE IF NOT EXISTS "keepsake_blocks" (
  "number" integer NOT NULL,
  "block" integer NOT NULL,
  "last_seq" bigint NOT NULL,
  -- The records. The place of a record is its index here, from 0.
  "seqs" bigint[],
  CONSTRAINT "keepsake_blocks_pkey" PRIMARY KEY ("number", "block")
);
-- Uncompressed: a search reads single elements.
ALTER TABLE "keepsake_blocks" ALTER COLUMN "seqs" SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS "keepsake_blocks_number_last_seq_idx" ON "keepsake_blocks" ("number", "last_seq");

-- The records of a block that contain a word, three bytes each: two for the place, the lower one first, and one for the
-- frequency (2 bits) and the length of the text (6 bits), in the steps of ranking.
CREATE TABLE IF NOT EXISTS "keepsake_postings" (
  "number" integer NOT NULL,
  "block" integer NOT NULL,
  "term" text COLLATE "C" NOT NULL,
  "postings" bytea NOT NULL,
  CONSTRAINT "keepsake_postings_pkey" PRIMARY KEY ("number", "block", "term")
);

-- Records that were changed or deleted since their block was written.
CREATE TABLE IF NOT EXISTS "keepsake_unpacked" (
  "number" integer NOT NULL,
  "seq" bigint NOT NULL,
  "block" integer NOT NULL,
  -- NULL if the block does not have it.
  "place" integer,
  CONSTRAINT "keepsake_unpacked_pkey" PRIMARY KEY ("number", "seq")
);
CREATE INDEX IF NOT EXISTS "keepsake_unpacked_number_block_idx" ON "keepsake_unpacked" ("number", "block");

-- A field that stores declared as indexed in a namespace.
CREATE TABLE IF NOT EXISTS "keepsake_indexed_fields" (
  "number" integer NOT NULL,
  "field" text COLLATE "C" NOT NULL,
  -- Records up to this one have been indexed. NULL: all are.
  "indexed_seq" bigint DEFAULT 0,
  CONSTRAINT "keepsake_indexed_fields_pkey" PRIMARY KEY ("number", "field")
);

-- Which records have a value in such a field. Values are cut after 200 characters.
CREATE TABLE IF NOT EXISTS "keepsake_field_values" (
  "number" integer NOT NULL,
  "field" text COLLATE "C" NOT NULL,
  "value" text COLLATE "C" NOT NULL,
  "seq" bigint NOT NULL,
  CONSTRAINT "keepsake_field_values_pkey" PRIMARY KEY ("number", "field", "value", "seq")
);

-- Skips the functions if a newer version of Keepsake has installed its own.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'store' AND "version" > 3) THEN

-- Takes or shares a lock of a namespace that separates changes of records from work on its index. There are 64, so that a
-- statement that changes many namespaces does not need a lock for each.
CREATE OR REPLACE FUNCTION "keepsake_lock_index" (of_namespace text, is_shared boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lock bigint := 7305794362000 + (hashtextextended(of_namespace, 0) & 63);
BEGIN
  IF is_shared THEN PERFORM pg_advisory_xact_lock_shared(lock); ELSE PERFORM pg_advisory_xact_lock(lock); END IF;
  -- A transaction with an older snapshot does not see what work on the index has done meanwhile: it must be retried.
  IF is_shared AND current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "keepsake_indexes" ("namespace_key") VALUES (of_namespace) ON CONFLICT DO NOTHING;
    PERFORM FROM "keepsake_indexes" WHERE "namespace_key" = of_namespace FOR SHARE;
  END IF;
END;
$$;

CREATE OR REPLACE FUNCTION "keepsake_records_added" () RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM "keepsake_lock_index"(one."namespace_key", true) FROM (SELECT DISTINCT "namespace_key" FROM added) AS one;
  INSERT INTO "keepsake_field_values" ("number", "field", "value", "seq")
  SELECT f."number", f."field", left(n."fields" ->> f."field", 200), n."seq"
  FROM "keepsake_indexes" AS i JOIN "keepsake_indexed_fields" AS f USING ("number")
  JOIN added AS n ON n."namespace_key" = i."namespace_key" AND n."fields" ->> f."field" IS NOT NULL
  WHERE i."namespace_key" IN (SELECT "namespace_key" FROM added)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE OR REPLACE FUNCTION "keepsake_records_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM "keepsake_lock_index"(one."namespace_key", true) FROM (SELECT DISTINCT "namespace_key" FROM gone) AS one;
  IF NOT EXISTS (SELECT FROM "keepsake_indexes" WHERE "namespace_key" IN (SELECT "namespace_key" FROM gone)) THEN RETURN NULL; END IF;
  -- An index without records goes as a whole.
  WITH dropped AS (
    DELETE FROM "keepsake_indexes" AS i
    WHERE i."namespace_key" IN (SELECT "namespace_key" FROM gone)
      AND NOT EXISTS (SELECT FROM "keepsake_records" AS r WHERE r."namespace_key" = i."namespace_key")
    RETURNING i."number"
  ),
  blocks AS (DELETE FROM "keepsake_blocks" WHERE "number" IN (SELECT "number" FROM dropped)),
  postings AS (DELETE FROM "keepsake_postings" WHERE "number" IN (SELECT "number" FROM dropped)),
  unpacked AS (DELETE FROM "keepsake_unpacked" WHERE "number" IN (SELECT "number" FROM dropped)),
  fields AS (DELETE FROM "keepsake_indexed_fields" WHERE "number" IN (SELECT "number" FROM dropped))
  DELETE FROM "keepsake_field_values" WHERE "number" IN (SELECT "number" FROM dropped);
  DELETE FROM "keepsake_field_values" AS v
  USING "keepsake_indexes" AS i, "keepsake_indexed_fields" AS f, gone AS o
  WHERE i."namespace_key" IN (SELECT "namespace_key" FROM gone) AND f."number" = i."number"
    AND o."namespace_key" = i."namespace_key" AND v."number" = f."number" AND v."field" = f."field"
    AND v."value" = left(o."fields" ->> f."field", 200) AND v."seq" = o."seq";
  INSERT INTO "keepsake_unpacked" ("number", "seq", "block", "place")
  SELECT i."number", o."seq", b."block", array_position(b."seqs", o."seq") - 1
  FROM "keepsake_indexes" AS i JOIN gone AS o ON o."namespace_key" = i."namespace_key" AND o."seq" <= i."packed_seq"
  CROSS JOIN LATERAL (
    SELECT * FROM "keepsake_blocks" AS b WHERE b."number" = i."number" AND b."last_seq" >= o."seq" ORDER BY b."last_seq" LIMIT 1
  ) AS b
  WHERE i."namespace_key" IN (SELECT "namespace_key" FROM gone) AND o."words" IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE OR REPLACE FUNCTION "keepsake_records_changed" () RETURNS trigger LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  PERFORM "keepsake_lock_index"(one."namespace_key", true) FROM (SELECT DISTINCT "namespace_key" FROM gone) AS one;
  IF NOT EXISTS (SELECT FROM "keepsake_indexes" WHERE "namespace_key" IN (SELECT "namespace_key" FROM gone)) THEN RETURN NULL; END IF;
  DELETE FROM "keepsake_field_values" AS v
  USING "keepsake_indexes" AS i, "keepsake_indexed_fields" AS f, gone AS o
  WHERE i."namespace_key" IN (SELECT "namespace_key" FROM gone) AND f."number" = i."number"
    AND o."namespace_key" = i."namespace_key" AND v."number" = f."number" AND v."field" = f."field"
    AND v."value" = left(o."fields" ->> f."field", 200) AND v."seq" = o."seq";
  INSERT INTO "keepsake_field_values" ("number", "field", "value", "seq")
  SELECT f."number", f."field", left(n."fields" ->> f."field", 200), n."seq"
  FROM "keepsake_indexes" AS i JOIN "keepsake_indexed_fields" AS f USING ("number")
  JOIN added AS n ON n."namespace_key" = i."namespace_key" AND n."fields" ->> f."field" IS NOT NULL
  WHERE i."namespace_key" IN (SELECT "namespace_key" FROM gone)
  ON CONFLICT DO NOTHING;
  INSERT INTO "keepsake_unpacked" ("number", "seq", "block", "place")
  SELECT i."number", o."seq", b."block", array_position(b."seqs", o."seq") - 1
  FROM "keepsake_indexes" AS i JOIN gone AS o ON o."namespace_key" = i."namespace_key" AND o."seq" <= i."packed_seq"
  JOIN added AS n ON n."namespace_key" = o."namespace_key" AND n."id" = o."id"
  CROSS JOIN LATERAL (
    SELECT * FROM "keepsake_blocks" AS b WHERE b."number" = i."number" AND b."last_seq" >= o."seq" ORDER BY b."last_seq" LIMIT 1
  ) AS b
  WHERE n."words" IS DISTINCT FROM o."words" OR n."word_count" IS DISTINCT FROM o."word_count" OR n."seq" <> o."seq"
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE OR REPLACE TRIGGER "keepsake_records_added" AFTER INSERT ON "keepsake_records"
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "keepsake_records_added" ();
CREATE OR REPLACE TRIGGER "keepsake_records_gone" AFTER DELETE ON "keepsake_records"
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "keepsake_records_gone" ();
CREATE OR REPLACE TRIGGER "keepsake_records_changed" AFTER UPDATE ON "keepsake_records"
REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "keepsake_records_changed" ();

-- Removes all records of a namespace, and those of all namespaces whose paths begin with `below`, unless it is NULL. Returns how
-- many there were. Waits until nobody puts records into the namespace: a statement that began before a batch was done would see
-- the records that the batch replaces, and not those that it adds.
CREATE OR REPLACE FUNCTION "keepsake_clear" (of_namespace text, below text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint;
  removed bigint;
  removed_below bigint := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_namespace, 7305794361027));
  -- Expired records go first, because they do not count.
  DELETE FROM "keepsake_records" WHERE "namespace_key" = of_namespace AND "expires_ms" <= now_ms;
  DELETE FROM "keepsake_records" WHERE "namespace_key" = of_namespace;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF below = '' THEN
    DELETE FROM "keepsake_records" WHERE left("namespace", 256) > '' AND "expires_ms" <= now_ms;
    DELETE FROM "keepsake_records" WHERE left("namespace", 256) > '';
    GET DIAGNOSTICS removed_below = ROW_COUNT;
  ELSIF length(below) <= 256 THEN
    -- `below` ends with `:`, and `;` is the character after it.
    DELETE FROM "keepsake_records"
      WHERE left("namespace", 256) >= below AND left("namespace", 256) < left(below, -1) || ';' AND "expires_ms" <= now_ms;
    DELETE FROM "keepsake_records" WHERE left("namespace", 256) >= below AND left("namespace", 256) < left(below, -1) || ';';
    GET DIAGNOSTICS removed_below = ROW_COUNT;
  ELSIF below IS NOT NULL THEN
    DELETE FROM "keepsake_records"
      WHERE left("namespace", 256) = left(below, 256) AND starts_with("namespace", below) AND "expires_ms" <= now_ms;
    DELETE FROM "keepsake_records" WHERE left("namespace", 256) = left(below, 256) AND starts_with("namespace", below);
    GET DIAGNOSTICS removed_below = ROW_COUNT;
  END IF;
  RETURN removed + removed_below;
END;
$$;

-- Writes the postings of a block, for the records that have numbers from one to another.
CREATE OR REPLACE FUNCTION "keepsake_write_block" (of_namespace text, of_number int, of_block int, from_seq bigint, to_seq bigint)
RETURNS void LANGUAGE plpgsql SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO "keepsake_blocks" ("number", "block", "last_seq", "seqs")
  SELECT of_number, of_block, to_seq, coalesce(array_agg(r."seq" ORDER BY r."seq"), '{}')
  FROM "keepsake_records" AS r
  WHERE r."namespace_key" = of_namespace AND r."seq" BETWEEN from_seq AND to_seq AND r."words" IS NOT NULL
    AND (r."expires_ms" IS NULL OR r."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint);
  INSERT INTO "keepsake_postings" ("number", "block", "term", "postings")
  SELECT of_number, of_block, p.term, string_agg(substr(int4send(
      ((p.place & 255) << 16) | ((p.place >> 8) << 8) | p.length
      | ((CASE WHEN p.times <= 2 THEN p.times - 1 WHEN p.times <= 5 THEN 2 ELSE 3 END) << 6)
    ), 2), '' ORDER BY p.place)
  FROM (
    SELECT substr(w.lexeme, 10) AS term, d.place, array_length(w.positions, 1) AS times,
      CASE WHEN d."word_count" <= 32 THEN greatest(d."word_count" - 1, 0)
        ELSE least(63, 31 + round(ln(d."word_count" / 32.0) / ln(1.2))::int) END AS length
    FROM (
      SELECT (s.place - 1)::int AS place, r."words", r."word_count"
      FROM "keepsake_blocks" AS b CROSS JOIN unnest(b."seqs") WITH ORDINALITY AS s (seq, place)
      JOIN "keepsake_records" AS r ON r."seq" = s.seq
      WHERE b."number" = of_number AND b."block" = of_block
    ) AS d CROSS JOIN unnest(d."words") AS w
  ) AS p GROUP BY p.term;
  DELETE FROM "keepsake_unpacked" WHERE "number" = of_number AND "block" = of_block;
END;
$$;

-- The last record of the next block, which has so many records, or fewer if they have so many words. NULL as long as there
-- are not enough.
CREATE OR REPLACE FUNCTION "keepsake_block_end" (of_namespace text, after_seq bigint, size int, most_words int) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT n."seq" FROM (
    SELECT r."seq", count(*) OVER until_here AS records, sum(r."word_count") OVER until_here AS words
    FROM (
      SELECT "seq", "word_count" FROM "keepsake_records"
      WHERE "namespace_key" = of_namespace AND "seq" > after_seq ORDER BY "seq" LIMIT size
    ) AS r WINDOW until_here AS (ORDER BY r."seq")
  ) AS n WHERE n.records >= size OR n.words >= most_words ORDER BY n."seq" LIMIT 1
$$;

-- Does one step of the work on the words of a namespace: writes the next block (see keepsake_block_end), or a block again in
-- which records have changed, if more than `most_changed` records of the namespace have. Returns whether it did something.
-- Gives up after a short wait for changes that are under way.
CREATE OR REPLACE FUNCTION "keepsake_pack" (of_namespace text, size int, most_words int, most_changed int) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
  index "keepsake_indexes";
  next_seq bigint;
  changed_block int;
  first_of_block bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN RETURN false; END IF;
  SELECT * INTO index FROM "keepsake_indexes" WHERE "namespace_key" = of_namespace;
  next_seq := "keepsake_block_end"(of_namespace, coalesce(index."packed_seq", 0), size, most_words);
  IF next_seq IS NULL THEN
    SELECT "block" INTO changed_block FROM "keepsake_unpacked" WHERE "number" = index."number"
      GROUP BY "block" ORDER BY count(*) DESC LIMIT 1;
    IF changed_block IS NULL OR (SELECT count(*) FROM "keepsake_unpacked" WHERE "number" = index."number") <= most_changed THEN
      RETURN false;
    END IF;
  END IF;
  BEGIN
    -- Puts, then other changes.
    PERFORM pg_advisory_xact_lock(hashtextextended(of_namespace, 7305794361027));
    PERFORM "keepsake_lock_index"(of_namespace, false);
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END;
  INSERT INTO "keepsake_indexes" ("namespace_key") VALUES (of_namespace) ON CONFLICT DO NOTHING;
  SELECT * INTO index FROM "keepsake_indexes" WHERE "namespace_key" = of_namespace FOR UPDATE;
  IF next_seq IS NULL THEN
    SELECT "last_seq" INTO next_seq FROM "keepsake_blocks" WHERE "number" = index."number" AND "block" = changed_block;
    SELECT coalesce(max("last_seq"), 0) INTO first_of_block FROM "keepsake_blocks"
      WHERE "number" = index."number" AND "last_seq" < next_seq;
    DELETE FROM "keepsake_blocks" WHERE "number" = index."number" AND "block" = changed_block;
    DELETE FROM "keepsake_postings" WHERE "number" = index."number" AND "block" = changed_block;
    PERFORM "keepsake_write_block"(of_namespace, index."number", changed_block, first_of_block + 1, next_seq);
    UPDATE "keepsake_indexes" SET "rewrites" = "rewrites" + 1 WHERE "number" = index."number";
    RETURN true;
  END IF;
  -- Another process may have been faster.
  next_seq := "keepsake_block_end"(of_namespace, index."packed_seq", size, most_words);
  IF next_seq IS NULL THEN RETURN true; END IF;
  PERFORM "keepsake_write_block"(of_namespace, index."number", index."blocks", index."packed_seq" + 1, next_seq);
  UPDATE "keepsake_indexes" SET "packed_seq" = next_seq, "blocks" = "blocks" + 1 WHERE "number" = index."number";
  RETURN true;
END;
$$;

-- How often the words of features occur in some records of a namespace: those after a number, and those with given numbers.
-- As keepsake_find_words, which asks the index of all words instead. If the words are rare, that index leads to those after
-- the number faster than it takes to read all of them.
CREATE OR REPLACE FUNCTION "keepsake_match_words" (
  words text[], features int[], parts int[], of_namespace text, after_seq bigint, of_seqs bigint[], are_rare boolean DEFAULT false
)
RETURNS TABLE ("seq" bigint, "word_count" int, "feature" int, "part" int, "times" double precision)
LANGUAGE plpgsql STABLE SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_column
DECLARE
  wanted tsquery := array_to_string(ARRAY(SELECT quote_literal(word) FROM unnest(words) AS word), ' | ')::tsquery;
BEGIN
  RETURN QUERY
    SELECT h."seq", min(h."word_count"), h.feature, h.part, sum(h.times)
    FROM (
      SELECT r."seq", r."word_count", w.feature, w.part,
        round(0.6079271 / (1 - 10 * ts_rank(r."words", w.word)) - 0.5) AS times
      FROM (
        SELECT c."seq", c."word_count", c."words" FROM "keepsake_records" AS c
        WHERE after_seq IS NOT NULL AND NOT are_rare AND c."namespace_key" = of_namespace AND c."seq" > after_seq
          AND (c."words" @@ wanted) IS TRUE
          AND (c."expires_ms" IS NULL OR c."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
        UNION ALL
        SELECT c."seq", c."word_count", c."words" FROM "keepsake_records" AS c
        WHERE are_rare AND c."words" @@ wanted AND (c."namespace_key" = of_namespace AND c."seq" > after_seq) IS TRUE
          AND (c."expires_ms" IS NULL OR c."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
        UNION ALL
        SELECT c."seq", c."word_count", c."words" FROM unnest(of_seqs) AS s (seq)
        CROSS JOIN LATERAL (SELECT * FROM "keepsake_records" AS k WHERE k."seq" = s.seq OFFSET 0) AS c
        WHERE c."namespace_key" = of_namespace AND (after_seq IS NULL OR c."seq" <= after_seq) AND (c."words" @@ wanted) IS TRUE
          AND (c."expires_ms" IS NULL OR c."expires_ms" > floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
      ) AS r CROSS JOIN (
        SELECT quote_literal(word)::tsquery AS word, feature, part
        FROM unnest(words, features, parts) AS given (word, feature, part)
      ) AS w
      WHERE r."words" @@ w.word
    ) AS h GROUP BY h."seq", h.feature, h.part;
END;
$$;

-- Which places the records of a namespace have in its blocks: the same text as long as they are the same.
CREATE OR REPLACE FUNCTION "keepsake_places" (of_namespace text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT "number" || '.' || "rewrites" FROM "keepsake_indexes" WHERE "namespace_key" = of_namespace
$$;

-- What the blocks of a namespace have of some words, and what the records that are in none have, as rows of one kind each:
-- 'packed' the last record in a block, and which places records have (see keepsake_places); 'gone' block (4 bytes) and place (2 bytes) of records to leave out; 'word' what
-- blocks have of the n-th word, for each block its number, the length (4 bytes each) and the postings; 'rest' a JSON array of
-- [seq, word_count, feature, part, times]. No rows without blocks, or if more than 8,192 records are in none.
CREATE OR REPLACE FUNCTION "keepsake_read_words" (words text[], features int[], parts int[], of_namespace text)
RETURNS TABLE ("kind" text, "n" bigint, "data" bytea)
LANGUAGE plpgsql STABLE SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_column
DECLARE
  index "keepsake_indexes";
  changed bigint[];
  lists bytea[];
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint;
BEGIN
  SELECT * INTO index FROM "keepsake_indexes" WHERE "namespace_key" = of_namespace;
  IF coalesce(index."blocks", 0) = 0 THEN RETURN; END IF;
  -- Too many to read: more than some blocks would hold.
  IF EXISTS (SELECT FROM "keepsake_records" AS r WHERE r."namespace_key" = of_namespace AND r."seq" > index."packed_seq" OFFSET 8192) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT 'packed', index."packed_seq", convert_to("keepsake_places"(of_namespace), 'UTF8');
  changed := ARRAY(SELECT "seq" FROM "keepsake_unpacked" WHERE "number" = index."number" ORDER BY "seq");
  RETURN QUERY SELECT 'gone', NULL::bigint, string_agg(int4send(g."block") || substr(int4send(g."place"), 3), '')
    FROM (
      SELECT u."block", u."place" FROM "keepsake_unpacked" AS u WHERE u."number" = index."number"
      UNION ALL
      SELECT b."block", array_position(b."seqs", r."seq") - 1 FROM "keepsake_records" AS r
      CROSS JOIN LATERAL (
        SELECT * FROM "keepsake_blocks" AS b WHERE b."number" = index."number" AND b."last_seq" >= r."seq" ORDER BY b."last_seq" LIMIT 1
      ) AS b
      WHERE r."expires_ms" <= now_ms AND r."namespace_key" = of_namespace AND r."seq" <= index."packed_seq"
        AND r."words" IS NOT NULL AND r."seq" <> ALL (changed)
    ) AS g WHERE g."place" IS NOT NULL;
  lists := ARRAY(
    SELECT (
      SELECT string_agg(int4send(p."block") || int4send(length(p."postings")) || p."postings", '')
      FROM generate_series(0, index."blocks" - 1) AS b (block) CROSS JOIN LATERAL (
        SELECT * FROM "keepsake_postings" AS p
        WHERE p."number" = index."number" AND p."block" = b.block AND p."term" = substr(w.word, 10) OFFSET 0
      ) AS p
    )
    FROM unnest(words) WITH ORDINALITY AS w (word, n) ORDER BY w.n
  );
  RETURN QUERY SELECT 'word', l.n, l.data FROM unnest(lists) WITH ORDINALITY AS l (data, n) WHERE l.data IS NOT NULL;
  RETURN QUERY SELECT 'rest', NULL::bigint, convert_to(coalesce(json_agg(json_build_array(m."seq", m."word_count", m."feature", m."part", m."times"))::text, '[]'), 'UTF8')
    FROM "keepsake_match_words"(
      words, features, parts, of_namespace, index."packed_seq", changed,
      -- At most a few hundred records have them.
      (SELECT coalesce(sum(length(data)), 0) < 4096 FROM unnest(lists) AS data)
    ) AS m;
END;
$$;

-- Adds fields to those that an index serves in a namespace. Waits for changes that are under way.
CREATE OR REPLACE FUNCTION "keepsake_index_fields" (of_namespace text, names text[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM "keepsake_lock_index"(of_namespace, false);
  INSERT INTO "keepsake_indexes" ("namespace_key") VALUES (of_namespace) ON CONFLICT DO NOTHING;
  UPDATE "keepsake_indexes" SET "packed_seq" = "packed_seq" WHERE "namespace_key" = of_namespace;
  INSERT INTO "keepsake_indexed_fields" ("number", "field")
  SELECT i."number", name FROM "keepsake_indexes" AS i CROSS JOIN unnest(names) AS name WHERE i."namespace_key" = of_namespace
  ON CONFLICT DO NOTHING;
END;
$$;

-- Indexes so many more records of a namespace whose fields are not yet. Returns whether there may be others.
CREATE OR REPLACE FUNCTION "keepsake_index_more" (of_namespace text, size int) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  index_number int;
  from_seq bigint;
  to_seq bigint;
BEGIN
  PERFORM "keepsake_lock_index"(of_namespace, false);
  SELECT i."number", min(f."indexed_seq") INTO index_number, from_seq
  FROM "keepsake_indexes" AS i JOIN "keepsake_indexed_fields" AS f USING ("number")
  WHERE i."namespace_key" = of_namespace AND f."indexed_seq" IS NOT NULL GROUP BY i."number";
  IF index_number IS NULL THEN RETURN false; END IF;
  SELECT max(n."seq") INTO to_seq FROM (
    SELECT r."seq" FROM "keepsake_records" AS r
    WHERE r."namespace_key" = of_namespace AND r."seq" > from_seq ORDER BY r."seq" LIMIT size
  ) AS n;
  INSERT INTO "keepsake_field_values" ("number", "field", "value", "seq")
  SELECT index_number, f."field", left(r."fields" ->> f."field", 200), r."seq"
  FROM "keepsake_records" AS r JOIN "keepsake_indexed_fields" AS f ON f."number" = index_number AND f."indexed_seq" <= from_seq
  WHERE r."namespace_key" = of_namespace AND r."seq" > from_seq AND r."seq" <= to_seq AND r."fields" ->> f."field" IS NOT NULL
  ON CONFLICT DO NOTHING;
  UPDATE "keepsake_indexed_fields" SET "indexed_seq" = to_seq WHERE "number" = index_number AND "indexed_seq" <= from_seq;
  RETURN to_seq IS NOT NULL;
END;
$$;

END IF;
END $keepsake$;

UPDATE "keepsake_meta" SET "version" = 3 WHERE "part" = 'store' AND "version" = 2;
