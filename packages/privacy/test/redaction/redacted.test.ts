import type { JsonObject } from '@keepsake/core';
import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { encrypted, redacted, redactJson, redactText } from '../../src/index.ts';
import { TestSession } from '../support/test-session.ts';
import { BASE64, BASE64URL, fake } from './fake.ts';

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

  it('keeps images, files and encrypted reasoning, which contain what looks like a token by chance', async () => {
    const [square, openai] = [`EAAA${fake(60)}`, `sk-${fake(30)}`];
    const base64 = `iVBORw0KGgo${fake(200, BASE64)}/${square}+${fake(200, BASE64)}==`;
    const base64url = `gAAAAABo${fake(200)}-${openai}_${fake(60, BASE64URL)}`;
    const items: JsonObject[] = [
      { type: 'reasoning', id: 'rs_1', encrypted_content: base64url, summary: [] },
      { type: 'reasoning', providerData: { encryptedContent: `gAAAAABo-${openai}` } },
      { type: 'thinking', thinking: 'Hm.', signature: `Er${fake(8)}/${square}==` },
      { type: 'redacted_thinking', data: base64 },
      { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${base64}` }] },
      { role: 'user', content: `See ![a](data:image/png;base64,${square}${fake(20, BASE64)}), please.` },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: `${square}/${base64}` } },
      { type: 'input_audio', input_audio: { data: base64, format: 'wav' } },
      { type: 'image_generation_call', result: base64 },
      { image: { format: 'png', source: { bytes: base64 } } },
      { output: [{ inlineData: { mimeType: 'image/png', data: base64 } }, { text: 'a', thoughtSignature: base64 }] },
    ];
    const session = redacted(new TestSession());
    await session.addItems(structuredClone(items));
    expect(await session.getItems()).toEqual(items);
  });

  it('redacts tokens that are whole words, also in places of images and files', () => {
    const url = `https://example.org/${'a-long-path/'.repeat(30)}${TOKEN}`;
    expect(redactJson({ data: TOKEN, bytes: `password=${TOKEN}`, encrypted_content: `Bearer ${TOKEN}` })).toEqual({
      data: '[redacted]',
      bytes: 'password=[redacted]',
      encrypted_content: 'Bearer [redacted]',
    });
    expect(redactText(url)).not.toContain(TOKEN);
    const key = btoa(`-----BEGIN PRIVATE KEY-----\n${fake(400, BASE64)}\n-----END PRIVATE KEY-----`);
    expect(redactJson({ data: key, note: `-> ${key}` })).toEqual({ data: '[redacted]', note: '-> [redacted]' });
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
