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
  CONSTRAINT "keepsake_sessions_pkey" PRIMARY KEY ("key")
);
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_id_key" ON "keepsake_sessions" ("id");
CREATE UNIQUE INDEX IF NOT EXISTS "keepsake_sessions_activity_key" ON "keepsake_sessions" ("activity");
CREATE INDEX IF NOT EXISTS "keepsake_sessions_expires_ms_idx" ON "keepsake_sessions" ("expires_ms");

CREATE TABLE IF NOT EXISTS "keepsake_items" (
  "session_key" bigint NOT NULL,
  "seq" bigint NOT NULL,
  -- JSON, as text: jsonb would refuse some of it, and change more.
  "item" text NOT NULL,
  CONSTRAINT "keepsake_items_pkey" PRIMARY KEY ("session_key", "seq"),
  CONSTRAINT "keepsake_items_session_key_fkey" FOREIGN KEY ("session_key") REFERENCES "keepsake_sessions" ("key") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The operation ids that a session remembers, and what was done under each.
CREATE TABLE IF NOT EXISTS "keepsake_operations" (
  "session_key" bigint NOT NULL,
  "operation_id" text COLLATE "C" NOT NULL,
  "digest" text NOT NULL,
  "place" bigint NOT NULL,
  CONSTRAINT "keepsake_operations_pkey" PRIMARY KEY ("session_key", "operation_id"),
  CONSTRAINT "keepsake_operations_session_key_fkey" FOREIGN KEY ("session_key") REFERENCES "keepsake_sessions" ("key") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX IF NOT EXISTS "keepsake_operations_session_key_place_idx" ON "keepsake_operations" ("session_key", "place");

INSERT INTO "keepsake_meta" ("part", "dialect", "version") VALUES ('sessions', 'postgresql', 1) ON CONFLICT DO NOTHING;
