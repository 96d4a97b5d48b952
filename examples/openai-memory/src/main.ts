/**
 * An agent whose conversations and memories are at OpenAI, or on an emulator if there is no API key:
 *
 * npm start -w examples/openai-memory
 */
import { OpenAIVectorStore } from '@keepsake/openai';
import { setTracingDisabled } from '@openai/agents';
import { chat } from './chat.ts';
import { connect } from './connect.ts';

setTracingDisabled(true);
const { client, where, stop } = await connect();
const { id: vectorStoreId } = await client.vectorStores.create({ name: 'keepsake example' });
console.log(`Conversations and memories are at ${where}.`);

const storeOf = (user: string) =>
  new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', user] });
await storeOf('alice').add('Runa, her sister, has moved to Tromsø.', { topic: 'family' });

for (const user of ['alice', 'bob']) {
  const { answer, session } = await chat(client, vectorStoreId, user, 'Where does Runa live now?');
  const items = await session.getItems();
  console.log(`${user}: ${answer} (${items.length} items in ${(await session.getSessionId()).slice(0, 5)}…)`);
  await session.clearSession();
}

await storeOf('alice').clear();
await client.vectorStores.delete(vectorStoreId);
await stop();
