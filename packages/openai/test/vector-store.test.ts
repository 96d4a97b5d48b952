import type { JsonObject } from '@keepsake/core';
import type { OpenAIEmulatorOptions } from '@keepsake/emulators';
import type { ClientOptions } from 'openai';
import { describe, expect, it } from 'vitest';
import { OpenAIVectorStore, type OpenAIVectorStoreOptions } from '../src/index.ts';
import { clientOf, count, emulated } from './emulated.ts';

async function setUp(options: OpenAIEmulatorOptions & ClientOptions = {}) {
  const { emulator } = await emulated(options);
  const client = clientOf(emulator, options);
  const { id: vectorStoreId } = await client.vectorStores.create({});
  const open = (more: Partial<OpenAIVectorStoreOptions> = {}) =>
    new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', 'alice'], ...more });
  return { emulator, client, vectorStoreId, open, store: open() };
}

const UPLOAD = /\/files$/;

describe('namespaces', () => {
  it('share a vector store and are isolated from each other', async () => {
    const { client, vectorStoreId, open, store } = await setUp();
    const bob = open({ namespace: ['u', 'bob'] });
    await store.add('The heron is grey', { of: 'alice' });
    await bob.add('The heron is grey', { of: 'bob' });
    await store.within(['work']).add('The heron is at work');
    const found = async (one: OpenAIVectorStore) => (await one.search('heron')).map(({ metadata }) => metadata.of);
    expect(await found(store)).toEqual(['alice']);
    expect(await found(bob)).toEqual(['bob']);
    expect((await store.search('heron', { filter: { of: 'bob' } })).length).toBe(0);
    const [{ id } = { id: '' }] = await store.search('heron');
    expect(await bob.delete(id)).toBe(true);
    expect(await found(store)).toEqual(['alice']);
    expect(await store.clear()).toBe(1);
    expect((await client.vectorStores.files.list(vectorStoreId)).data).toHaveLength(1);
  });

  it('are refused if they are the root, or too long for an attribute', async () => {
    const { open } = await setUp();
    for (const namespace of [[], [''], ['x'.repeat(256), 'x'.repeat(256)], 'user', undefined]) {
      expect(() => open({ namespace: namespace as string[] })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    }
    expect(() => open().within([''])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('are isolated even if the service ignores the filter', async () => {
    const { client, vectorStoreId, open } = await setUp();
    await open().add('The heron is grey');
    const forgetful = {
      files: client.files,
      vectorStores: {
        files: client.vectorStores.files,
        search: (id: string, { filters, ...body }: { query: string; filters: object }) =>
          client.vectorStores.search(id, body),
      },
    };
    const eve = new OpenAIVectorStore({ client: forgetful, vectorStoreId, name: 'facts', namespace: ['u', 'eve'] });
    expect(await eve.search('heron')).toEqual([]);
    expect(await eve.delete((await open().search('heron'))[0]?.id ?? '')).toBe(false);
  });
});

describe('adding', () => {
  it('returns the memory with its time and its metadata', async () => {
    const { store } = await setUp();
    const metadata = { topic: 'birds', rank: 3, sure: true };
    const added = await store.add('The heron is grey', metadata);
    const [found] = await store.search('heron');
    expect(found).toMatchObject(added);
    expect(added).toMatchObject({ content: 'The heron is grey', metadata });
    expect(Math.abs(Date.parse(added.createdAt) - Date.now())).toBeLessThan(60_000);
  });

  it('uploads the same content once, for concurrent adds and for later metadata', async () => {
    const { emulator, store, open } = await setUp();
    await Promise.all(Array.from({ length: 8 }, () => store.add('The heron is grey', { rank: 1 })));
    const again = await open().add('The heron is grey', { rank: 2 });
    expect(count(emulator, 'POST', /^\/v1\/files$/)).toBe(1);
    expect((await store.search('heron')).map(({ metadata }) => metadata)).toEqual([{ rank: 2 }]);
    expect((await store.search('heron'))[0]?.createdAt).toBe(again.createdAt);
  });

  it('the same content in two processes shows one memory, and the next add removes the duplicate', async () => {
    const { client, vectorStoreId, open } = await setUp();
    await Promise.all([open().add('The heron is grey'), open().add('The heron is grey')]);
    const files = async () => (await client.vectorStores.files.list(vectorStoreId)).data.length;
    expect(await files()).toBe(2);
    expect(await open().search('heron')).toHaveLength(1);
    await open().add('The heron is grey');
    expect(await files()).toBe(1);
    expect((await client.files.list()).data).toHaveLength(1);
  });

  it('waits until the memory is indexed', async () => {
    const { emulator, store } = await setUp({ indexingPolls: 3 });
    await store.add('The heron is grey');
    expect(count(emulator, 'GET', /\/files\/file_/)).toBe(4);
    expect(await store.search('heron')).toHaveLength(1);
  });

  it('gives up at its deadline, and continues waiting when the memory is added again', async () => {
    const { emulator, open } = await setUp({ indexingPolls: 3 });
    const store = open({ indexDeadlineMs: 0 });
    for (let time = 0; time < 3; time++) {
      await expect(store.add('The heron is grey')).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true });
    }
    await store.add('The heron is grey');
    expect(count(emulator, 'POST', /^\/v1\/files$/)).toBe(1);
    expect(await store.search('heron')).toHaveLength(1);
  });

  it('ends when its signal is aborted', async () => {
    const { store } = await setUp({ indexingPolls: 1_000_000 });
    const controller = new AbortController();
    const adding = store.add('The heron is grey', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 150);
    await expect(adding).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('leaves nothing behind if the service cannot index the memory', async () => {
    const { client, store } = await setUp();
    await expect(store.add('The heron is unindexable')).rejects.toMatchObject({ code: 'BACKEND' });
    expect((await client.files.list()).data).toEqual([]);
  });

  it('leaves no file behind if it cannot be attached', async () => {
    const { emulator, client, store } = await setUp({ maxRetries: 0 });
    emulator.faults.fail({ method: 'POST', path: /vector_stores\/[^/]+\/files$/, times: 1 });
    await expect(store.add('The heron is grey')).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    expect((await client.files.list()).data).toEqual([]);
    await store.add('The heron is grey');
    expect(await store.search('heron')).toHaveLength(1);
  });

  it('survives a broken connection', async () => {
    const { emulator, store } = await setUp();
    for (const path of [UPLOAD, /\/search$/]) {
      emulator.faults.cut('before', { method: 'POST', path, times: 1 });
      await store.add(`The heron is grey ${path}`);
    }
    expect(await store.search('heron')).toHaveLength(2);
  });

  it.each<[string, JsonObject]>([
    ['an object', { a: { b: 1 } }],
    ['a list', { a: [1] }],
    ['null', { a: null }],
    ['a string over 512 characters', { a: 'x'.repeat(513) }],
    ['a name over 64 characters', { ['x'.repeat(65)]: 1 }],
    ['a reserved name', { keepsake_namespace: 'u:bob' }],
    ['more than 12 fields', Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`f${index}`, index]))],
  ])('refuses metadata with %s before anything is sent', async (_, metadata) => {
    const { emulator, store } = await setUp();
    const before = emulator.requests.length;
    await expect(store.add('The heron is grey', metadata)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(emulator.requests.length).toBe(before);
  });

  it('refuses a lone surrogate, which would be read back as another character', async () => {
    const { store } = await setUp();
    await expect(store.add('heron \ud800')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('searching', () => {
  it('returns a long memory once and whole', async () => {
    const { store } = await setUp();
    const long = `The heron. ${'It waits by the river. '.repeat(3_000)}The heron flies.`;
    await store.add(long);
    await store.add('A heron nests in the alder.');
    const found = await store.search('heron', { maxSearchResults: 2 });
    expect(found.map(({ content }) => content).sort()).toEqual(['A heron nests in the alder.', long].sort());
  });

  it('filters by metadata and by time, and by score', async () => {
    const { store } = await setUp();
    await store.add('The heron is grey', { rank: 1 });
    await store.add('The heron is tall', { rank: 2 });
    const found = async (options: object) =>
      (await store.search('heron', options)).map(({ metadata }) => metadata.rank);
    expect(await found({ filter: { rank: { gt: 1 } } })).toEqual([2]);
    expect(await found({ filter: { rank: { in: [] } } })).toEqual([]);
    expect((await found({ filter: { createdAt: { gt: '2020-01-01' } } })).length).toBe(2);
    expect(await found({ filter: { createdAt: { lt: '2020-01-01' } } })).toEqual([]);
    expect(await found({ minScore: 1 })).toEqual([]);
    await expect(found({ filter: { rank: { exists: true } } })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  it('is retried if the service is busy, then fails as retryable', async () => {
    const { emulator, store } = await setUp();
    await store.add('The heron is grey');
    emulator.faults.throttle({ times: 2, retryAfterMs: 1 });
    expect(await store.search('heron')).toHaveLength(1);
    emulator.faults.throttle({ retryAfterMs: 1 });
    await expect(store.search('heron')).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
  });

  it('a vector store that does not exist is an error, never an empty result', async () => {
    const { open } = await setUp();
    await expect(open({ vectorStoreId: 'vs_gone' }).search('heron')).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it('ends when its signal is aborted during the request', async () => {
    const { emulator, store } = await setUp();
    emulator.faults.delay(10_000, { path: /search$/ });
    const signal = AbortSignal.timeout(50);
    await expect(store.search('heron', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('deleting', () => {
  it('removes a memory and its file, and returns whether it existed', async () => {
    const { client, store } = await setUp();
    const { id } = await store.add('The heron is grey');
    await store.add('The crane is white');
    expect(await store.delete(id)).toBe(true);
    expect(await store.delete(id)).toBe(false);
    expect((await store.search('heron')).map(({ content }) => content)).toEqual(['The crane is white']);
    expect((await client.files.list()).data).toHaveLength(1);
  });

  it('clears several pages, of its own namespace only', async () => {
    const { client, vectorStoreId, open, store } = await setUp();
    // Directly through the API, because `add` waits for each memory.
    for (let index = 0; index < 130; index++) {
      const file = await client.files.create({ purpose: 'assistants', file: new File([`heron ${index}`], 'a.txt') });
      const attributes = { keepsake_namespace: index % 13 === 0 ? 'u:bob' : 'u:alice' };
      await client.vectorStores.files.create(vectorStoreId, { file_id: file.id, attributes });
    }
    expect(await store.clear()).toBe(120);
    expect(await store.clear()).toBe(0);
    expect(await open({ namespace: ['u', 'bob'] }).clear()).toBe(10);
  });

  it('is refused if the store is read-only', async () => {
    const { open } = await setUp();
    const store = open({ writable: false });
    await expect(store.delete('content-1')).rejects.toMatchObject({ code: 'READ_ONLY' });
    await expect(store.clear()).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(store.within(['work'], { writable: true }).writable).toBe(false);
  });
});

describe('errors', () => {
  it('contain no key, no query and no content', async () => {
    const { emulator, vectorStoreId } = await setUp();
    const client = clientOf(emulator, { apiKey: 'sk-sentinel', maxRetries: 0 });
    const store = new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['u', 'alice'] });
    for (const call of [() => store.search('sentinel'), () => store.add('sentinel', { a: 'sentinel' })]) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      for (let one = error; one instanceof Error; one = one.cause) {
        expect(`${one} ${one.stack} ${JSON.stringify(one)}`).not.toContain('sentinel');
      }
      expect(error).toMatchObject({ code: 'BACKEND' });
    }
  });

  it('of the constructor name the invalid option', async () => {
    const { open } = await setUp();
    for (const bad of [
      { client: {} },
      { vectorStoreId: '../x' },
      { vectorStoreId: undefined },
      { name: '' },
      { indexDeadlineMs: -1 },
    ]) {
      expect(() => open(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });
});
