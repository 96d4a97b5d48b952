-- The tables of Keepsake's memory stores, version 1, for PostgreSQL 14 and newer.
-- Can be run again, and by several at once: what is there stays as it is.

SELECT pg_advisory_xact_lock(7305794361026);

CREATE TABLE IF NOT EXISTS "keepsake_records" (
  -- The order of creation.
  "seq" bigserial NOT NULL,
  -- The namespace as text that tells each from every other, below /; and the id in it.
  "namespace" text COLLATE "C" NOT NULL,
  "id" text COLLATE "C" NOT NULL,
  -- JSON texts: a text of PostgreSQL holds no NUL.
  "content" text NOT NULL,
  "metadata" text NOT NULL,
  "turn" text,
  "version" integer NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" bigint NOT NULL,
  "updated_ms" bigint NOT NULL,
  "expires_ms" bigint,
  -- What search looks at; none of what is kept out of it.
  "words" tsvector,
  CONSTRAINT "keepsake_records_pkey" PRIMARY KEY ("seq")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_records_namespace_id_key" ON "keepsake_records" ("namespace", "id");
CREATE INDEX IF NOT EXISTS "keepsake_records_namespace_seq_idx" ON "keepsake_records" ("namespace", "seq");
CREATE INDEX IF NOT EXISTS "keepsake_records_expires_ms_idx" ON "keepsake_records" ("expires_ms");
CREATE INDEX IF NOT EXISTS "keepsake_records_words_idx" ON "keepsake_records" USING GIN ("words");

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('store', 'postgresql', 1) ON CONFLICT DO NOTHING;
