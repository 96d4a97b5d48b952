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
  -- 1 where the text ends by asking, and 2 where it speaks of a time.
  "flags" smallint NOT NULL DEFAULT 0,
  CONSTRAINT "keepsake_records_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_key_id_key" ON "keepsake_records" ("namespace_key", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_key_seq_idx" ON "keepsake_records" ("namespace_key", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_idx" ON "keepsake_records" (left("namespace", 256), "namespace_key");
CREATE INDEX IF NOT EXISTS "keepsake_records_thread_idx" ON "keepsake_records" ("namespace_key", "thread", "turn_index", "seq") WHERE "thread" IS NOT NULL AND "language" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms") WHERE "expires_ms" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "keepsake_records_words_idx" ON "keepsake_records" USING GIN ("words") WITH (fastupdate = off);

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'postgresql', 1) ON CONFLICT DO NOTHING;
