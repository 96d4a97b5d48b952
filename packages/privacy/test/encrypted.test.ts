import type { JsonObject } from '@keepsake/core';
import { memoryError } from '@keepsake/testing/memory-error';
import { MemorySession } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import type { SealedItem } from '../src/encryption/item-chain.ts';
import { encrypted, type KeyRing } from '../src/index.ts';
import { TestSession } from './support/test-session.ts';

const newKey = () => crypto.getRandomValues(new Uint8Array(32));
const key = newKey();
const oldKey = newKey();
const ring: KeyRing = { current: 'k1', keys: { k1: key } };

const message = (content: string): JsonObject => ({ role: 'user', content });
const call = (callId: string, name: string): JsonObject => ({ type: 'function_call', callId, name });

function sealed(session: TestSession, index: number): SealedItem {
  return JSON.parse(session.texts.at(index) as string) as SealedItem;
}

function damage(session: TestSession, index: number, change: (parts: Record<string, unknown>) => void): void {
  const item = sealed(session, index);
  change(item.encrypted);
  session.texts = session.texts.with(index, JSON.stringify(item));
}

/** Changes one character of base64. */
function flip(text: unknown, at: number): string {
  const characters = Array.from(text as string);
  characters[at] = characters[at] === 'A' ? 'B' : 'A';
  return characters.join('');
}

describe('encrypted()', () => {
  it('works like the wrapped session', async () => {
    const inner = new TestSession('chat');
    const session = encrypted(inner, ring);
    expect(await session.getSessionId()).toBe('chat');
    expect(await session.getItems()).toEqual([]);
    await session.addItems([message('one'), message('two')]);
    await session.addItems([message('three')]);
    expect(await session.getItems()).toEqual([message('one'), message('two'), message('three')]);
    expect(await session.getItems(2)).toEqual([message('two'), message('three')]);
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.popItem()).toEqual(message('three'));
    // The start of the history, and two items.
    expect(inner.texts).toHaveLength(3);
    await session.replaceHistoryWithCompaction([message('summary')]);
    expect(await session.getItems()).toEqual([message('summary')]);
    await session.clearSession();
    expect(inner.texts).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
  });

  it('encrypts sessions with the longest ids', async () => {
    const session = encrypted(new TestSession('語'.repeat(512)), ring);
    await session.addItems([message('one')]);
    expect(await session.getItems()).toEqual([message('one')]);
  });

  it.each<[string, JsonObject]>([
    ['no fields', {}],
    ['hostile fields', JSON.parse('{"__proto__":{"a":1},"constructor":"x","encrypted":{"version":1}}')],
    ['hostile text', message('\0\ud800\u2028😀\ufeff')],
    ['a BOM at the beginning', { '\ufeff': '\ufeff' }],
    ['numbers', { a: 0, b: -1.5e-300, c: 9_007_199_254_740_992 }],
    ['1 MB', message('é'.repeat(500_000))],
  ])('returns items unchanged: %s', async (_name, item) => {
    const session = encrypted(new TestSession(), ring);
    await session.addItems([item]);
    expect(await session.getItems()).toStrictEqual([item]);
    expect(await session.popItem()).toStrictEqual(item);
  });

  it('refuses invalid arguments with the messages of the wrapped session', async () => {
    const inner = new TestSession();
    const session = encrypted(inner, ring);
    await expect(session.addItems([{}, { at: new Date(0) as never }])).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', /^items\[1\]\.<field 1> is a Date/),
    );
    await expect(session.addItems('x' as never)).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', 'items must be an array of items.'),
    );
    await expect(session.getItems('1' as never)).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', 'limit must be a number.'),
    );
    await expect(
      session.applyHistoryTransaction({ operationId: 'op', transaction: { type: 'truncate' } as never }),
    ).rejects.toThrow(memoryError('INVALID_ARGUMENT', "transaction.type must be 'append_items' or 'replace_suffix'."));
    await expect(
      session.applyHistoryTransaction({ operationId: '', transaction: { type: 'append_items', items: [] } }),
    ).rejects.toThrow(memoryError('INVALID_ARGUMENT', 'operationId is empty.'));
    await expect(session.applyHistoryMutations({ mutations: [null as never] })).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', /^`mutations\[0\]` must be/),
    );
    expect(inner.texts).toEqual([]);
  });
});

