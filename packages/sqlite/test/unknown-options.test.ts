import { refusesUnknownOptions } from '@keepsake/testing';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';

const file = 'memory.db';

refusesUnknownOptions([
  ['new SqliteSession', (options) => new SqliteSession(options), { file, sessionID: 'a' }, 'sessionId'],
  ['new SqliteSessionStore', (options) => new SqliteSessionStore(options), { file, ttlMS: 1 }, 'ttlMs'],
  ['new SqliteStore', (options) => new SqliteStore(options), { file, name: 'a', nameSpace: ['user'] }, 'namespace'],
  ['new SqliteStore on a database', (options) => new SqliteStore(options), { name: 'a', databse: {} }, 'database'],
]);
