import { heldBytes } from '../held-bytes.ts';
import { Searcher } from './searcher.ts';
import { vectorEngineNamed } from './vectors.ts';

/** The vector search work of a process. */
export interface VectorWork {
  readonly vectors: string;
  readonly entries: number;
  /** The number of searches per round. */
  readonly perRound: number;
}

/** Bytes of memory per entry. */
export interface VectorFacts {
  readonly bytesPerEntry: number;
}

const LIMIT = 5;

/** Prepares the search. */
export async function prepareVectorSearches({ vectors: name, entries, perRound }: VectorWork): Promise<Searcher> {
  const opened = await vectorEngineNamed(name).open(entries);
  await opened.fill(entries);
  const numberOf = (query: number) => (query * 7_919) % entries;
  return new Searcher(
    {
      queries: entries,
      search: (query) => opened.search(numberOf(query), LIMIT),
      async check() {
        for (const query of [0, 1, 2]) {
          const [first] = await opened.search(numberOf(query), LIMIT);
          if (first !== numberOf(query))
            throw new Error(`${name} did not find vector ${numberOf(query)} when searching for it.`);
        }
      },
    },
    perRound,
  );
}

/** Adds everything and measures the memory. */
export async function buildVectors({ vectors: name, entries }: VectorWork): Promise<VectorFacts> {
  const engine = vectorEngineNamed(name);
  // Loads the dependencies of the engine.
  await (await engine.open(10)).fill(10);
  const held = await heldBytes(async () => {
    const opened = await engine.open(entries);
    await opened.fill(entries);
    return opened;
  });
  return { bytesPerEntry: held / entries };
}
