-- The tables of Keepsake's sessions, version 1, for SQLite 3.38 and newer.
-- Can be run again, and by several at once: what is there stays as it is.

-- What is here, and of which version.
CREATE TABLE IF NOT EXISTS "keepsake_meta" (
  "part" TEXT NOT NULL PRIMARY KEY,
  "dialect" TEXT NOT NULL,
  "version" INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS "keepsake_sessions" (
  "key" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  "id" TEXT NOT NULL,
  -- The number of the item that was added last. It never goes back, also when items are removed.
  "last_seq" BIGINT NOT NULL DEFAULT 0,
  "item_count" BIGINT NOT NULL DEFAULT 0,
  -- Rises with every change but an append: tells whether what was read still stands.
  "version" BIGINT NOT NULL DEFAULT 0,
  -- How many operation ids it has had.
  "operations" BIGINT NOT NULL DEFAULT 0,
  -- Newest first is by this: clocks tie, and go back.
  "activity" BIGINT NOT NULL,
  -- Milliseconds since 1970.
  "created_ms" BIGINT NOT NULL,
  "updated_ms" BIGINT NOT NULL,
  "expires_ms" BIGINT
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_id_key" ON "keepsake_sessions" ("id");
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_activity_key" ON "keepsake_sessions" ("activity");
CREATE INDEX IF NOT EXISTS "keepsake_sessions_expires_ms_idx" ON "keepsake_sessions" ("expires_ms");

CREATE TABLE IF NOT EXISTS "keepsake_items" (
  "session_key" INTEGER NOT NULL,
  "seq" BIGINT NOT NULL,
  "item" TEXT NOT NULL,
  PRIMARY KEY ("session_key", "seq"),
  CONSTRAINT "keepsake_items_session_key_fkey" FOREIGN KEY ("session_key") REFERENCES "keepsake_sessions" ("key") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The operation ids that a session remembers, and what was done under each.
CREATE TABLE IF NOT EXISTS "keepsake_operations" (
  "session_key" INTEGER NOT NULL,
  "operation_id" TEXT NOT NULL,
  "digest" TEXT NOT NULL,
  "place" BIGINT NOT NULL,
  PRIMARY KEY ("session_key", "operation_id"),
  CONSTRAINT "keepsake_operations_session_key_fkey" FOREIGN KEY ("session_key") REFERENCES "keepsake_sessions" ("key") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

-- What belongs to a session goes with it, also on connections without foreign_keys.
CREATE TRIGGER IF NOT EXISTS "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
BEGIN
  DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key";
  DELETE FROM "keepsake_operations" WHERE "session_key" = OLD."key";
END;

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('sessions', 'sqlite', 1) ON CONFLICT DO NOTHING;
