import { inspect } from 'node:util';
import { InMemoryStore } from '@keepsake/in-memory';
import { MockEmbeddingModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkEmbedder } from '../src/index.ts';
import { type GatewayReply, type GatewayRequest, useGateway } from './gateway.ts';

const WORDS = ['heron', 'grey', 'tax', 'income'];

/** A vector that counts words, of the requested length. */
function vectorOf(text: string, length = WORDS.length): number[] {
  const counts = WORDS.map((word) => text.split(word).length - 1);
  return Array.from({ length }, (_, index) => counts[index] ?? 0);
}

async function setUp(
  dimensions = WORDS.length,
  reply: (request: GatewayRequest, count: number) => GatewayReply = ({ body }) => ({
    embeddings: body.values.map((text) => vectorOf(text, body.dimensions)),
  }),
) {
  const { provider, requests } = await useGateway(reply);
  return { requests, embedder: aiSdkEmbedder(provider.embeddingModel('google/embed'), { dimensions }) };
}

describe('aiSdkEmbedder', () => {
  it('returns one vector per text, in order', async () => {
    const { embedder, requests } = await setUp();
    expect(embedder).toMatchObject({ id: 'gateway:google/embed:4', dimensions: 4 });
    expect(await embedder.embed(['grey heron', 'income tax'])).toEqual([
      Float32Array.of(1, 1, 0, 0),
      Float32Array.of(0, 0, 1, 1),
    ]);
    expect(await embedder.embed([])).toEqual([]);
    expect(requests.map(({ body }) => body.dimensions)).toEqual([undefined]);
  });

  it('sends many texts in as few requests as possible', async () => {
    const { embedder, requests } = await setUp();
    const texts = Array.from({ length: 5_000 }, (_, index) => `heron ${index}`);
    const vectors = await embedder.embed(texts);
    expect(requests).toHaveLength(3);
    expect(vectors).toHaveLength(5_000);
  });

  it('asks for shorter vectors if those of the model have another length', async () => {
    const { embedder, requests } = await setUp(2);
    expect(await embedder.embed(['grey heron'])).toEqual([Float32Array.of(1, 1)]);
    expect(await embedder.embed(['heron'])).toEqual([Float32Array.of(1, 0)]);
    expect(requests.map(({ body }) => body.dimensions)).toEqual([undefined, 2, 2]);
  });

  it('refuses vectors of another length if the model can not shorten them', async () => {
    const { embedder } = await setUp(2, ({ body }) => ({ embeddings: body.values.map((text) => vectorOf(text)) }));
    await expect(embedder.embed(['heron'])).rejects.toMatchObject({ code: 'BACKEND', retryable: false });
  });

  it('refuses texts that can not be embedded, and options', async () => {
    const { embedder, requests } = await setUp();
    await expect(embedder.embed(['heron', ''])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(requests).toEqual([]);
    for (const dimensions of [0, 1.5, Number.NaN, undefined as unknown as number]) {
      expect(() => aiSdkEmbedder('google/embed', { dimensions })).toThrow(/`dimensions`/);
    }
  });

  it.each([
    [401, 'BACKEND', undefined],
    [400, 'INVALID_ARGUMENT', false],
    [429, 'BACKEND', true],
    [{ embeddings: [] }, 'BACKEND', undefined],
  ])('maps the failure %o of the provider without quoting the texts', async (reply, code, retryable) => {
    const { embedder } = await setUp(4, () => reply);
    const error = await embedder.embed(['sentinel']).then(
      () => expect.fail('the text was embedded'),
      (error) => error,
    );
    expect(error).toMatchObject({ code });
    expect(error.retryable).toBe(retryable);
    expect(inspect(error, { depth: 10 })).not.toMatch(/sentinel|secret-key/);
  });

  it('stops when its signal is aborted', async () => {
    const { embedder, requests } = await setUp(4, () => 'hang');
    await expect(embedder.embed(['heron'], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(requests).toEqual([]);
    const signal = AbortSignal.timeout(50);
    await expect(embedder.embed(['heron'], { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('gives a store semantic search', async () => {
    const model = new MockEmbeddingModelV4({
      doEmbed: async ({ values }) => ({
        // Words of one subject have one vector.
        embeddings: values.map((text) => (/heron|stork/.test(text) ? [1, 0] : [0, 1])),
        warnings: [],
      }),
    });
    const store = new InMemoryStore({ name: 'facts', embedder: aiSdkEmbedder(model, { dimensions: 2 }) });
    await store.add('A heron stands in the pond.');
    await store.add('Income tax is due in May.');
    const [best] = await store.search('stork');
    expect(best?.content).toBe('A heron stands in the pond.');
  });
});
