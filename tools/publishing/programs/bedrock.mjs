// A store on clients that keep what they are sent; objects in S3 need a package that is not installed with it.
import assert from 'node:assert/strict';
import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';

/** @type {Map<string, string>} */
const documents = new Map();
const agentClient = {
  /** @param {{ input: any }} command */
  async send({
    input: {
      documents: [{ content }],
    },
  }) {
    documents.set(content.custom.customDocumentIdentifier.id, content.custom.inlineContent.textContent.data);
    return { documentDetails: [{ status: 'STARTING' }] };
  },
};
const runtimeClient = {
  /** @param {{ input: any }} command */
  async send({ input }) {
    const { filter } = input.retrievalConfiguration.vectorSearchConfiguration;
    assert.deepEqual(filter, { equals: { key: 'namespace', value: 'u:alice' } });
    const metadata = { namespace: 'u:alice' };
    return { retrievalResults: [...documents.values()].map((text) => ({ content: { text }, metadata, score: 0.5 })) };
  },
};
const source = { knowledgeBaseId: 'KB123', knowledgeBaseType: /** @type {const} */ ('VECTOR'), dataSourceId: 'DS456' };
const clients = { agentClient, runtimeClient };
const options = { name: 'facts', namespace: ['u', 'alice'], writable: true };

const facts = new BedrockKnowledgeBaseStore({
  ...options,
  connection: { ...source, ...clients, dataSourceType: 'CUSTOM' },
});
await facts.add('Alice lives in Lisbon since May.', { topic: 'home' });
await facts.add('Alice lives in Lisbon since May.', { topic: 'home' });
const found = await facts.search('Where does Alice live?');
assert.deepEqual(
  found.map(({ content }) => content),
  ['Alice lives in Lisbon since May.'],
);

const s3 = { bucket: 'memories', prefix: 'facts/' };
const objects = new BedrockKnowledgeBaseStore({
  ...options,
  connection: { ...source, ...clients, dataSourceType: 'S3', s3 },
});
await assert.rejects(objects.add('Alice likes tea.'), /npm install @aws-sdk\/client-s3/);
