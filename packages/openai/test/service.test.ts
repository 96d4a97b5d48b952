import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@keepsake/core';
import { InMemorySession } from '@keepsake/in-memory';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  compacting,
  OpenAIConversationsSession,
  OpenAIVectorStore,
  openaiEmbedder,
  openaiModel,
} from '../src/index.ts';

/*
 * Tests against the real service, which check what the emulator only assumes. A run costs a few cents, so it must be
 * enabled: OPENAI_API_KEY=sk-… KEEPSAKE_TEST_OPENAI=1 npx nx test @keepsake/openai
 */

const { OPENAI_API_KEY, KEEPSAKE_TEST_OPENAI, KEEPSAKE_TEST_OPENAI_MODEL = 'gpt-5-mini' } = process.env;
const enabled = OPENAI_API_KEY !== undefined && KEEPSAKE_TEST_OPENAI === '1';

describe.skipIf(!enabled)('the service (needs OPENAI_API_KEY and KEEPSAKE_TEST_OPENAI=1)', { timeout: 300_000 }, () => {
  const connect = () => new OpenAI();
  const model = KEEPSAKE_TEST_OPENAI_MODEL;
  const say = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text });
  const textOf = ({ content }: JsonObject) => (content as { text: string }[])[0]?.text;

  it('keeps a conversation of several pages in order, pops from its end, and clears it', async () => {
    const session = new OpenAIConversationsSession({ client: connect() });
    onTestFinished(() => session.clearSession());
    const texts = Array.from({ length: 130 }, (_, index) => `item ${index}`);
    await session.addItems(texts.map(say));
    expect((await session.getItems()).map(textOf)).toEqual(texts);
    expect((await session.getItems(3)).map(textOf)).toEqual(texts.slice(-3));
    expect(textOf((await session.popItem()) as JsonObject)).toBe('item 129');
    expect((await session.getItems(1)).map(textOf)).toEqual(['item 128']);
    const other = new OpenAIConversationsSession({ client: connect(), conversationId: await session.getSessionId() });
    await session.clearSession();
    await expect(other.getItems()).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('keeps calls and their results, with the names of the functions', async () => {
    const session = new OpenAIConversationsSession({ client: connect() });
    onTestFinished(() => session.clearSession());
    await session.addItems([
      say('What time is it?'),
      { type: 'function_call', callId: 'c1', name: 'clock', arguments: '{}', status: 'completed' },
      { type: 'function_call_result', callId: 'c1', name: 'clock', status: 'completed', output: 'Noon.' },
    ]);
    expect((await session.getItems()).slice(1)).toMatchObject([
      { type: 'function_call', callId: 'c1', name: 'clock' },
      { type: 'function_call_result', callId: 'c1', name: 'clock', output: 'Noon.' },
    ]);
  });

  it('returns a different item to each concurrent pop', async () => {
    const session = new OpenAIConversationsSession({ client: connect() });
    onTestFinished(() => session.clearSession());
    await session.addItems(Array.from({ length: 6 }, (_, index) => say(`item ${index}`)));
    const conversationId = await session.getSessionId();
    const poppers = [1, 2].map(() => new OpenAIConversationsSession({ client: connect(), conversationId }));
    const popped = await Promise.all(
      poppers.flatMap((popper) => [popper.popItem(), popper.popItem(), popper.popItem()]),
    );
    expect(new Set(popped.map((item) => textOf(item as JsonObject))).size).toBe(6);
  });

  it('finds memories of a vector store in their own namespace only', async () => {
    const client = connect();
    const { id: vectorStoreId } = await client.vectorStores.create({ name: `keepsake ${randomUUID()}` });
    const open = (user: string) =>
      new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', user] });
    onTestFinished(async () => {
      await open('alice').clear();
      await client.vectorStores.delete(vectorStoreId);
    });
    await open('alice').add('Alice parked on level 3.', { topic: 'car', level: 3 });
    const again = await open('alice').add('Alice parked on level 3.', { topic: 'car', level: 3 });
    const found = await open('alice').search('Where is the car?', { filter: { level: { gte: 3 } } });
    expect(found.map(({ id, content }) => [id, content])).toEqual([[again.id, 'Alice parked on level 3.']]);
    expect(await open('bob').search('Where is the car?')).toEqual([]);
    expect(await open('bob').delete(again.id)).toBe(false);
    expect(await open('alice').delete(again.id)).toBe(true);
  });

  it('answers with a schema, embeds, and compacts', async () => {
    const client = connect();
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const { object, usage } = await openaiModel({ client, model }).generate({
      prompt: 'The capital of Portugal?',
      schema,
    });
    expect(object).toEqual({ city: 'Lisbon' });
    expect(usage?.outputTokens).toBeGreaterThan(0);
    const embedder = openaiEmbedder({ client, model: 'text-embedding-3-small', dimensions: 256 });
    expect((await embedder.embed(['a', 'b'])).map(({ length }) => length)).toEqual([256, 256]);
    const archive = new InMemorySession();
    const session = compacting(new InMemorySession(), { client, model, threshold: 1, archive });
    await session.addItems([say('I live in Lisbon.')]);
    await session.runCompaction();
    expect((await session.getItems()).at(-1)).toMatchObject({ type: 'compaction' });
    expect(await archive.getItems()).toEqual([say('I live in Lisbon.')]);
  });
});
