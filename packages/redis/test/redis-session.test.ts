import { sharedRedis } from './connections.ts';
import { describeSessions } from './session-kit.ts';

describeSessions('one server', sharedRedis());
