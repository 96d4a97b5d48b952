import { describe } from 'vitest';
import { describeSessions } from '../session-kit.ts';
import { describeStores } from '../store-kit.ts';

describe('the whole kit', { tags: 'nightly' }, () => {
  describeStores('partitioned PostgreSQL');
  describeSessions('partitioned PostgreSQL');
});
