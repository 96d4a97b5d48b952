import { byDay } from '@keepsake/testing/share';
import { sharedCluster } from './connections.ts';
import { describeSessions } from './session-kit.ts';

/** By day, what needs keys on several nodes: those of a session are on one, and those of the list on another. */
const concerns = {
  session: byDay({
    concerns: [
      ...['appending', 'popping', 'clearing', 'transactions', 'operation ids', 'mutations', 'compaction'],
      ...['concurrent changes', 'damage and failure'],
    ],
  }),
  store: byDay({ concerns: ['opening', 'listing', 'pages', 'deleting'] }),
};

describeSessions('a cluster', sharedCluster(), { ttlMs: 3_600_000, refresh: 'access' }, concerns);
