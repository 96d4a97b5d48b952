import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { generateText, wrapLanguageModel } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { memoryMiddleware } from '../src/index.ts';
import { addOnlyStore } from './add-only-store.ts';
import { answers, type GatewayReply, type GatewayRequest, useGateway } from './gateway.ts';

const TURNS = 41;
const REFUSED = 17;

/** The facts in a part of a conversation: what the user keeps. */
function factsIn(prompt: string): object[] {
  const said = [...prompt.matchAll(/I keep (?:secret|animal) number \d+\./g)];
  return said.map(([content]) => ({ action: 'add', id: null, content, speaker: 'user' }));
}

/** A provider that talks about everything, and refuses to extract from one message. */
function provider(refusal: GatewayReply): (request: GatewayRequest) => GatewayReply {
  return ({ body: { prompt } }) => {
    if (prompt[0]?.role !== 'system') return answers('I see.');
    const asked = JSON.stringify(prompt.at(-1)).split('<conversation').at(-1) ?? '';
    return asked.includes('secret') ? refusal : answers(JSON.stringify({ changes: factsIn(asked) }));
  };
}

describe('one message of 41 turns that the model refuses to extract from', () => {
  it.each([
    ['by its content filter', answers('', 'content-filter')],
    ['by its status', 400],
    ['by an answer that is cut off', answers('{"changes":[', 'length')],
    ['in words', answers('I can not help with that.')],
  ])('costs no other message: %s', async (_, refusal) => {
    const { provider: gateway, requests } = await useGateway(provider(refusal));
    const onStoreError = vi.fn();
    const outbox = new InMemoryStore({ name: 'outbox' });
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const memory = new MemoryManager({ stores: [addOnlyStore()], outbox, telemetry: { onStoreError, logger } });
    const middleware = memoryMiddleware(memory);
    const model = wrapLanguageModel({ model: gateway('a/b'), middleware });
    for (let turn = 0; turn < TURNS; turn++) {
      await generateText({ model, prompt: `I keep ${turn === REFUSED ? 'secret' : 'animal'} number ${turn}.` });
    }
    await memory.flush();
    const found = await memory.search('keep animal number', { maxSearchResults: 100 });
    expect(new Set(found.map(({ content }) => content)).size).toBe(TURNS - 1);
    const letters = await memory.deadLetters();
    expect(letters.items.map(({ message }) => JSON.stringify(message.content))).toEqual([
      expect.stringContaining(`secret number ${REFUSED}.`),
    ]);
    expect(requests.length - TURNS).toBeLessThanOrEqual(60);
    expect(onStoreError.mock.calls.filter(([{ error }]) => /retryDeadLetters/.test(error.message))).toHaveLength(1);
  });
});