describe('stored items', () => {
  it('contain no plaintext, neither values nor field names', async () => {
    const inner = new TestSession();
    const session = encrypted(inner, ring);
    await session.addItems([{ role: 'user', content: 'my-secret-sentinel', providerData: { sentinelField: true } }]);
    await session.applyHistoryTransaction({
      operationId: 'op',
      transaction: { type: 'replace_suffix', expectedSuffix: [], replacement: [message('my-secret-sentinel')] },
    });
    await session.replaceHistoryWithCompaction([message('my-secret-sentinel'), ...(await session.getItems())]);
    const stored = inner.texts.join('\n');
    const readable = stored + Buffer.from(stored, 'base64').toString('latin1');
    for (const text of ['sentinel', 'role', 'content', 'providerData']) expect(readable).not.toContain(text);
    expect(inner.texts).toHaveLength(4);
    const fields = ['check', 'data', 'key', 'nonce', 'previous', 'version'];
    for (let index = 0; index < 4; index++) expect(Object.keys(sealed(inner, index).encrypted).sort()).toEqual(fields);
    // Nor does what identifies a transaction.
    const digests = [...inner.history.operations.values()];
    const plain = new TestSession('plain');
    await plain.applyHistoryTransaction({
      operationId: 'op',
      transaction: { type: 'replace_suffix', expectedSuffix: [], replacement: [message('my-secret-sentinel')] },
    });
    for (const digest of plain.history.operations.values()) expect(digests).not.toContain(digest);
  });

  it('are different for equal items', async () => {
    const [a, b, c] = [new TestSession('a'), new TestSession('b'), new TestSession('a')];
    await encrypted(a, ring).addItems([message('x'), message('x')]);
    await encrypted(b, ring).addItems([message('x')]);
    await encrypted(c, { current: 'k1', keys: { k1: oldKey } }).addItems([message('x')]);
    const data = [sealed(a, 1), sealed(a, 2), sealed(b, 1), sealed(c, 1)].map(({ encrypted: { data, nonce } }) => [
      data,
      nonce,
    ]);
    expect(new Set(data.flat()).size).toBe(8);
  });

  it('are AES-256-GCM that node:crypto can decrypt', async () => {
    const inner = new TestSession('chat');
    await encrypted(inner, ring).addItems([{ b: 1, a: 'x' }]);
    const { createDecipheriv, createHash, hkdfSync } = await import('node:crypto');
    const place = createHash('sha256').update('chat').digest('hex');
    const info = JSON.stringify(['keepsake session', 1, 'cipher', place]);
    const { nonce, data, ...rest } = sealed(inner, 1).encrypted;
    const bytes = Buffer.from(data, 'base64');
    const cipher = createDecipheriv(
      'aes-256-gcm',
      Buffer.from(hkdfSync('sha256', key, new Uint8Array(), info, 32)),
      Buffer.from(nonce, 'base64'),
    );
    const { previous } = rest as unknown as { previous: string };
    expect(previous).toBe(sealed(inner, 0).encrypted.data.slice(-24));
    cipher.setAAD(Buffer.from(JSON.stringify(['chat', previous])));
    cipher.setAuthTag(bytes.subarray(-16));
    expect(cipher.update(bytes.subarray(0, -16), undefined, 'utf8') + cipher.final('utf8')).toBe('{"b":1,"a":"x"}');
  });
});

