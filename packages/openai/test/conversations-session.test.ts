import { isMemoryError, type JsonObject, type MemoryError } from '@keepsake/core';
import type { CutPlace } from '@keepsake/emulators';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OpenAIConversationsSession } from '../src/index.ts';
import { clientOf, count, emulated } from './emulated.ts';

const say = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text });
const sayAll = (size: number, prefix = 'item') => Array.from({ length: size }, (_, index) => say(`${prefix} ${index}`));
const textsOf = (items: readonly JsonObject[]) => items.map(({ content }) => (content as { text: string }[])[0]?.text);
const textsUpTo = (size: number) =>
  textsOf(sayAll(size).map((item) => ({ content: [{ text: item.content as string }] })));
const ITEMS = /\/items$/;

async function failureOf(action: Promise<unknown>): Promise<MemoryError> {
  const error = await action.then(
    () => expect.fail('expected a rejection'),
    (reason: unknown) => reason,
  );
  return isMemoryError(error) ? error : expect.fail(`not a MemoryError: ${error}`);
}

describe('without a client', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('a session reads the API key and the base URL from the environment when they are needed', async () => {
    const { emulator } = await emulated();
    const session = new OpenAIConversationsSession();
    vi.stubEnv('OPENAI_API_KEY', emulator.apiKey);
    vi.stubEnv('OPENAI_BASE_URL', emulator.baseURL);
    await session.addItems([say('one')]);
    expect(textsOf(await session.getItems())).toEqual(['one']);
    expect(count(emulator, 'POST', ITEMS)).toBe(1);
  });

  it('a session says what to do if there is no API key, and works once there is one', async () => {
    const { emulator } = await emulated();
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_ADMIN_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', emulator.baseURL);
    const session = new OpenAIConversationsSession();
    expect(await session.getItems()).toEqual([]);
    const failure = await failureOf(session.addItems([say('one')]));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('OPENAI_API_KEY') });
    vi.stubEnv('OPENAI_API_KEY', emulator.apiKey);
    await session.addItems([say('one')]);
    expect(await session.getItems()).toHaveLength(1);
  });
});

describe('a conversation is created', () => {
  it('not by reading, popping or clearing', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    expect(await session.getItems()).toEqual([]);
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.getItems(5)).toEqual([]);
    expect(await session.popItem()).toBe(undefined);
    await session.clearSession();
    await session.addItems([]);
    expect(session.conversationId).toBe(undefined);
    expect(emulator.requests).toEqual([]);
  });

  it('once by concurrent first writes', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const uses = Array.from({ length: 32 }, async (_, index) => {
      if (index % 3 === 0) return session.getSessionId();
      if (index % 3 === 1) return session.addItems([say(`item ${index}`)]);
      return session.getItems();
    });
    await Promise.all(uses);
    expect(count(emulator, 'POST', /\/conversations$/)).toBe(1);
    expect((await session.getItems()).length).toBe(11);
  });

  it('by the first write, and continued by an instance with its id', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    const conversationId = session.conversationId as string;
    const again = new OpenAIConversationsSession({ client, conversationId });
    expect(again.conversationId).toBe(conversationId);
    expect(textsOf(await again.getItems())).toEqual(['one']);
  });

  it('by the next write after a failure', async () => {
    const { emulator } = await emulated();
    const session = new OpenAIConversationsSession({ client: clientOf(emulator, { maxRetries: 0 }) });
    emulator.faults.fail({ times: 1 });
    expect(await failureOf(session.addItems([say('one')]))).toMatchObject({ code: 'BACKEND', retryable: true });
    await session.addItems([say('two')]);
    expect(textsOf(await session.getItems())).toEqual(['two']);
  });

  it('again after clearing, which deletes the old one', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    const before = await session.getSessionId();
    await session.clearSession();
    expect(session.conversationId).toBe(undefined);
    expect(count(emulator, 'DELETE', new RegExp(`/conversations/${before}$`))).toBe(1);
    await session.addItems([say('two')]);
    expect(await session.getSessionId()).not.toBe(before);
    expect(textsOf(await session.getItems())).toEqual(['two']);
  });
});

describe('pages', () => {
  it('are read to the end of a long conversation', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems(sayAll(1_050));
    expect(count(emulator, 'POST', ITEMS)).toBe(Math.ceil(1_050 / 20));
    expect(textsOf(await session.getItems())).toEqual(textsUpTo(1_050));
    expect(count(emulator, 'GET', ITEMS)).toBe(11);
    expect(textsOf(await session.getItems(250))).toEqual(textsUpTo(1_050).slice(-250));
    expect(count(emulator, 'GET', ITEMS)).toBe(14);
  });

  it('are read again from the start if the last item of a page was removed', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems(sayAll(150));
    const other = new OpenAIConversationsSession({ client, conversationId: await session.getSessionId() });
    emulator.faults.fail({ method: 'GET', path: ITEMS, status: 404, after: 1, times: 1 });
    expect((await other.getItems()).length).toBe(150);
    // The first page, the page that failed, and both again.
    expect(count(emulator, 'GET', ITEMS)).toBe(4);
  });
});

