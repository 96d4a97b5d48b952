import { byDay } from '@keepsake/testing/share';
import { describeStores } from './store-kit.ts';

// The statements are those that pg has sent for all cases, in @keepsake/postgres.
describeStores(
  'PostgreSQL',
  {},
  byDay({ concerns: ['Capabilities', 'Putting', 'Replacing', 'Deleting', 'Searching', 'Concurrency'] }),
);
