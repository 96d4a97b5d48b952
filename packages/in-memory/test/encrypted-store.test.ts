import type { Embedder, JsonObject, MemoryErrorCode, MemoryRecord, RecordStore } from '@keepsake/core';
import { encrypted, type KeyRing } from '@keepsake/privacy';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

const newKey = () => crypto.getRandomValues(new Uint8Array(32));
const key = newKey();
const ring: KeyRing = { current: 'k1', keys: { k1: key } };
const newIndex = () => new InMemoryStore({ name: 'index' });

describeEncryptedStore({
  name: 'InMemoryStore',
  capabilities: newIndex().capabilities,
  index: newIndex,
  harness() {
    const store = new InMemoryStore({ name: 'memory' });
    return {
      open: ({ namespace = [], ...identity } = {}) => store.within(namespace, identity),
      stored: async () => JSON.stringify((await store.list({ descendants: true, history: true })).items),
    };
  },
});

/** A plain store, and instances that encrypt it. */
function place(): { plain: InMemoryStore; open: (keys?: KeyRing) => RecordStore } {
  const plain = new InMemoryStore({ name: 'memory' });
  return { plain, open: (keys = ring) => encrypted(plain.within([]), keys, { index: newIndex() }) };
}

/** Asserts that everything that reads a record rejects. */
async function expectRefusal(store: RecordStore, id: string, code: MemoryErrorCode, message: RegExp): Promise<void> {
  const refusal = { code, message: expect.stringMatching(message) };
  await expect(store.get(id)).rejects.toMatchObject(refusal);
  await expect(store.history(id)).rejects.toMatchObject(refusal);
  await expect(store.list()).rejects.toMatchObject(refusal);
  await expect(store.list({ descendants: true })).rejects.toMatchObject(refusal);
  await expect(store.search('heron')).rejects.toMatchObject(refusal);
  await expect(store.search('heron', { descendants: true })).rejects.toMatchObject(refusal);
}

/** A record of a plain store, which must be there. */
async function stored(plain: RecordStore, id: string): Promise<MemoryRecord> {
  const record = await plain.get(id);
  if (record === undefined) throw new Error(`There is no ${id}.`);
  return record;
}

it('long namespaces that differ at their ends have keys of their own', async () => {
  const { plain, open } = place();
  const namespaces = ['x', 'y'].map((last) => [...Array(8).fill('語'.repeat(256)), last]);
  for (const namespace of namespaces) await open().within(namespace).put({ id: 'a', content: 'heron' });
  const sealed = await Promise.all(namespaces.map((namespace) => plain.within(namespace).list()));
  const checks = sealed.map(({ items }) => JSON.parse(items[0]?.content ?? '').encrypted.check);
  expect(new Set(checks).size).toBe(2);
  for (const namespace of namespaces) expect((await open().within(namespace).get('a'))?.content).toBe('heron');
});

