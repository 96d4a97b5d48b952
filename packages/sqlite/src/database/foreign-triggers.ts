import { MemoryError } from '@keepsake/core';
import type { Connection } from './connection.ts';

/** In place of the version of the schema of a Durable Object, which does not tell: only its own code makes triggers. */
const FIRST = 0;
/** The version of the schema that each connection last checked. SQLite counts it up with each change of a table or trigger. */
const checked = new WeakMap<Connection, number>();

/**
 * Throws if another program has put a trigger on a table of Keepsake, which has none: a trigger can copy what is deleted or
 * replaced to a place where no erasure finds it.
 *
 * @throws MemoryError `UNSUPPORTED`, which names the trigger.
 */
export function refuseForeignTriggers(connection: Connection): void {
  const version = connection.isManaged
    ? FIRST
    : connection.first<{ schema_version: number }>('PRAGMA schema_version')?.schema_version;
  if (version !== undefined && checked.get(connection) === version) return;
  const trigger = connection.first<{ name: string; tbl_name: string }>(
    `SELECT name, tbl_name FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema)
      WHERE type = 'trigger' AND tbl_name LIKE 'keepsake!_%' ESCAPE '!'`,
  );
  if (trigger !== undefined) {
    const [name, table] = [trigger.name, trigger.tbl_name].map((one) => `"${one.replaceAll('"', '""')}"`);
    throw new MemoryError(
      'UNSUPPORTED',
      `The table ${table} has a trigger ${name}, which is not from Keepsake and could keep what is erased. ` +
        `Look at what it does, then remove it: DROP TRIGGER ${name}.`,
    );
  }
  if (version !== undefined) checked.set(connection, version);
}
