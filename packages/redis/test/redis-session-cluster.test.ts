import { sessionConcerns } from '@keepsake/suites/variants';
import { sharedCluster } from './connections.ts';
import { describeSessions } from './session-kit.ts';

describeSessions('a cluster', sharedCluster(), { ttlMs: 3_600_000, refresh: 'access' }, sessionConcerns('cluster'));
