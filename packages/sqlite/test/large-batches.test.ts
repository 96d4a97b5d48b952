import { describeLargeBatches } from '@keepsake/suites/stores/large-batches';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

describeLargeBatches('SqliteStore', () => new SqliteStore({ name: 'memory', file: newFile(), durability: 'os' }));
