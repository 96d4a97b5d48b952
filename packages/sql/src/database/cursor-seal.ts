import { CursorSeal } from '@keepsake/core/adapter';
import type { Database } from './database.ts';
import { missingTables } from './errors.ts';
import { Values } from './statement.ts';

const seals = new WeakMap<Database, Promise<CursorSeal>>();

/** Seals the cursors of a database. Rows have numbers that count those of all namespaces and all sessions. */
export function cursorSeal(database: Database): Promise<CursorSeal> {
  const knownSeal = seals.get(database);
  if (knownSeal !== undefined) return knownSeal;
  const reading = readSeal(database);
  seals.set(database, reading);
  reading.catch(() => seals.delete(database));
  return reading;
}

async function readSeal(database: Database): Promise<CursorSeal> {
  const sql = `SELECT "secret" FROM "keepsake_secrets" WHERE "name" = 'cursors'`;
  const [row] = await database.readRows<{ readonly secret: string }>({ sql, values: new Values(database.dialect) });
  if (row === undefined) throw missingTables(database.tables);
  return new CursorSeal(row.secret);
}
