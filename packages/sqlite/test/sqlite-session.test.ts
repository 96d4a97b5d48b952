import { DatabaseSync } from 'node:sqlite';
import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { sessionConcerns } from '@keepsake/suites/variants';
import { describe, it } from 'vitest';
import { SqliteSession, SqliteSessionStore } from '../src/index.ts';
import { temporaryDatabase } from './temporary-file.ts';

for (const durability of ['sync', 'os'] as const) {
  describeSession({
    describe,
    it,
    name: `SqliteSession with durability '${durability}'`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canFail: true },
    ...(durability === 'os' && sessionConcerns('client')),
    harness() {
      const { file, remove, hide, show } = temporaryDatabase();
      return {
        open: (sessionId) => new SqliteSession({ file, durability, sessionId }),
        fail: hide,
        heal: show,
        close: remove,
      };
    },
  });
}

describeSession({
  describe,
  it,
  name: 'SqliteSession on a database of the caller, with a TTL',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true },
  ...sessionConcerns('client'),
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
