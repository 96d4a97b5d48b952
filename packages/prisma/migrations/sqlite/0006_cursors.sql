-- The secret of cursors, version 1, for SQLite 3.38 and newer.
-- Can be run repeatedly and concurrently: keeps what exists.

-- Cursors contain the number of a row, which would tell one user how much all others have written. They are encrypted with a
-- key that is derived from this secret. Without it, or with another one, earlier cursors are refused.
CREATE TABLE IF NOT EXISTS "keepsake_secrets" (
  "name" TEXT NOT NULL PRIMARY KEY,
  "secret" TEXT NOT NULL
);
INSERT INTO "keepsake_secrets" ("name", "secret") VALUES ('cursors', hex(randomblob(32))) ON CONFLICT DO NOTHING;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('cursors', 'sqlite', 1) ON CONFLICT DO NOTHING;
