import { DatabaseSync } from 'node:sqlite';
import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { CONCERNS_OF_CONNECTIONS } from '@keepsake/suites/whole-kit';
import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { SqliteSession, SqliteSessionStore } from '../src/index.ts';
import { temporaryDatabase } from './temporary-file.ts';

/** What a durability, or a database of the caller, can change. Every night, both pass the whole kit. */
const VARIANT = byDay({ concerns: CONCERNS_OF_CONNECTIONS.sessions });

for (const durability of ['sync', 'os'] as const) {
  describeSession({
    describe,
    it,
    name: `SqliteSession with durability '${durability}'`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
    ...(durability === 'os' && VARIANT),
    harness() {
      const { file, remove, hide, show } = temporaryDatabase();
      return {
        open: (sessionId) => new SqliteSession({ file, durability, sessionId }),
        damage: (sessionId, index) => damageItem(file, sessionId, index),
        fail: hide,
        heal: show,
        close: remove,
      };
    },
  });
}

/** Cuts the stored text of an item in half. */
function damageItem(file: string, sessionId: string, index: number): void {
  const database = new DatabaseSync(file);
  database
    .prepare(`UPDATE keepsake_items SET item = substr(item, 1, length(item) / 2)
      WHERE place = (SELECT (session << 32) + 1 + ? FROM keepsake_sessions WHERE id = ?)`)
    .run(index, sessionId);
  database.close();
}

describeSession({
  describe,
  it,
  name: 'SqliteSession on a database of the caller, with a TTL',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true },
  ...VARIANT,
  harness() {
    const database = new DatabaseSync(':memory:');
    return {
      open: (sessionId) => new SqliteSession({ database, sessionId, ttlMs: 3_600_000, refresh: 'access' }),
      close: () => database.close(),
    };
  },
});

describeSessionStore({
  describe,
  it,
  name: 'SqliteSessionStore',
  capabilities: { shared: true },
  harness() {
    const { file, remove } = temporaryDatabase();
    const open = () => new SqliteSessionStore({ file });
    return { store: open(), reopen: open, close: remove };
  },
});
