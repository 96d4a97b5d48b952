import { refusesUnknownOptions } from '@keepsake/testing';
import { InMemorySession, InMemoryStore } from '../src/index.ts';

refusesUnknownOptions([
  ['new InMemorySession', (options) => new InMemorySession(options), { sessionID: 'a' }, 'sessionId'],
  ['new InMemoryStore', (options) => new InMemoryStore(options), { name: 'a', nameSpace: ['user'] }, 'namespace'],
]);
