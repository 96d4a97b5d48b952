-- The tables of Keepsake's sessions, version 2, for PostgreSQL 14 and newer: operation ids are remembered for 30 days.
-- Can be run repeatedly and concurrently.

SELECT pg_advisory_xact_lock(7305794361026);

-- From now on, "place" is the hour of an operation since 1970, and in its lower 31 bits the number of the operation in its
-- session. In version 1, it was the number alone, and all but the last 1,000 numbers were deleted. With the hour, places are
-- higher than any number, so this finds none to delete.
UPDATE "keepsake_operations"
SET "place" = "place" + (floor(extract(epoch FROM statement_timestamp()) / 3600)::bigint << 31)
WHERE "place" < 2147483648 AND EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'sessions' AND "version" = 1);

-- Skips the functions if a newer version of Keepsake has installed its own.
DO $keepsake$ BEGIN
IF NOT EXISTS (SELECT FROM "keepsake_meta" WHERE "part" = 'sessions' AND "version" > 2) THEN

-- Adds the hour to the place of a new operation.
CREATE OR REPLACE FUNCTION "keepsake_operation_placed" () RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."place" := NEW."place" + (floor(extract(epoch FROM statement_timestamp()) / 3600)::bigint << 31);
  RETURN NEW;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_operation_placed" BEFORE INSERT ON "keepsake_operations"
FOR EACH ROW WHEN (NEW."place" < 2147483648) EXECUTE FUNCTION "keepsake_operation_placed" ();

-- With each new operation, deletes at most eight of the oldest: those of more than 30 days ago, except the latest 1,000, or
-- the latest as many as the session has items.
CREATE OR REPLACE FUNCTION "keepsake_operations_aged" () RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  aged text;
BEGIN
  -- One by one: given several at once, PostgreSQL can read all operations of the session to find them.
  FOR aged IN
    SELECT oldest."operation_id" FROM (
      SELECT o."operation_id", o."place" FROM "keepsake_operations" AS o
      WHERE o."session_key" = NEW."key"
        AND o."place" < (floor(extract(epoch FROM statement_timestamp()) / 3600)::bigint - 720) << 31
      ORDER BY o."place" LIMIT 8) AS oldest
    WHERE (oldest."place" & 2147483647) <= NEW."operations" - greatest(1000, NEW."item_count")
  LOOP
    DELETE FROM "keepsake_operations" WHERE "session_key" = NEW."key" AND "operation_id" = aged;
  END LOOP;
  RETURN NULL;
END;
$$;
CREATE OR REPLACE TRIGGER "keepsake_operations_aged" AFTER UPDATE OF "operations" ON "keepsake_sessions"
FOR EACH ROW WHEN (NEW."operations" > OLD."operations") EXECUTE FUNCTION "keepsake_operations_aged" ();

END IF;
END $keepsake$;

UPDATE "keepsake_meta" SET "version" = 2 WHERE "part" = 'sessions' AND "version" = 1;