describe('encrypted records', () => {
  it('are refused under another id', async () => {
    const { plain, open } = place();
    await open().putMany([
      { id: 'one', content: 'grey heron' },
      { id: 'two', content: 'white heron' },
    ]);
    await plain.put({ id: 'one', content: (await stored(plain, 'two')).content, index: false });
    await expectRefusal(open(), 'one', 'CORRUPT', /^An encrypted record is damaged/);
    expect((await open().get('two'))?.content).toBe('white heron');
  });

  it('are refused in another namespace', async () => {
    const { plain, open } = place();
    await open().within(['alice']).put({ id: 'one', content: 'grey heron' });
    const { content } = await stored(plain.within(['alice']), 'one');
    await plain.within(['bob']).put({ id: 'one', content, index: false });
    const problem = /or the record belongs to another namespace\.$/;
    await expectRefusal(open().within(['bob']), 'one', 'INVALID_ARGUMENT', problem);
    expect(await open().within(['alice']).search('heron')).toHaveLength(1);
  });

  it.each<[string, (content: string) => string, RegExp]>([
    ['plaintext', () => 'grey heron', /^The record "one" is not encrypted/],
    ['other JSON', () => '{"encrypted":null}', /^The record "one" is not encrypted/],
    ['a later version', (content) => content.replace('"version":1', '"version":2'), /has an unknown format/],
    ['a changed byte', (content) => content.replace(/.{8}"\}\}$/, 'AAAAAAA="}}'), /^An encrypted record is damaged/],
  ])('are refused if they are %s, and can be deleted', async (_what, change, problem) => {
    const { plain, open } = place();
    await open().put({ id: 'one', content: 'grey heron' });
    await plain.put({ id: 'one', content: change((await stored(plain, 'one')).content), index: false });
    await expectRefusal(open(), 'one', 'CORRUPT', problem);
    expect(await open().delete('one')).toBe(true);
    expect(await open().search('heron')).toEqual([]);
  });

  it('take no metadata, turn or source from what is not authenticated', async () => {
    const { plain, open } = place();
    const record = await open().put({ id: 'one', content: 'grey heron', metadata: { user: 'ada' } });
    const { content } = await stored(plain, 'one');
    const forged = { metadata: { user: 'eve' }, turn: { thread: 'x', index: 0 }, source: { speaker: 'eve' } };
    await plain.put({ id: 'one', content, index: true, ...forged });
    const found = await open().get('one');
    expect(found).toEqual({ ...record, version: record.version + 1, updatedAt: found?.updatedAt });
    expect(await open().list({ filter: { user: 'eve' } })).toEqual({ items: [] });
    expect(await open().search('heron', { filter: { 'source.speaker': 'eve' } })).toEqual([]);
  });

  it('are refused with a wrong key, or without the key', async () => {
    const { open } = place();
    await open().put({ id: 'one', content: 'grey heron' });
    const wrong = open({ current: 'k1', keys: { k1: newKey() } });
    await expectRefusal(wrong, 'one', 'INVALID_ARGUMENT', /^The key "k1" is not the one that encrypted this namespace/);
    const missing = open({ current: 'k2', keys: { k2: newKey() } });
    await expectRefusal(
      missing,
      'one',
      'INVALID_ARGUMENT',
      /^A record was encrypted with the key "k1", which is not in/,
    );
  });

  it('have nothing in common if they are equal, except their length', async () => {
    const { plain, open } = place();
    const content = 'a grey heron on a grey day '.repeat(20);
    await open().putMany([{ content }, { content }, { content: `${content}!` }]);
    const texts = (await plain.list()).items.map((record) => JSON.parse(record.content).encrypted as JsonObject);
    const bytes = texts.map(({ data }) => Buffer.from(data as string, 'base64'));
    expect(bytes[1]?.length).toBe(bytes[2]?.length);
    expect(bytes[0]?.length).toBe((bytes[1]?.length ?? 0) + 1);
    const pieces = bytes.map((one) =>
      Array.from({ length: one.length - 7 }, (_, at) => one.toString('hex', at, at + 8)),
    );
    expect(new Set(pieces.flat()).size).toBe(pieces.flat().length);
  });
});

