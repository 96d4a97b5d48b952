import { CursorSeal } from '@keepsake/core/adapter';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** By connection: another file at the same path has another secret. */
const seals = new WeakMap<Connection, CursorSeal>();

/** Seals the cursors of a database. Rows have numbers that count those of all namespaces and all sessions. */
export function cursorSeal(database: Database): Promise<CursorSeal> {
  return database.read((connection) => {
    const knownSeal = seals.get(connection);
    if (knownSeal !== undefined) return knownSeal;
    const row = connection.first<{ cursor_secret: string }>('SELECT cursor_secret FROM keepsake_schema');
    const seal = new CursorSeal(String(row?.cursor_secret));
    seals.set(connection, seal);
    return seal;
  });
}