describe('a batch of more than 20 items', () => {
  it('is removed if a later part is refused', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('before')]);
    emulator.faults.fail({ method: 'POST', path: ITEMS, status: 400, after: 2 });
    expect(await failureOf(session.addItems(sayAll(50)))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(textsOf(await session.getItems())).toEqual(['before']);
  });

  it('is reported exactly if it cannot be removed', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('before')]);
    emulator.faults.fail({ method: 'POST', path: ITEMS, status: 400, after: 1 });
    emulator.faults.fail({ method: 'DELETE', status: 403, after: 5 });
    const error = await failureOf(session.addItems(sayAll(50)));
    expect(error.code).toBe('OUTCOME_UNKNOWN');
    expect(error.message).toBe(
      'Items 0 to 14 of 50 were written and could not be removed. Read the conversation before you continue.',
    );
    expect(textsOf(await session.getItems())).toEqual(['before', ...textsUpTo(15)]);
  });

  it.each<[CutPlace, number]>([
    ['before', 20],
    ['mid', 40],
    ['after', 40],
  ])('is reported exactly if the connection broke %s a later part', async (place, written) => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    emulator.faults.cut(place, { method: 'POST', path: ITEMS, after: 1, times: 1 });
    const error = await failureOf(session.addItems(sayAll(50)));
    expect(error.code).toBe('OUTCOME_UNKNOWN');
    expect(error.message).toBe(
      'Items 0 to 19 of 50 were written, items 20 to 39 may have been, later items were not. Read the conversation before you continue.',
    );
    expect(textsOf(await session.getItems())).toEqual(textsUpTo(written));
  });

  it('does not interleave with other batches of the same instance', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await Promise.all(['a', 'b', 'c'].map((prefix) => session.addItems(sayAll(45, prefix))));
    const prefixes = textsOf(await session.getItems()).map((text) => text?.[0]);
    expect(prefixes.join('')).toBe('a'.repeat(45) + 'b'.repeat(45) + 'c'.repeat(45));
  });
});

describe('a broken connection', () => {
  const places: CutPlace[] = ['before', 'mid', 'after'];

  it.each(places)('%s an append leaves the outcome unknown, and nothing is sent twice', async (place) => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    emulator.faults.cut(place, { method: 'POST', path: ITEMS });
    expect((await failureOf(session.addItems([say('two')]))).code).toBe('OUTCOME_UNKNOWN');
    expect(count(emulator, 'POST', ITEMS)).toBe(2);
    emulator.faults.heal();
    expect(textsOf(await session.getItems())).toEqual(place === 'before' ? ['one'] : ['one', 'two']);
  });

  it.each(places)('%s a pop leaves the outcome unknown, and no other item is popped instead', async (place) => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one'), say('two')]);
    emulator.faults.cut(place, { method: 'DELETE' });
    expect((await failureOf(session.popItem())).code).toBe('OUTCOME_UNKNOWN');
    emulator.faults.heal();
    expect(textsOf(await session.getItems())).toEqual(place === 'before' ? ['one', 'two'] : ['one']);
  });

  it('to a server that does not exist is reported as unreachable', async () => {
    const { emulator } = await emulated();
    const session = new OpenAIConversationsSession({
      client: clientOf(emulator, { maxRetries: 0 }),
      conversationId: 'conv_1',
    });
    await emulator.stop();
    const error = await failureOf(session.addItems([say('one')]));
    expect(error).toMatchObject({ code: 'BACKEND', retryable: true });
    expect(error.message).toMatch(/can't reach the service/);
  });
});

describe('throttling', () => {
  it('is waited out for the delay that the service asks for', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    emulator.faults.throttle({ times: 2, retryAfterMs: 5 });
    await session.addItems([say('two')]);
    emulator.faults.throttle({ times: 2, retryAfterMs: 5 });
    expect(textsOf(await session.getItems())).toEqual(['one', 'two']);
  });

  it('that does not end is an error, and nothing was written', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    emulator.faults.throttle({ retryAfterMs: 1 });
    const calls = [
      () => session.addItems([say('two')]),
      () => session.getItems(),
      () => session.popItem(),
      () => session.clearSession(),
    ];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({ code: 'BACKEND', retryable: true });
    }
    expect(count(emulator, 'POST', ITEMS)).toBe(1 + 3);
    emulator.faults.heal();
    expect(textsOf(await session.getItems())).toEqual(['one']);
  });
});