describe('the order of encrypted items', () => {
  it.each<[what: string, change: (texts: readonly string[]) => string[], problem: string]>([
    ['swapped', ([start, a, b, c]) => [start, b, a, c] as string[], 'item 1 of those read is out of order'],
    ['dropped in the middle', ([start, a, , c]) => [start, a, c] as string[], 'item 2 of those read follows items'],
    ['dropped at the beginning', ([, a, b, c]) => [a, b, c] as string[], 'item 0 of those read follows items'],
    ['repeated', ([start, a, b, c]) => [start, a, b, c, b] as string[], 'item 4 of those read is repeated'],
    ['repeated at once', ([start, a, b, c]) => [start, a, b, c, c] as string[], 'item 4 of those read is repeated'],
  ])('is told if items are %s', async (_what, change, problem) => {
    const inner = new TestSession();
    await encrypted(inner, ring).addItems(['one', 'two', 'three'].map(message));
    inner.texts = change(inner.texts);
    const session = encrypted(inner, ring);
    await expect(session.getItems()).rejects.toThrow(memoryError('CORRUPT', new RegExp(problem)));
  });

  it('does not tell items that are missing at the end from popped ones', async () => {
    const inner = new TestSession();
    await encrypted(inner, ring).addItems(['one', 'two'].map(message));
    inner.texts = inner.texts.slice(0, -1);
    expect(await encrypted(inner, ring).getItems()).toEqual([message('one')]);
  });

  it('is known for the newest items alone', async () => {
    const inner = new TestSession();
    const session = encrypted(inner, ring);
    await session.addItems(['one', 'two', 'three', 'four'].map(message));
    inner.texts = inner.texts.toSpliced(1, 1);
    expect(await session.getItems(2)).toEqual(['three', 'four'].map(message));
    expect(await session.popItem()).toEqual(message('four'));
    await expect(session.getItems()).rejects.toThrow(memoryError('CORRUPT', /follows items that are missing/));
  });

  it('takes no more reads with a longer history', async () => {
    const inner = new TestSession();
    const session = encrypted(inner, ring);
    await session.addItems(Array.from({ length: 200 }, (_, i) => message(`m${i}`)));
    inner.history.largestRead = 0;
    await session.addItems([message('one')]);
    await session.popItem();
    expect(inner.history.largestRead).toBe(2);
  });

  it('ends an append if the newest item can not be read', async () => {
    const inner = new TestSession();
    const session = encrypted(inner, ring);
    await session.addItems([message('one')]);
    // A session that skips damaged items when it reads, but not when it compares.
    const getItems = inner.getItems.bind(inner);
    inner.getItems = async (limit) => (await getItems()).slice(0, -1).slice(-(limit ?? 100));
    await session.addItems([message('two')]).catch(() => {});
    await expect(session.addItems([message('two')])).rejects.toThrow(memoryError('CONFLICT', /does not end with/));
  });
});

describe('reading encrypted items', () => {
  async function filled(id = 'chat'): Promise<TestSession> {
    const inner = new TestSession(id);
    await encrypted(inner, ring).addItems([message('one'), message('two')]);
    return inner;
  }

  /** Asserts that every method that reads rejects and changes nothing. */
  async function expectRefusal(inner: TestSession, refusal: Error, keys: KeyRing = ring): Promise<void> {
    const before = inner.texts;
    const session = encrypted(inner, keys);
    await expect(session.getItems()).rejects.toThrow(refusal);
    await expect(session.popItem()).rejects.toThrow(refusal);
    const mutations = [{ type: 'replace_function_call' as const, callId: 'c', replacement: call('c', 'x') }];
    await expect(session.applyHistoryMutations({ mutations })).rejects.toThrow(refusal);
    const transaction = { type: 'replace_suffix' as const, expectedSuffix: [message('two')], replacement: [] };
    await expect(session.applyHistoryTransaction({ operationId: 'op', transaction })).rejects.toThrow(refusal);
    expect(inner.texts).toBe(before);
  }

  it('rejects with a wrong key', async () => {
    const wrong = memoryError(
      'INVALID_ARGUMENT',
      'The key "k1" is not the one that encrypted this session, or the item belongs to another session.',
    );
    await expectRefusal(await filled(), wrong, { current: 'k1', keys: { k1: newKey() } });
  });

  it('rejects if the key ring does not have the key', async () => {
    const unknown = memoryError(
      'INVALID_ARGUMENT',
      'An item was encrypted with the key "k1", which is not in the key ring. Add it.',
    );
    await expectRefusal(await filled(), unknown, { current: 'k2', keys: { k2: key } });
    const inherited: KeyRing = { current: 'k2', keys: Object.assign(Object.create({ k1: key }), { k2: key }) };
    await expectRefusal(await filled(), unknown, inherited);
    // Anyone who can write to the backend can choose the key id.
    const inner = await filled();
    damage(inner, 1, (parts) => Object.assign(parts, { key: 'toString' }));
    await expectRefusal(
      inner,
      memoryError('INVALID_ARGUMENT', /^An item was encrypted with the key "toString", which/),
    );
  });

  it('rejects an item of another session', async () => {
    const [inner, other] = [await filled('chat'), await filled('other')];
    inner.texts = [inner.texts[0] as string, other.texts[1] as string];
    const moved = memoryError('INVALID_ARGUMENT', /^The key "k1" .* or the item belongs to another session\.$/);
    await expectRefusal(inner, moved);
    // Even if it claims to belong to this one.
    const { check } = sealed(inner, 0).encrypted;
    damage(inner, 1, (parts) => Object.assign(parts, { check }));
    await expectRefusal(
      inner,
      memoryError('CORRUPT', 'An encrypted item is damaged: its key is right, but authentication failed.'),
    );
  });

  it.each<[string, (parts: Record<string, unknown>) => void]>([
    ['its first byte', (parts) => Object.assign(parts, { data: flip(parts.data, 0) })],
    [
      'a byte of its tag',
      (parts) => Object.assign(parts, { data: flip(parts.data, (parts.data as string).length - 5) }),
    ],
    ['its nonce', (parts) => Object.assign(parts, { nonce: flip(parts.nonce, 3) })],
    ['its length', (parts) => Object.assign(parts, { data: (parts.data as string).slice(0, -4) })],
    ['all of its data', (parts) => Object.assign(parts, { data: '' })],
    ['its encoding', (parts) => Object.assign(parts, { data: '***' })],
  ])('rejects a damaged item: %s', async (_name, change) => {
    const inner = await filled();
    damage(inner, 1, change);
    const session = encrypted(inner, ring);
    await expectRefusal(
      inner,
      memoryError('CORRUPT', 'An encrypted item is damaged: its key is right, but authentication failed.'),
    );
    await expect(session.getItems()).rejects.toHaveProperty('cause');
  });

  it.each<[string, object]>([
    ['plaintext', message('plain-sentinel')],
    ['plaintext that looks encrypted', { encrypted: 'plain-sentinel' }],
    ['null', { encrypted: null }],
    ['a missing part', { encrypted: { version: 1, key: 'k1', check: '', nonce: '', previous: '' } }],
    ['a later version', { encrypted: { version: 2, key: 'k1', check: '', nonce: '', data: '', previous: '' } }],
    ['no predecessor', { encrypted: { version: 1, key: 'k1', check: '', nonce: '', data: '' } }],
  ])('rejects an item that is not encrypted or has an unknown format: %s', async (_name, item) => {
    const inner = await filled();
    inner.texts = [...inner.texts.slice(0, 2), JSON.stringify(item)];
    const words = 'This session has an item that is not encrypted or has an unknown format.';
    await expectRefusal(inner, memoryError('CORRUPT', words));
    // The valid item can still be read.
    inner.texts = inner.texts.slice(0, 2);
    expect(await encrypted(inner, ring).getItems()).toEqual([message('one')]);
  });

  it('ignores damaged items beyond the limit', async () => {
    const inner = await filled();
    damage(inner, 0, (parts) => Object.assign(parts, { data: '' }));
    expect(await encrypted(inner, ring).getItems(1)).toEqual([message('two')]);
  });
});

