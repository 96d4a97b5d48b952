import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { openDatabase, send } from '@keepsake/sql';
import type { PostgresClient } from './client.ts';
import { driverOf, quoted } from './postgres-driver.ts';

/** Options of {@link setup}. */
export interface SetupOptions {
  /**
   * The schema for the tables. It is created if it is missing. Pass the same one to stores and sessions.
   *
   * @default the first on the `search_path`
   */
  readonly schema?: string | undefined;
}

const OPTIONS: FieldNames<SetupOptions> = { schema: true };

/**
 * Creates Keepsake's tables and functions, unless they are there. In one transaction, and under a lock, so that any number of
 * processes can call it at their start; in a transaction of the caller's, as part of it. Needs the right to create tables in
 * the schema only when it creates them.
 *
 * @example
 * await setup(pool);
 *
 * @throws MemoryError `BACKEND` if the tables there are of another version, or the user lacks a right.
 */
export async function setup(client: PostgresClient, options: SetupOptions = {}): Promise<void> {
  const { schema } = expectKnownFields(options, OPTIONS);
  const own = driverOf({ client, schema });
  const driver = driverOf({ client });
  const table = `${schema === undefined ? '' : `${quoted(schema)}.`}keepsake_meta`;
  // Asks without an error, which would end a transaction of the caller's.
  const ask = () =>
    driver.query<{ found: boolean }>('SELECT to_regclass(CAST($1 AS text)) IS NOT NULL AS found', [table]);
  const [answer] = await send(driver, ask, { dialect: 'postgresql', writes: false });
  if (answer?.found !== true) {
    await send(driver, () => driver.execute(scriptFor(schema), []), { dialect: 'postgresql', writes: true });
  }
  await openDatabase(own);
}

/** The migrations, for any schema. Sent at once, they are one transaction. */
function scriptFor(schema: string | undefined): string {
  const folder = fileURLToPath(new URL('migrations/', import.meta.resolve('@keepsake/postgres/package.json')));
  const files = readdirSync(folder).sort();
  const migrations = files.map((file) => readFileSync(`${folder}${file}`, 'utf8')).join('\n');
  return schema === undefined ? migrations : inSchema(schema, migrations);
}

/** The advisory lock that the migrations take. */
const LOCK = 7305794361026;

/** The functions get a setting of their own, because those who call them may not have the schema on their search_path. */
function inSchema(schema: string, migrations: string): string {
  const name = `'${quoted(schema).replaceAll("'", "''")}'`;
  return `SELECT pg_advisory_xact_lock(${LOCK}), set_config('keepsake.schema', ${name}, true),
  set_config('keepsake.search_path', current_setting('search_path'), true);
DO $$ BEGIN
  IF to_regnamespace(current_setting('keepsake.schema')) IS NULL THEN
    EXECUTE 'CREATE SCHEMA ' || current_setting('keepsake.schema');
  END IF;
END $$;
SELECT set_config('search_path', current_setting('keepsake.schema'), true);
${migrations}
DO $$ DECLARE made regprocedure; BEGIN
  FOR made IN SELECT oid FROM pg_proc
    WHERE pronamespace = to_regnamespace(current_setting('keepsake.schema')) AND starts_with(proname, 'keepsake_')
  LOOP
    EXECUTE 'ALTER FUNCTION ' || made || ' SET search_path = ' || current_setting('keepsake.schema');
  END LOOP;
END $$;
SELECT set_config('search_path', current_setting('keepsake.search_path'), true);`;
}
