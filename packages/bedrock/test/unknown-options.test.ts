import { refusesUnknownOptions } from '@keepsake/testing';
import { BedrockKnowledgeBaseStore } from '../src/index.ts';

const connection = { knowledgeBaseId: 'KB123' };
const given = { name: 'facts', connection, scope: 'alice' };
const store = new BedrockKnowledgeBaseStore(given);
const open = (options: never) => new BedrockKnowledgeBaseStore(options);
const userContext = { userId: 'alice', userID: 'alice' };
const entry = { access: 'ALLOW', name: 'alice', type: 'USER', acess: 'DENY' };
const s3 = { bucket: 'memories', prefix: 'facts', buckets: [] };

refusesUnknownOptions([
  ['new BedrockKnowledgeBaseStore', open, { ...given, nameSpace: ['u', 'bob'] }, 'namespace'],
  [
    'connection',
    (options) => open({ ...given, connection: options } as never),
    { ...connection, dataSourceID: 'a' },
    'dataSourceId',
  ],
  ['connection.s3', (s3) => open({ ...given, connection: { ...connection, s3 } } as never), s3, 'bucket'],
  ['userContext', (userContext) => open({ ...given, userContext } as never), userContext, 'userId'],
  ['accessControlList', (one) => open({ ...given, accessControlList: [one] } as never), entry, 'access'],
  ['search', (options) => store.search('tea', options), { maxSearchResult: 1 }, 'maxSearchResults'],
  ['status', (options) => store.status('a', options), { Signal: new AbortController().signal }, 'signal'],
  ['waitUntilIndexed', (options) => store.waitUntilIndexed('a', options), { deadLineMs: 1 }, 'deadlineMs'],
]);