describe('the key ring', () => {
  const both: KeyRing = { current: 'new', keys: { old: oldKey, new: key } };

  async function rotated(): Promise<TestSession> {
    const inner = new TestSession();
    await encrypted(inner, { current: 'old', keys: { old: oldKey } }).addItems([message('one'), call('c1', 'first')]);
    return inner;
  }

  it('reads with old keys and writes with the current one', async () => {
    const inner = await rotated();
    const session = encrypted(inner, both);
    await session.addItems([message('three')]);
    expect(await session.getItems()).toEqual([message('one'), call('c1', 'first'), message('three')]);
    expect(inner.texts.map((_, index) => sealed(inner, index).encrypted.key)).toEqual(['old', 'old', 'old', 'new']);
    expect(await session.popItem()).toEqual(message('three'));
    expect(await session.popItem()).toEqual(call('c1', 'first'));
  });

  it('lets a transaction replace items of an old key, also on a retry', async () => {
    const inner = await rotated();
    const session = encrypted(inner, both);
    const args = {
      operationId: 'op-1',
      transaction: {
        type: 'replace_suffix' as const,
        expectedSuffix: [message('one'), call('c1', 'first')],
        replacement: [message('two')],
      },
    };
    await session.applyHistoryTransaction(args);
    await session.applyHistoryTransaction(args);
    expect(await session.getItems()).toEqual([message('two')]);
    expect(sealed(inner, 1).encrypted.key).toBe('new');
  });

  it('lets mutations keep unchanged items under their old key', async () => {
    const inner = await rotated();
    const session = encrypted(inner, both);
    const first = inner.texts[0];
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c1', replacement: call('c1', 'second') }],
    });
    expect(await session.getItems()).toEqual([message('one'), call('c1', 'second')]);
    expect(inner.texts[0]).toBe(first);
  });

  it.each([
    ['a Uint8Array', (bytes: Uint8Array) => bytes],
    // The slice() of a Buffer is a view of the same memory.
    ['a Buffer', (bytes: Uint8Array) => Buffer.from(bytes)],
    [
      'a view of a larger buffer',
      (bytes: Uint8Array) => {
        const larger = new Uint8Array(64);
        larger.set(bytes, 16);
        return larger.subarray(16, 48);
      },
    ],
  ])('can be zeroed once the session is created: %s', async (_name, make) => {
    const inner = new TestSession();
    const buffer = make(newKey());
    const kept = Uint8Array.from(buffer);
    const keys: Record<string, Uint8Array> = { k1: buffer };
    const session = encrypted(inner, { current: 'k1', keys });
    buffer.fill(0);
    delete keys.k1;
    await session.addItems([message('one')]);
    expect(await session.getItems()).toEqual([message('one')]);
    expect(await encrypted(inner, { current: 'k1', keys: { k1: kept } }).getItems()).toEqual([message('one')]);
  });

  const bytes = 'Each key must be 32 random bytes, such as crypto.getRandomValues(new Uint8Array(32)).';
  const upwards = Uint8Array.from({ length: 32 }, (_, n) => n);
  const counted = /^A key counts its bytes up or down, so it can be guessed\. Generate it with crypto\.getRandomValues/;
  const weak = /^A key repeats the same few bytes, so it can be guessed\. Generate it with crypto\.getRandomValues/;
  const text = /^A key is text, so it can be guessed more easily\. Decode it if it is hex or base64, or generate it/;
  const hex = '0123456789abcdef0123456789abcdef';
  const current = 'The key ring has no key with the id in `current`.';

  it.each<[string, unknown, string | RegExp]>([
    ['a short key', { current: 'k1', keys: { k1: new Uint8Array(16) } }, bytes],
    ['a short key that is not current', { current: 'k1', keys: { k1: key, k0: new Uint8Array(31) } }, bytes],
    ['a string as a key', { current: 'k1', keys: { k1: 'x'.repeat(32) } }, bytes],
    ['a key of zeros', { current: 'k1', keys: { k1: new Uint8Array(32) } }, weak],
    ['a key of zeros in a Buffer', { current: 'k1', keys: { k1: Buffer.alloc(32) } }, weak],
    ['a key of equal bytes that is not current', { current: 'k1', keys: { k1: key, k0: Buffer.alloc(32, 7) } }, weak],
    ['a key that repeats a few bytes', { current: 'k1', keys: { k1: Buffer.alloc(32, '\0\x01\x02\x03') } }, weak],
    ['a key that counts up', { current: 'k1', keys: { k1: upwards } }, counted],
    [
      'a key that counts down and is not current',
      { current: 'k1', keys: { k1: key, k0: upwards.toReversed() } },
      counted,
    ],
    ['hex digits as a key', { current: 'k1', keys: { k1: Buffer.from(hex.slice(0, 32)) } }, text],
    ['a password as a key', { current: 'k1', keys: { k1: Buffer.from('correct horse battery staple 123') } }, text],
    ['no current key', { current: 'k2', keys: { k1: key } }, current],
    ['an inherited property as the current key', { current: 'toString', keys: { k1: key } }, current],
    ['no keys', { current: 'k1' }, current],
    ['no key ring', undefined, current],
  ])('is refused: %s', (_name, keys, words) => {
    expect(() => encrypted(new TestSession(), keys as KeyRing)).toThrow(memoryError('INVALID_ARGUMENT', words));
  });

  it.each([
    ['a session without transactions', { getItems: async () => [] }],
    // It has transactions, but refuses items that are not those of its SDK.
    ['a session of the OpenAI Agents SDK', new MemorySession()],
    ['no session', undefined],
  ])('refuses %s', (_name, session) => {
    const words = /^encrypted\(\) needs a session of a Keepsake adapter, such as FileSession\./;
    expect(() => encrypted(session as never, ring)).toThrow(memoryError('UNSUPPORTED', words));
  });
});

