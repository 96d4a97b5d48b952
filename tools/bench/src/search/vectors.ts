import { InMemoryStore } from '@keepsake/in-memory';
import { VectorIndex } from '@keepsake/search';
import { importPeer } from '../peers.ts';
import { randomNumbers } from '../random.ts';

/** A contender in searching the same vectors. */
export interface VectorEngine {
  readonly name: string;
  /** Opens an empty engine. */
  open(count: number): Promise<OpenVectors>;
}

interface OpenVectors {
  /** Adds the vectors of all numbers below `count`. */
  fill(count: number): Promise<void>;
  /** The numbers of the vectors nearest to that of a query. */
  search(query: number, limit: number): Promise<readonly number[]> | readonly number[];
}

export const DIMENSIONS = 384;

/** A unit vector for each number; that of a query is near the one with the same number. */
export function vectorOf(number: number): Float32Array {
  const random = randomNumbers(number + 1);
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
}

/** All vectors in one array, each compared with the query: the minimum work of an exact search. */
export const rawScan: VectorEngine = {
  name: 'flat Float32Array',
  async open(count) {
    const vectors = new Float32Array(count * DIMENSIONS);
    return {
      async fill() {
        for (let number = 0; number < count; number++) vectors.set(vectorOf(number), number * DIMENSIONS);
      },
      search: (query, limit) => nearest(vectors, vectorOf(query), limit),
    };
  },
};

export const keepsakeVectors: VectorEngine = {
  name: 'VectorIndex',
  async open() {
    const index = new VectorIndex<number>({ dimensions: DIMENSIONS });
    return {
      async fill(count) {
        for (let number = 0; number < count; number++) index.set(number, vectorOf(number));
      },
      search: (query, limit) => index.search(vectorOf(query), { limit }).map(({ key }) => key),
    };
  },
};

/** Each text is a single unique word, so that the vectors dominate the time. */
export const keepsakeHybrid: VectorEngine = {
  name: 'InMemoryStore, embedder',
  async open() {
    const embed = async (texts: readonly string[]) => texts.map((text) => vectorOf(Number(text.slice(1))));
    const store = new InMemoryStore({ name: 'bench', embedder: { id: 'bench', dimensions: DIMENSIONS, embed } });
    return {
      async fill(count) {
        for (let from = 0; from < count; from += 1_000) {
          const numbers = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => from + index);
          await store.putMany(numbers.map((number) => ({ id: String(number), content: `n${number}` })));
        }
      },
      async search(query, limit) {
        const found = await store.search(`n${query}`, { maxSearchResults: limit });
        return found.map(({ id }) => Number(id));
      },
    };
  },
};

interface Store {
  addVectors(vectors: readonly (readonly number[])[], documents: readonly object[]): Promise<void>;
  similaritySearchVectorWithScore(
    query: readonly number[],
    k: number,
  ): Promise<readonly (readonly [{ readonly metadata: { readonly number: number } }, number])[]>;
}

interface Memory {
  readonly MemoryVectorStore: new (embeddings: object) => Store;
}

export const langchainVectors: VectorEngine = {
  name: 'LangChain MemoryVectorStore',
  async open() {
    const { MemoryVectorStore }: Memory = await importPeer('@langchain/classic/vectorstores/memory');
    const store = new MemoryVectorStore({});
    return {
      async fill(count) {
        for (let number = 0; number < count; number++) {
          await store.addVectors([Array.from(vectorOf(number))], [{ pageContent: `n${number}`, metadata: { number } }]);
        }
      },
      async search(query, limit) {
        const found = await store.similaritySearchVectorWithScore(Array.from(vectorOf(query)), limit);
        return found.map(([{ metadata }]) => metadata.number);
      },
    };
  },
};

/** The engine with a name, which a process receives. */
export function vectorEngineNamed(name: string): VectorEngine {
  const found = [rawScan, keepsakeVectors, keepsakeHybrid, langchainVectors].find((one) => one.name === name);
  if (found === undefined) throw new Error(`Unknown engine: ${name}.`);
  return found;
}

function nearest(vectors: Float32Array, query: Float32Array, limit: number): number[] {
  const best: { number: number; score: number }[] = [];
  for (let offset = 0; offset < vectors.length; offset += DIMENSIONS) {
    // Four independent sums, so that the processor can compute them in parallel.
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < DIMENSIONS; i += 4) {
      a += (query[i] as number) * (vectors[offset + i] as number);
      b += (query[i + 1] as number) * (vectors[offset + i + 1] as number);
      c += (query[i + 2] as number) * (vectors[offset + i + 2] as number);
      d += (query[i + 3] as number) * (vectors[offset + i + 3] as number);
    }
    const score = a + b + c + d;
    if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ number: offset / DIMENSIONS, score });
    best.sort((one, other) => other.score - one.score);
    if (best.length > limit) best.pop();
  }
  return best.map(({ number }) => number);
}
