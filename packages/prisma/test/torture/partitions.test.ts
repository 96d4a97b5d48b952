import { describeSessions } from '../session-kit.ts';
import { describeStores } from '../store-kit.ts';

describeStores('partitioned PostgreSQL');
describeSessions('partitioned PostgreSQL');
