import { describeLargeBatches } from '@keepsake/suites/stores/large-batches';
import { InMemoryStore } from '../src/index.ts';

describeLargeBatches('InMemoryStore', () => new InMemoryStore({ name: 'memory' }));