describe('changes of an encrypted session', () => {
  it('append once per operation id, regardless of field order', async () => {
    const session = encrypted(new TestSession(), ring);
    const append = (...items: JsonObject[]) =>
      session.applyHistoryTransaction({ operationId: 'op-1', transaction: { type: 'append_items', items } });
    await append({ a: 1, b: { c: 2, d: 3 } });
    await append({ b: { d: 3, c: 2 }, a: 1 });
    expect(await session.getItems()).toEqual([{ a: 1, b: { c: 2, d: 3 } }]);
    await expect(append({ a: 2 })).rejects.toThrow(memoryError('CONFLICT', /^This operationId was already used/));
    expect(await session.getItems()).toHaveLength(1);
  });

  it('replace a suffix once per operation id, even if it is gone on a retry', async () => {
    const session = encrypted(new TestSession(), ring);
    await session.addItems([message('one'), message('two')]);
    const replace = (operationId: string, expectedSuffix: JsonObject[], ...replacement: JsonObject[]) =>
      session.applyHistoryTransaction({
        operationId,
        transaction: { type: 'replace_suffix', expectedSuffix, replacement },
      });
    await replace('op-1', [{ content: 'two', role: 'user' }], message('three'), message('four'));
    await replace('op-1', [message('two')], { content: 'three', role: 'user' }, message('four'));
    await session.addItems([message('five')]);
    await replace('op-1', [message('two')], message('three'), message('four'));
    const expected = ['one', 'three', 'four', 'five'].map(message);
    expect(await session.getItems()).toEqual(expected);
    await expect(replace('op-1', [message('two')], message('six'))).rejects.toThrow(
      memoryError('CONFLICT', /^This operationId/),
    );
    await expect(replace('op-2', [message('two')], message('six'))).rejects.toThrow(
      memoryError('CONFLICT', /^The history does not end with `expectedSuffix`/),
    );
    await expect(replace('op-2', [...expected, ...expected])).rejects.toThrow(memoryError('CONFLICT', /^The history/));
    expect(await session.getItems()).toEqual(expected);
    await replace('op-2', [message('five')]);
    await replace('op-3', [], message('six'));
    expect(await session.getItems()).toEqual(['one', 'three', 'four', 'six'].map(message));
  });

  it('apply mutations like the wrapped session', async () => {
    const items = [message('one'), call('c1', 'a'), call('c2', 'b'), call('c1', 'c'), message('two')];
    const inner = new TestSession();
    const [session, plain] = [encrypted(inner, ring), new TestSession('plain', items)];
    await session.addItems(items);
    for (const callId of ['c1', 'unknown', 'c2']) {
      const mutations = [{ type: 'replace_function_call' as const, callId, replacement: call(callId, 'safe') }];
      await session.applyHistoryMutations({ mutations });
      await plain.applyHistoryMutations({ mutations });
      expect(await session.getItems()).toEqual(await plain.getItems());
    }
    // Without a change, nothing is written.
    const written = inner.history.operations.size;
    await session.applyHistoryMutations({ mutations: [] });
    expect(inner.history.operations.size).toBe(written);
    expect(inner.texts).toHaveLength(5);
  });

  it('lose no concurrent change', async () => {
    const inner = new TestSession();
    const sessions = [encrypted(inner, ring), encrypted(inner, ring), encrypted(inner, ring)];
    await sessions[0]?.addItems([call('c1', 'a')]);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => sessions[i % 3]?.addItems([message(`m${i}`)])),
      sessions[1]?.applyHistoryMutations({
        mutations: [{ type: 'replace_function_call', callId: 'c1', replacement: call('c1', 'b') }],
      }),
    ]);
    const items = await sessions[2]?.getItems();
    expect(items).toHaveLength(21);
    expect(items?.[0]).toEqual(call('c1', 'b'));
    // Every item is popped exactly once.
    const popped = await Promise.all(Array.from({ length: 25 }, (_, i) => sessions[i % 3]?.popItem()));
    const contents = popped.filter((item) => item !== undefined).map((item) => item.content ?? item.callId);
    expect(contents.sort()).toEqual([...Array.from({ length: 20 }, (_, i) => `m${i}`), 'c1'].sort());
    expect(await sessions[0]?.getItems()).toEqual([]);
  });

  it('read their arguments before the first await', async () => {
    const session = encrypted(new TestSession(), ring);
    const item = message('before');
    const added = session.addItems([item]);
    item.content = 'after';
    await added;
    expect(await session.getItems()).toEqual([message('before')]);
  });

  it('recover if the session id cannot be read at first', async () => {
    const inner = new TestSession('chat');
    let failures = 1;
    inner.getSessionId = async () => {
      if (failures-- > 0) throw new Error('The link broke.');
      return inner.id;
    };
    const session = encrypted(inner, ring);
    await expect(session.addItems([message('one')])).rejects.toThrow('The link broke.');
    await session.addItems([message('one')]);
    expect(await session.getItems()).toEqual([message('one')]);
  });
});

it('encrypted() refuses an unknown option and suggests the nearest', () => {
  const misspelt = { ...ring, curent: 'a' } as never;
  expect(() => encrypted(new TestSession(), misspelt)).toThrow(/^Unknown option `curent`.* Did you mean `current`\?$/);
});
