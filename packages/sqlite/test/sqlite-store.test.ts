import { DatabaseSync } from 'node:sqlite';
import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { describe, it } from 'vitest';
import { SqliteStore, type SqliteStoreOptions } from '../src/index.ts';
import { temporaryFile } from './temporary-file.ts';

const variants: { name: string; options: Partial<SqliteStoreOptions> }[] = [
  { name: 'SqliteStore', options: {} },
  { name: "SqliteStore with an embedder and durability 'os'", options: { durability: 'os', embedder: WORD_EMBEDDER } },
];

for (const { name, options: defaults } of variants) {
  const store = (file: string, options: Partial<SqliteStoreOptions> = {}) =>
    new SqliteStore({ file, name: 'memory', ...defaults, ...options });
  const { capabilities } = store('nowhere.db');

  describeRecordStore({
    describe,
    it,
    name,
    capabilities,
    harness() {
      const { file, remove } = temporaryFile();
      return { open: (options) => store(file, options), close: remove };
    },
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const { file, remove } = temporaryFile();
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
  harness() {
    const database = new DatabaseSync(':memory:');
    return {
      open: (options) => new SqliteStore({ database, name: 'memory', ...options }),
      close: () => database.close(),
    };
  },
});
