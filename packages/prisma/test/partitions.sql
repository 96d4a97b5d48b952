-- Replaces Keepsake's large tables, which must be empty, by tables with 16 partitions each, for PostgreSQL 14 and newer. The
-- migrations don't do this: docs/scaling-out.md says what it costs.
DO $partition$
DECLARE
  partitions constant int := 16;
  of_table record;
  definition text;
  definitions text[];
BEGIN
  FOR of_table IN
    SELECT name, key FROM (VALUES
      ('keepsake_items', 'session_key'), ('keepsake_operations', 'session_key'), ('keepsake_records', 'namespace')
    ) AS t (name, key)
  LOOP
    -- A key of a partitioned table must contain the column that it is partitioned by.
    definitions := ARRAY(
      SELECT pg_get_indexdef(indexrelid)
      FROM pg_index WHERE indrelid = of_table.name::regclass
      UNION ALL
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = of_table.name::regclass AND NOT tgisinternal
      UNION ALL
      -- Functions that return rows of the table are dropped with it.
      SELECT pg_get_functiondef(f.oid) FROM pg_proc AS f JOIN pg_class AS c ON c.reltype = f.prorettype
      WHERE c.oid = of_table.name::regclass
    );
    EXECUTE format('ALTER TABLE %I RENAME TO keepsake_old', of_table.name);
    EXECUTE format('CREATE TABLE %I (LIKE keepsake_old INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (%I)', of_table.name, of_table.key);
    DROP TABLE keepsake_old CASCADE;
    FOR n IN 0 .. partitions - 1 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
        of_table.name || '_' || n, of_table.name, partitions, n);
    END LOOP;
    FOREACH definition IN ARRAY definitions LOOP
      EXECUTE definition;
    END LOOP;
  END LOOP;
END $partition$;
