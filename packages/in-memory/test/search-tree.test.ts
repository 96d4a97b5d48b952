import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { InMemoryStore } from '../src/index.ts';

describeSearchTree('InMemoryStore', (namespace) => new InMemoryStore({ name: 'words', namespace }));
describeSearchTree('InMemoryStore with an embedder', (namespace) => {
  return new InMemoryStore({ name: 'hybrid', namespace, embedder: WORD_EMBEDDER });
});
