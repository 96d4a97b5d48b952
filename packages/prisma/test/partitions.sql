-- Replaces Keepsake's large tables by tables with 16 partitions each, for PostgreSQL 14 and newer. Refuses a table with rows, and
-- passes over one that has partitions. Grant rights on the tables again afterwards. The migrations don't do this:
-- docs/scaling-out.md says what it costs.
DO $partition$
DECLARE
  partitions constant int := 16;
  of_table record;
  of_function record;
  definition text;
  definitions text[];
  is_filled boolean;
BEGIN
  FOR of_table IN
    SELECT name, key FROM (VALUES
      ('keepsake_items', 'session_key'), ('keepsake_operations', 'session_key'), ('keepsake_records', 'namespace')
    ) AS t (name, key)
  LOOP
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', of_table.name);
    -- Definitions of the indexes of a partitioned table would make invalid ones.
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE oid = of_table.name::regclass AND relkind = 'p');
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', of_table.name) INTO is_filled;
    IF is_filled THEN
      RAISE EXCEPTION 'The table % has rows. Make partitions before anything is stored.', of_table.name;
    END IF;
    -- A key of a partitioned table must contain the column that it is partitioned by.
    definitions := ARRAY(
      SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = of_table.name::regclass
      UNION ALL
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = of_table.name::regclass AND NOT tgisinternal
    );
    -- Functions that return rows of the table must go before it.
    FOR of_function IN
      SELECT f.oid::regprocedure AS name, pg_get_functiondef(f.oid) AS definition
      FROM pg_proc AS f JOIN pg_class AS c ON c.reltype = f.prorettype WHERE c.oid = of_table.name::regclass
    LOOP
      definitions := definitions || of_function.definition;
      EXECUTE format('DROP FUNCTION %s', of_function.name);
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO keepsake_old', of_table.name);
    EXECUTE format('CREATE TABLE %I (LIKE keepsake_old INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (%I)', of_table.name, of_table.key);
    DROP TABLE keepsake_old;
    FOR n IN 0 .. partitions - 1 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
        of_table.name || '_' || n, of_table.name, partitions, n);
    END LOOP;
    FOREACH definition IN ARRAY definitions LOOP
      EXECUTE definition;
    END LOOP;
  END LOOP;
END $partition$;
