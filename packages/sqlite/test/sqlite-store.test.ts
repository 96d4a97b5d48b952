import { DatabaseSync } from 'node:sqlite';
import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { storeConcerns } from '@keepsake/suites/variants';
import { CONCERNS_OF_CONNECTIONS } from '@keepsake/suites/whole-kit';
import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { SqliteStore, type SqliteStoreOptions } from '../src/index.ts';
import { temporaryDatabase } from './temporary-file.ts';

const variants: { name: string; options: Partial<SqliteStoreOptions>; concerns?: object }[] = [
  { name: 'SqliteStore', options: {} },
  {
    name: "SqliteStore with an embedder and durability 'os'",
    options: { durability: 'os', embedder: WORD_EMBEDDER },
    concerns: storeConcerns('embedder'),
  },
];

for (const { name, options: defaults, concerns } of variants) {
  const store = (file: string, options: Partial<SqliteStoreOptions> = {}) =>
    new SqliteStore({ file, name: 'memory', ...defaults, ...options });
  const { capabilities } = store('nowhere.db');

  describeRecordStore({
    describe,
    it,
    name,
    capabilities,
    ...concerns,
    harness() {
      const { file, remove } = temporaryDatabase();
      return { open: (options) => store(file, options), close: remove };
    },
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const { file, remove } = temporaryDatabase();
      return {
        open: (options) => store(file, options),
        async fill(contents) {
          await store(file).putMany(contents.map((content) => ({ content })));
        },
        close: remove,
      };
    },
  });
}

describeRecordStore({
  describe,
  it,
  name: 'SqliteStore on a database of the caller',
  capabilities: new SqliteStore({ file: 'nowhere.db', name: 'memory' }).capabilities,
  // Every night, the whole kit runs.
  ...byDay({ concerns: CONCERNS_OF_CONNECTIONS.stores }),
  harness() {
    const database = new DatabaseSync(':memory:');
    return {
      open: (options) => new SqliteStore({ database, name: 'memory', ...options }),
      close: () => database.close(),
    };
  },
});
