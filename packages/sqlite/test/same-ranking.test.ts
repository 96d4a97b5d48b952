import { DatabaseSync } from 'node:sqlite';
import { InMemoryStore } from '@keepsake/in-memory';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { SqliteStore } from '../src/index.ts';

describeSameRanking('SqliteStore', {
  open: (options) => new SqliteStore({ database: new DatabaseSync(':memory:'), name: 'memory', ...options }),
  memory: (options) => new InMemoryStore({ name: 'memory', ...options }),
  embedder: WORD_EMBEDDER,
});
