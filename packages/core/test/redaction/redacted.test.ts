import { describe, expect, it } from 'vitest';
import { encrypted, type JsonObject, redacted, redactJson, redactText } from '../../src/index.ts';
import { TestSession } from '../support/durable-session.ts';
import { memoryError } from '../support/memory-error.ts';
import { fake } from './fake.ts';

const TOKEN = `ghp_${fake(36)}`;
const say = (content: string): JsonObject => ({ role: 'user', content });
const call = (callId: string, command: string): JsonObject => ({
  type: 'function_call',
  callId,
  name: 'shell',
  arguments: JSON.stringify({ command }),
});

describe('redacted(session)', () => {
  it('stores redacted items, in every way to add some', async () => {
    const inner = new TestSession('chat');
    const session = redacted(inner);
    await session.addItems([say(`Use ${TOKEN}.`), call('c-1', `curl -H "Authorization: Bearer ${TOKEN}"`)]);
    await session.applyHistoryTransaction({
      operationId: 'one',
      transaction: { type: 'append_items', items: [{ password: 'opensesame' }] },
    });
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c-1', replacement: call('c-1', `login ${TOKEN}`) }],
    });
    expect(await session.getItems()).toEqual([
      say('Use [redacted].'),
      call('c-1', 'login [redacted]'),
      { password: '[redacted]' },
    ]);
    await session.replaceHistoryWithCompaction([say(`Summary: ${TOKEN}`)]);
    expect(inner.texts).toEqual([JSON.stringify(say('Summary: [redacted]'))]);
    expect(await session.popItem()).toEqual(say('Summary: [redacted]'));
  });

  it('accepts an expected suffix as it was added and as it is read, and a retry of either', async () => {
    const session = redacted(new TestSession());
    await session.addItems([say(TOKEN)]);
    const asAdded = {
      operationId: 'as added',
      transaction: { type: 'replace_suffix', expectedSuffix: [say(TOKEN)], replacement: [say(`new ${TOKEN}`)] },
    } as const;
    for (const _ of ['first', 'retry']) await session.applyHistoryTransaction(structuredClone(asAdded) as never);
    const asRead = {
      operationId: 'as read',
      transaction: { type: 'replace_suffix', expectedSuffix: await session.getItems(1), replacement: [say('end')] },
    } as const;
    for (const _ of ['first', 'retry']) await session.applyHistoryTransaction(structuredClone(asRead) as never);
    expect(await session.getItems()).toEqual([say('end')]);
  });

  it('replaces a call whose id looks like a secret', async () => {
    const session = redacted(new TestSession());
    await session.addItems([call(TOKEN, 'one')]);
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: TOKEN, replacement: say('done') }],
    });
    expect(await session.getItems()).toEqual([say('done')]);
  });

  it('offers transactions only if the session does', async () => {
    const items: object[] = [];
    const plain = {
      getSessionId: async () => 'plain',
      getItems: async () => items as JsonObject[],
      addItems: async (added: JsonObject[]) => void items.push(...added),
      popItem: async () => items.pop() as JsonObject | undefined,
      clearSession: async () => void items.splice(0),
    };
    const session = redacted(plain);
    await session.addItems([say(TOKEN)]);
    expect(items).toEqual([say('[redacted]')]);
    expect('applyHistoryTransaction' in session).toBe(false);
    expect('applyHistoryTransaction' in redacted(new TestSession())).toBe(true);
  });

  it('redacts before encryption, and leaves as it is what is encrypted already', async () => {
    const keys = { current: 'k', keys: { k: crypto.getRandomValues(new Uint8Array(32)) } };
    const inner = new TestSession();
    const session = redacted(encrypted(inner, keys));
    await session.addItems([say(TOKEN)]);
    expect(inner.texts.join()).not.toContain('redacted');
    expect(await session.getItems()).toEqual([say('[redacted]')]);

    const unordered = encrypted(redacted(new TestSession()), keys);
    await unordered.addItems([say(TOKEN)]);
    expect(await unordered.getItems()).toEqual([say(TOKEN)]);
  });
});

it('redactJson leaves a ciphertext as it is, though a part of it looks like a token', () => {
  const data = `${fake(40)}/cio${fake(32)}/${fake(39)}==`;
  const sealed = { encrypted: { version: 1, key: 'k', check: fake(12), nonce: fake(16), data } };
  expect(redactText(data)).not.toBe(data);
  expect(redactJson(sealed)).toEqual(sealed);
  expect(redactJson({ encrypted: { ...sealed.encrypted, nonce: TOKEN } }).encrypted.data).toContain('[redacted]');
});

it.each([[undefined], [null], ['session'], [{}], [{ search() {} }]])('redacted() refuses %j', (value) => {
  expect(() => redacted(value as never)).toThrow(memoryError('INVALID_ARGUMENT', /^redacted\(\) needs a session/));
});
