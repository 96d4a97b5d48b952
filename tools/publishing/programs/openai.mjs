// A conversation and memories of two clients of one service, whose address is in OPENAI_BASE_URL.
import assert from 'node:assert/strict';
import {
  compacting,
  OpenAIConversationsSession,
  OpenAIVectorStore,
  openaiEmbedder,
  openaiModel,
} from '@keepsake/openai';
import OpenAI from 'openai';

const connect = () => new OpenAI({ baseURL: process.env.OPENAI_BASE_URL ?? '', apiKey: 'sk-emulator' });
const [client, other] = [connect(), connect()];

const session = new OpenAIConversationsSession({ client, conversationId: undefined });
await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
const conversationId = await session.getSessionId();
const [item] = await new OpenAIConversationsSession({ client: other, conversationId }).getItems();
assert.deepEqual(item?.content, [{ type: 'input_text', text: 'I moved to Lisbon in May.' }]);

const { id: vectorStoreId } = await client.vectorStores.create({ name: 'memories' });
const facts = new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', 'alice'] });
await facts.add('Alice lives in Lisbon since May.', { topic: 'home' });
const again = new OpenAIVectorStore({ client: other, vectorStoreId, name: 'facts', namespace: ['u', 'alice'] });
const [best] = await again.search('Where does Alice live?', { filter: { topic: 'home' } });
assert.equal(best?.content, 'Alice lives in Lisbon since May.');
const bob = new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', 'bob'] });
assert.deepEqual(await bob.search('Where does Alice live?'), []);

const embedder = openaiEmbedder({ client, model: 'text-embedding-3-small', dimensions: 64 });
assert.equal((await embedder.embed(['Lisbon']))[0]?.length, 64);
assert.equal((await openaiModel({ client, model: 'gpt-5-mini' }).generate({ prompt: 'Hi' })).text, 'You said: Hi');
assert.equal(typeof compacting, 'function');
