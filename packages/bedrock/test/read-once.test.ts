import { readsValuesOnce } from '@keepsake/testing';
import { BedrockKnowledgeBaseStore } from '../src/index.ts';

/** A client that answers a search with the request that it got. Clients are passed by reference. */
const runtimeClient = Object.create({
  async send({ input }: { readonly input: object }) {
    return { retrievalResults: [{ content: { text: JSON.stringify(input) }, metadata: { namespace: 'alice' } }] };
  },
});
const connection = {
  ...{ knowledgeBaseId: 'KB123', dataSourceType: 'S3', dataSourceId: 'DS1', knowledgeBaseType: 'VECTOR' },
  ...{ s3: { bucket: 'memories', prefix: 'facts' }, scopeMetadataKey: 'namespace', runtimeClient },
};
const options = {
  ...{ name: 'facts', description: 'Facts.', writable: true, maxSearchResults: 3, extraction: false, connection },
  ...{ filter: { andAll: [{ equals: { key: 'a', value: 1 } }, { in: { key: 'b', value: ['c'] } }] }, minScore: 0.5 },
  ...{ accessControlList: [{ access: 'ALLOW', name: 'alice', type: 'USER' }], userContext: { userId: 'alice' } },
  scope: 'alice',
};
const { scope: _, ...unscoped } = options;
const store = new BedrockKnowledgeBaseStore(options as never);

/** The requests of a store, which show its options. */
async function shownBy(given: never) {
  const opened = new BedrockKnowledgeBaseStore(given);
  const { name, description, writable, maxSearchResults, scope } = opened;
  return { name, description, writable, maxSearchResults, scope, found: await opened.search('tea') };
}

readsValuesOnce([
  ['new BedrockKnowledgeBaseStore', shownBy, options],
  ['with a namespace', shownBy, { ...unscoped, namespace: ['u', 'alice'] }],
  ['with `config`', shownBy, { name: 'facts', config: { knowledgeBaseId: 'KB123', runtimeClient }, unscoped: true }],
  ['search', (given) => store.search('tea', given), { maxSearchResults: 2, minScore: 1, filter: { a: { in: [1] } } }],
]);
