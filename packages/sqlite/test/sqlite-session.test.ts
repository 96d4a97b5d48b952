import { DatabaseSync } from 'node:sqlite';
import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { SqliteSession, SqliteSessionStore } from '../src/index.ts';
import { temporaryFile } from './temporary-file.ts';

for (const durability of ['sync', 'os'] as const) {
  describeSession({
    describe,
    it,
    name: `SqliteSession with durability '${durability}'`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canFail: true },
    harness() {
      const { file, remove, hide, show } = temporaryFile();
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
    const { file, remove } = temporaryFile();
    const open = () => new SqliteSessionStore({ file });
    return { store: open(), reopen: open, close: remove };
  },
});
