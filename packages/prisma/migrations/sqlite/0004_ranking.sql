-- The tables of Keepsake's memory stores, version 2, for SQLite 3.42 and newer: "word_count" is rounded as ranking rounds it.
-- Can be run repeatedly and concurrently.

-- Lengths from 1 to 32 stay unchanged. Each pair is the smallest length of a step, and what the step is rounded to.
UPDATE "keepsake_records" SET "word_count" = (
  SELECT max(column2) FROM (VALUES
    (0, 1), (32, 32), (35, 38), (42, 46), (51, 55), (61, 66), (73, 80), (88, 96), (106, 115), (127, 138),
    (152, 165), (182, 198), (218, 238), (262, 285), (314, 342), (377, 411), (452, 493), (543, 592),
    (651, 710), (781, 852), (937, 1022), (1125, 1227), (1350, 1472), (1620, 1767), (1944, 2120), (2332, 2544),
    (2799, 3053), (3358, 3663), (4030, 4396), (4836, 5275), (5803, 6330), (6963, 7596), (8356, 9115),
    (10027, 10938)
  ) AS steps WHERE column1 <= "word_count"
)
WHERE ("word_count" = 0 OR "word_count" > 32)
  AND EXISTS (SELECT 1 FROM "keepsake_meta" WHERE "part" = 'store' AND "version" = 1);

UPDATE "keepsake_meta" SET "version" = 2 WHERE "part" = 'store' AND "version" = 1;
