import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { onTestFinished } from 'vitest';
import { FileStore } from '../src/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

function directory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

describeSearchTree('FileStore', (namespace) => new FileStore({ name: 'words', directory: directory(), namespace }));
describeSearchTree('FileStore with an embedder', (namespace) => {
  return new FileStore({ name: 'hybrid', directory: directory(), namespace, embedder: WORD_EMBEDDER });
});
