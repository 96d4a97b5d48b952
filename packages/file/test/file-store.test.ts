import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { storeConcerns } from '@keepsake/suites/variants';
import { describe, it } from 'vitest';
import { FileStore, type FileStoreOptions } from '../src/index.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const variants: { name: string; options: Partial<FileStoreOptions>; concerns?: object }[] = [
  { name: 'FileStore', options: {} },
  {
    name: "FileStore with an embedder and durability 'os'",
    options: { durability: 'os', embedder: fakeEmbedder },
    concerns: storeConcerns('embedder'),
  },
];

for (const { name, options: defaults, concerns } of variants) {
  const store = (directory: string, options: Partial<FileStoreOptions> = {}) =>
    new FileStore({ directory, name: 'memory', ...defaults, ...options });
  const { capabilities } = store('nowhere');

  describeRecordStore({
    describe,
    it,
    name,
    capabilities,
    ...concerns,
    harness() {
      const { path, remove } = temporaryDirectory();
      return { open: (options) => store(path, options), close: remove };
    },
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const { path, remove } = temporaryDirectory();
      return {
        open: (options) => store(path, options),
        async fill(contents) {
          await store(path).putMany(contents.map((content) => ({ content })));
        },
        close: remove,
      };
    },
  });
}
