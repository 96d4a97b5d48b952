import { describeSessions } from './kit.ts';

describeSessions('pg');
