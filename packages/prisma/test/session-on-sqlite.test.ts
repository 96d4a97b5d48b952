import { describeSessions } from './session-kit.ts';

describeSessions('SQLite');
