import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

describeRecordStore({
  describe,
  it,
  name: 'SqliteStore',
  capabilities: {
    search: 'lexical',
    consistency: 'strong',
    durable: true,
    shared: true,
    atomicBatch: true,
    ttl: true,
    enumerate: true,
    filter: true,
    history: true,
  },
  harness() {
    const { connect, close } = temporaryDatabase();
    return { open: (options) => new SqliteStore({ name: 'memory', ...options, client: connect() }), close };
  },
});

describeMemoryStore({
  describe,
  it,
  name: 'SqliteStore',
  capabilities: { search: 'lexical', add: true, addMessages: 'verbatim', filter: true },
  harness() {
    const { connect, close } = temporaryDatabase();
    const open = (options = {}) => new SqliteStore({ name: 'memory', ...options, client: connect() });
    return {
      open,
      close,
      async fill(contents) {
        await open().putMany(contents.map((content) => ({ content })));
      },
    };
  },
});
