-- The secret of cursors, version 1, for PostgreSQL 14 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

SELECT pg_advisory_xact_lock(7305794361026);

-- Cursors contain the number of a row, which would tell one user how much all others have written. They are encrypted with a
-- key that is derived from this secret. Without it, or with another one, earlier cursors are refused.
CREATE TABLE IF NOT EXISTS "keepsake_secrets" (
  "name" text NOT NULL,
  "secret" text NOT NULL,
  CONSTRAINT "keepsake_secrets_pkey" PRIMARY KEY ("name")
);
INSERT INTO "keepsake_secrets" ("name", "secret") VALUES ('cursors', CAST(gen_random_uuid() AS text) || CAST(gen_random_uuid() AS text)) ON CONFLICT DO NOTHING;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('cursors', 'postgresql', 1) ON CONFLICT DO NOTHING;
