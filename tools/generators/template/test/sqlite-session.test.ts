import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { SqliteSession, SqliteSessionStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

describeSession({
  describe,
  it,
  name: 'SqliteSession',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canFail: true },
  harness() {
    const { connect, ...database } = temporaryDatabase();
    return {
      ...database,
      open: (sessionId) => new SqliteSession({ client: connect(), ...(sessionId === undefined ? {} : { sessionId }) }),
    };
  },
});

describeSessionStore({
  describe,
  it,
  name: 'SqliteSessionStore',
  capabilities: { shared: true },
  harness() {
    const { connect, close } = temporaryDatabase();
    const open = () => new SqliteSessionStore({ client: connect() });
    return { store: open(), reopen: open, close };
  },
});
