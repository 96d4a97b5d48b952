-- The vectors of Keepsake's memory stores, version 1, for PostgreSQL 14 and newer with pgvector. Only stores with an embedder
-- need them. Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE IF NOT EXISTS "keepsake_vectors" (
  "seq" bigint NOT NULL,
  -- Vectors of different embedders are never compared.
  "embedder" text COLLATE "C" NOT NULL,
  "embedding" vector NOT NULL,
  CONSTRAINT "keepsake_vectors_pkey" PRIMARY KEY ("seq"),
  CONSTRAINT "keepsake_vectors_seq_fkey" FOREIGN KEY ("seq") REFERENCES "keepsake_records" ("seq") ON DELETE CASCADE ON UPDATE CASCADE
);

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('vectors', 'postgresql', 1) ON CONFLICT DO NOTHING;
