import { refusesUnknownOptions } from '@keepsake/testing';
import { RedisSession, RedisSessionStore, RedisStore } from '../src/index.ts';

const client = { call: async () => null, callBuffer: async () => null };

refusesUnknownOptions([
  ['new RedisSession', (options) => new RedisSession(options), { client, sessionID: 'a' }, 'sessionId'],
  ['new RedisSessionStore', (options) => new RedisSessionStore(options), { client, keyprefix: 'a' }, 'keyPrefix'],
  ['new RedisStore', (options) => new RedisStore(options), { client, name: 'a', nameSpace: ['user'] }, 'namespace'],
]);
