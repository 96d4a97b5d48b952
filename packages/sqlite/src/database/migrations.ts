import { MemoryError } from '@keepsake/core';
import type { Connection } from './connection.ts';
import { SCHEMA_1 } from './schema.ts';
import { damaged } from './stored-values.ts';
import { transaction } from './transaction.ts';

/** Each brings the tables from the version of its index to the next. Never change one that was released. */
const MIGRATIONS: readonly string[] = [SCHEMA_1];

/** Brings the tables to the current version, in one transaction. Does nothing if they have it. */
export function migrate(connection: Connection): void {
  if (versionOf(connection) === MIGRATIONS.length) return;
  transaction(connection, 'BEGIN IMMEDIATE', () => {
    const version = versionOf(connection);
    if (version > MIGRATIONS.length) {
      throw new MemoryError(
        'UNSUPPORTED',
        `The tables have version ${version}, but this version of @keepsake/sqlite knows only ${MIGRATIONS.length}. Update it.`,
      );
    }
    for (const sql of MIGRATIONS.slice(version)) connection.execute(sql);
    connection.run('UPDATE keepsake_schema SET version = ?', MIGRATIONS.length);
  });
}

/** 0 without tables. @throws MemoryError `CORRUPT` for a number that no version has. */
function versionOf(connection: Connection): number {
  const table = connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'keepsake_schema'");
  if (table === undefined) return 0;
  const version = connection.first<{ version: number }>('SELECT version FROM keepsake_schema')?.version ?? 0;
  if (version < 1) throw damaged('The version of the tables');
  return version;
}
