import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { describe } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

describeSearchTree('SqliteStore', (namespace) => new SqliteStore({ name: 'words', file: newFile(), namespace }));
// The kit searches with descendants and an embedder, too.
describe('every night', { tags: ['nightly'] }, () => {
  describeSearchTree('SqliteStore with an embedder', (namespace) => {
    return new SqliteStore({ name: 'hybrid', file: newFile(), namespace, embedder: WORD_EMBEDDER });
  });
});