describe('ids that follow from what is stored', () => {
  it('differ with the key and the namespace, and are stable', async () => {
    const { plain, open } = place();
    const first = await open().add('grey heron');
    expect((await open().add('grey heron')).id).toBe(first.id);
    expect((await open().add('grey heron')).version).toEqual(putTimes(1));
    const ids = [first.id, (await open().within(['a']).add('grey heron')).id, (await plain.add('grey heron')).id];
    ids.push(
      (
        await place()
          .open({ current: 'k', keys: { k: newKey() } })
          .add('grey heron')
      ).id,
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('are found after a change of keys', async () => {
    const { open } = place();
    const context = { runId: 'run', sequenceNumbers: [0] };
    const messages = [{ role: 'user' as const, content: 'A white heron' }];
    const [added, [said]] = [await open().add('grey heron'), await open().addMessages(messages, context)];
    const rotated = open({ current: 'k2', keys: { k1: key, k2: newKey() } });
    expect((await rotated.add('grey heron')).id).toBe(added.id);
    expect((await rotated.addMessages(messages, context))[0]?.id).toBe(said?.id);
    expect((await rotated.list()).items).toHaveLength(2);
    expect((await rotated.search('heron')).map(({ id }) => id).sort()).toEqual([added.id, said?.id].sort());
  });

  it('begin again once the record is closed', async () => {
    const { open } = place();
    const store = open();
    const { id } = await store.add('grey heron');
    await store.put({ id: 'next', content: 'white heron', supersedes: id });
    const repeated = await store.add('grey heron');
    expect(repeated.id).not.toBe(id);
    expect((await store.search('grey')).map((entry) => entry.id)).toEqual([repeated.id]);
  });
});

describe('searches of an encrypted store', () => {
  it('find what other instances have added, replaced and removed since', async () => {
    const { open } = place();
    const [one, other] = [open(), open()];
    await one.putMany([
      { id: 'a', content: 'grey heron' },
      { id: 'b', content: 'white heron' },
    ]);
    const idsOf = async (query: string) => (await other.search(query)).map(({ id }) => id).sort();
    expect(await idsOf('heron')).toEqual(['a', 'b']);
    await one.put({ id: 'a', content: 'grey stork' });
    await one.delete('b');
    await one.put({ id: 'c', content: 'night heron' });
    expect(await idsOf('heron')).toEqual(['c']);
    expect(await idsOf('stork')).toEqual(['a']);
    await one.put({ id: 'c', content: 'night heron', index: false });
    expect(await idsOf('heron')).toEqual([]);
    await one.clear();
    expect(await idsOf('stork')).toEqual([]);
  });

  it('follow namespaces below that come and go', async () => {
    const { open } = place();
    const [one, other] = [open(), open()];
    await one.within(['a', 'b']).put({ id: 'x', content: 'grey heron' });
    await one.within(['c']).put({ id: 'x', content: 'white heron' });
    const found = async () =>
      (await other.search('heron', { descendants: true })).map(({ namespace }) => namespace?.join('/')).sort();
    expect(await found()).toEqual(['a/b', 'c']);
    await one.within(['a']).clear({ descendants: true });
    expect(await found()).toEqual(['c']);
  });

  it('decrypt a record once, not at each search', async () => {
    const { open } = place();
    const store = open();
    await store.putMany(Array.from({ length: 50 }, (_, n) => ({ content: `heron ${n}` })));
    await store.search('heron');
    const { decrypt } = crypto.subtle;
    let decrypted = 0;
    crypto.subtle.decrypt = (...args) => {
      decrypted++;
      return decrypt.apply(crypto.subtle, args);
    };
    try {
      await store.search('heron');
      expect(decrypted).toBe(0);
      await open().search('heron');
      expect(decrypted).toBe(50);
    } finally {
      crypto.subtle.decrypt = decrypt;
    }
  });

  it('fill their limit with records that pass a filter on times', async () => {
    const { open } = place();
    const store = open();
    for (let n = 0; n < 20; n++) {
      await store.put({ id: `${n}`, content: 'grey heron', ...(n < 3 && { ttlMs: 3_600_000 }) });
    }
    const limit = { maxSearchResults: 2 };
    expect(await store.search('heron', { ...limit, filter: { expiresAt: { exists: true } } })).toHaveLength(2);
    const records = (await store.list()).items;
    for (const entry of await store.search('heron', { maxSearchResults: 20 })) {
      expect(entry.updatedAt).toBe(records.find(({ id }) => id === entry.id)?.updatedAt);
    }
    expect(await store.search('heron', { ...limit, filter: { updatedAt: { lt: '2001-01-01' } } })).toEqual([]);
  });

  it('use the embedder of the index, which keeps vectors out of the store', async () => {
    const texts: string[] = [];
    const embedder: Embedder = {
      id: 'birds',
      dimensions: 2,
      async embed(given) {
        texts.push(...given);
        return given.map((text) => Float32Array.from(/heron|wader/.test(text) ? [1, 0] : [0, 1]));
      },
    };
    const plain = new InMemoryStore({ name: 'memory' });
    const store = encrypted(plain, ring, { index: new InMemoryStore({ name: 'index', embedder }) });
    expect(store.capabilities.search).toBe('hybrid');
    await store.putMany([
      { id: 'bird', content: 'grey heron' },
      { id: 'tea', content: 'green tea' },
    ]);
    expect((await store.search('wader'))[0]?.id).toBe('bird');
    await store.search('wader');
    expect(texts.filter((text) => text.includes('heron'))).toHaveLength(1);
  });
});

describe('encrypted() refuses', () => {
  const plain = () => new InMemoryStore({ name: 'memory' });
  const taken = newIndex();
  encrypted(plain(), ring, { index: taken });
  const embedder: Embedder = { id: 'e', dimensions: 1, embed: async (texts) => texts.map(() => new Float32Array(1)) };
  const capable = (capabilities: object) =>
    Object.assign(Object.create(newIndex()), { capabilities: { ...newIndex().capabilities, ...capabilities } });

  it.each<[string, () => unknown, string, RegExp]>([
    ['no options', () => encrypted(plain(), ring, undefined as never), 'INVALID_ARGUMENT', /^The options must be an/],
    ['no index', () => encrypted(plain(), ring, {} as never), 'INVALID_ARGUMENT', /^`index` must be a store to search/],
    [
      'an unknown option',
      () => encrypted(plain(), ring, { index: newIndex(), indx: 1 } as never),
      'INVALID_ARGUMENT',
      /^Unknown option `indx`/,
    ],
    [
      'an index that outlives the process',
      () => encrypted(plain(), ring, { index: capable({ durable: true }) }),
      'INVALID_ARGUMENT',
      /must keep them in memory only/,
    ],
    [
      'an index that other processes see',
      () => encrypted(plain(), ring, { index: capable({ shared: true }) }),
      'INVALID_ARGUMENT',
      /must keep them in memory only/,
    ],
    [
      'an index of another store',
      () => encrypted(plain(), ring, { index: taken }),
      'INVALID_ARGUMENT',
      /belongs to another encrypted store/,
    ],
    [
      'a store with an embedder',
      () => encrypted(new InMemoryStore({ name: 'memory', embedder }), ring, { index: newIndex() }),
      'INVALID_ARGUMENT',
      /^The store has an embedder, which would get ciphertext/,
    ],
    [
      'a store that can not list',
      () => encrypted(capable({ enumerate: false }), ring, { index: newIndex() }),
      'UNSUPPORTED',
      /needs a store that can list its records/,
    ],
    [
      'weak keys',
      () => encrypted(plain(), { current: 'k', keys: { k: new Uint8Array(32) } }, { index: newIndex() }),
      'INVALID_ARGUMENT',
      /^A key repeats the same few bytes/,
    ],
  ])('%s', (_what, call, code, message) => {
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('records that are over 1 MiB when encrypted, and writes nothing', async () => {
    const { plain, open } = place();
    const refusal = { code: 'TOO_LARGE', message: expect.stringMatching(/750 KiB together/) };
    await expect(open().put({ content: 'x'.repeat(800_000) })).rejects.toMatchObject(refusal);
    await expect(open().putMany([{ content: 'a' }, { content: 'x'.repeat(800_000) }])).rejects.toMatchObject(refusal);
    expect(await plain.list()).toEqual({ items: [] });
    expect(await open().put({ content: 'x'.repeat(750 * 1024) })).toMatchObject({ version: putTimes(1) });
  });

  it('writes through a store that is read-only', async () => {
    const readOnly = encrypted(new InMemoryStore({ name: 'memory', writable: false }), ring, { index: newIndex() });
    expect(readOnly.writable).toBe(false);
    await expect(readOnly.add('grey heron')).rejects.toMatchObject({ code: 'READ_ONLY' });
  });
});