describe('popping', () => {
  it('finds the id of an item that is listed without one', async () => {
    const { emulator, client } = await emulated({ hideIdsOf: ['message'] });
    const session = new OpenAIConversationsSession({ client });
    await session.addItems(sayAll(3));
    expect(textsOf([(await session.popItem()) as JsonObject])).toEqual(['item 2']);
    expect(count(emulator, 'DELETE', /\/items\/msg_/)).toBe(1);
    expect(textsOf(await session.getItems())).toEqual(['item 0', 'item 1']);
  });

  it('ends if the service lists an item that it reports as gone', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems(sayAll(2));
    emulator.faults.fail({ method: 'DELETE', status: 404 });
    expect(await failureOf(session.popItem())).toMatchObject({ code: 'BACKEND', retryable: true });
    emulator.faults.heal();
    expect(textsOf(await session.getItems())).toEqual(['item 0', 'item 1']);
  });

  it('returns no item that it could not remove', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems(sayAll(2));
    emulator.faults.fail({ method: 'DELETE', status: 403 });
    expect((await failureOf(session.popItem())).code).toBe('BACKEND');
    emulator.faults.heal();
    expect(textsOf(await session.getItems())).toEqual(['item 0', 'item 1']);
  });
});

describe('a conversation that another client has deleted', () => {
  it('is a CONFLICT, never an empty history', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    const other = new OpenAIConversationsSession({ client, conversationId: await session.getSessionId() });
    await session.clearSession();
    const calls = [
      () => other.getItems(),
      () => other.getItems(1),
      () => other.addItems([say('two')]),
      () => other.popItem(),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      expect(error.code).toBe('CONFLICT');
      expect(error.message).toMatch(/deleted.*new session/);
    }
    await other.clearSession();
    await other.addItems([say('two')]);
    expect(textsOf(await other.getItems())).toEqual(['two']);
  });

  it('is empty for the instance that is clearing it', async () => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([say('one')]);
    emulator.faults.delay(2_000, { method: 'GET', times: 1 });
    const [items] = await Promise.all([session.getItems(), session.clearSession()]);
    expect(items).toEqual([]);
  });
});

describe('refusals', () => {
  it('are thrown by the constructor for an invalid client or conversation id', async () => {
    const { client } = await emulated();
    for (const options of [
      { client: null },
      { client: {} },
      { client: { conversations: {} } },
      { client, conversationId: '' },
      { client, conversationId: 7 },
    ]) {
      expect(() => new OpenAIConversationsSession(options as never)).toThrow(/must be/);
    }
  });

  it.each<[string, JsonObject]>([
    ['an item without a type', { text: 'x' }],
    ['an unknown type', { type: 'note', text: 'x' }],
    ['a field that the API does not have', { role: 'user', content: 'x', mood: 'blue' }],
    ['audio', { role: 'user', content: [{ type: 'audio', audio: 'x' }] }],
    ['an image without content', { role: 'user', content: [{ type: 'input_image' }] }],
    ['an unknown item without a type', { type: 'unknown', providerData: {} }],
  ])('are thrown for %s before anything is sent', async (_, item) => {
    const { emulator, client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const error = await failureOf(session.addItems([say('one'), item]));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toMatch(/^items\[1\]/);
    expect(emulator.requests).toEqual([]);
  });

  it('of the service are passed on with its code but without its message', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const error = await failureOf(session.addItems([{ role: 'user', content: 'x', phase: 'sentinel-5f0c2a' }]));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', cause: { status: 400 } });
    expect(await session.getItems()).toEqual([]);
  });
});

describe('errors', () => {
  it('contain no key and no content, including their causes', async () => {
    const { emulator } = await emulated();
    const client = clientOf(emulator, { apiKey: 'sk-sentinel-5f0c2a', maxRetries: 0 });
    const session = new OpenAIConversationsSession({ client, conversationId: 'conv_1' });
    const errors = [await failureOf(session.addItems([say('sentinel-5f0c2a')])), await failureOf(session.getItems())];
    for (const place of ['before', 'mid', 'after'] as const) {
      emulator.faults.cut(place, { times: 1 });
      errors.push(await failureOf(session.addItems([say('sentinel-5f0c2a')])));
    }
    for (const error of errors) {
      for (let one: unknown = error; one instanceof Error; one = one.cause) {
        expect(`${one} ${one.stack} ${JSON.stringify(one)}`).not.toContain('sentinel');
      }
    }
    expect(errors[0]).toMatchObject({ code: 'BACKEND', cause: { status: 401, code: 'invalid_api_key' } });
  });
});
