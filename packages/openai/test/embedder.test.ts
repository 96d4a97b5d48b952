import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { openaiEmbedder } from '../src/index.ts';
import { clientOf, count, emulated } from './emulated.ts';

const model = 'text-embedding-3-small';

async function setUp(options = {}, dimensions = 256) {
  const { emulator } = await emulated();
  return { emulator, embedder: openaiEmbedder({ client: clientOf(emulator, options), model, dimensions }) };
}

describe('openaiEmbedder', () => {
  it('returns one vector per text, in order, close for similar texts', async () => {
    const { embedder } = await setUp();
    expect(embedder).toMatchObject({ id: 'openai:text-embedding-3-small:256', dimensions: 256 });
    const vectors = await embedder.embed(['the grey heron', 'income tax', 'a heron is grey']);
    const near = (a = 0, b = 0) =>
      vectors[a]?.reduce((sum, value, at) => sum + value * (vectors[b]?.[at] ?? 0), 0) ?? 0;
    expect(vectors.every((vector) => vector instanceof Float32Array && vector.length === 256)).toBe(true);
    expect(near(0, 2)).toBeGreaterThan(near(0, 1));
    expect(await embedder.embed([])).toEqual([]);
  });

  it('sends many texts in as few requests as possible', async () => {
    const { emulator, embedder } = await setUp({}, 8);
    const texts = Array.from({ length: 5_000 }, (_, index) => `text ${index}`);
    const vectors = await embedder.embed(texts);
    expect(count(emulator, 'POST', /embeddings$/)).toBe(3);
    expect(vectors).toHaveLength(5_000);
    expect(vectors[4_321]).toEqual((await embedder.embed(['text 4321']))[0]);
  });

  it('splits texts that exceed the token limit of a request', async () => {
    const { emulator, embedder } = await setUp({}, 8);
    const vectors = await embedder.embed(Array.from({ length: 60 }, () => 'heron '.repeat(4_000)));
    expect(vectors).toHaveLength(60);
    expect(count(emulator, 'POST', /embeddings$/)).toBe(6);
  });

  it('refuses texts that cannot be embedded', async () => {
    const { emulator, embedder } = await setUp();
    await expect(embedder.embed(['a', ''])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(emulator.requests).toEqual([]);
    await expect(embedder.embed(['heron '.repeat(9_000)])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const client = clientOf(emulator);
    for (const dimensions of [0, 1.5, Number.NaN]) {
      expect(() => openaiEmbedder({ client, model, dimensions })).toThrow(/whole number/);
    }
    const tooLong = openaiEmbedder({ client, model, dimensions: 4_000 });
    await expect(tooLong.embed(['a'])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('refuses vectors of another length, such as from a model that cannot shorten them', async () => {
    const { client } = await emulated();
    const stubborn = {
      embeddings: { create: (body: { input: string[] }) => client.embeddings.create({ model, input: body.input }) },
    };
    const embedder = openaiEmbedder({ client: stubborn, model, dimensions: 8 });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it('is retried by the client, then fails as retryable', async () => {
    const { emulator, embedder } = await setUp();
    emulator.faults.throttle({ times: 2, retryAfterMs: 1 });
    expect(await embedder.embed(['heron'])).toHaveLength(1);
    emulator.faults.throttle({ retryAfterMs: 1 });
    await expect(embedder.embed(['heron'])).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
  });

  it('stops when its signal is aborted', async () => {
    const { emulator, embedder } = await setUp();
    emulator.faults.delay(10_000);
    await expect(embedder.embed(['heron'], { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  it('gives a store semantic search', async () => {
    const { embedder } = await setUp();
    const store = new InMemoryStore({ name: 'facts', embedder });
    await store.add('The heron is grey');
    expect(store.capabilities.search).toBe('hybrid');
    expect((await store.search('grey heron')).map(({ content }) => content)).toEqual(['The heron is grey']);
  });
});
