import { byDay } from '@keepsake/testing/share';
import { describeSessions } from './session-kit.ts';

// The statements are those that pg has sent for all cases, in @keepsake/postgres.
describeSessions(
  'PostgreSQL',
  byDay({ concerns: ['reading', 'popping', 'JSON values', 'transactions', 'concurrent changes'] }),
);
