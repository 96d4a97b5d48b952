-- The tables of Keepsake's sessions, version 2, for SQLite 3.38 and newer: operation ids are remembered for 30 days.
-- Can be run repeatedly and concurrently.

-- From now on, "place" is the hour of an operation since 1970, and in its lower 31 bits the number of the operation in its
-- session. In version 1, it was the number alone, and all but the last 1,000 numbers were deleted. With the hour, places are
-- higher than any number, so this finds none to delete. A migration that can be run repeatedly can not add a column for the hour.
UPDATE "keepsake_operations" SET "place" = "place" + (unixepoch() / 3600 << 31)
WHERE "place" < 2147483648 AND EXISTS (SELECT 1 FROM "keepsake_meta" WHERE "part" = 'sessions' AND "version" = 1);

-- Adds the hour to the place of a new operation.
CREATE TRIGGER IF NOT EXISTS "keepsake_operation_placed" AFTER INSERT ON "keepsake_operations"
WHEN NEW."place" < 2147483648
BEGIN
  UPDATE "keepsake_operations" SET "place" = "place" + (unixepoch() / 3600 << 31)
  WHERE "session_key" = NEW."session_key" AND "operation_id" = NEW."operation_id";
END;

-- With each new operation, deletes at most eight of the oldest: those of more than 30 days ago, except the latest 1,000, or
-- the latest as many as the session has items.
CREATE TRIGGER IF NOT EXISTS "keepsake_operations_aged" AFTER UPDATE OF "operations" ON "keepsake_sessions"
WHEN NEW."operations" > OLD."operations"
BEGIN
  DELETE FROM "keepsake_operations" WHERE "rowid" IN (
    SELECT oldest."row" FROM (
      SELECT o."rowid" AS "row", o."place" AS "place" FROM "keepsake_operations" AS o
      WHERE o."session_key" = NEW."key" AND o."place" < (unixepoch() / 3600 - 720) << 31
      ORDER BY o."place" LIMIT 8) AS oldest
    WHERE (oldest."place" & 2147483647) <= NEW."operations" - max(1000, NEW."item_count"));
END;

UPDATE "keepsake_meta" SET "version" = 2 WHERE "part" = 'sessions' AND "version" = 1;
