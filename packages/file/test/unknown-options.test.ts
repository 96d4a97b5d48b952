import { refusesUnknownOptions } from '@keepsake/testing';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';

const directory = '.keepsake';

refusesUnknownOptions([
  ['new FileSession', (options) => new FileSession(options), { directory, sessionID: 'a' }, 'sessionId'],
  ['new FileSessionStore', (options) => new FileSessionStore(options), { directory, durabilty: 'os' }, 'durability'],
  ['new FileStore', (options) => new FileStore(options), { directory, name: 'a', nameSpace: ['user'] }, 'namespace'],
]);
