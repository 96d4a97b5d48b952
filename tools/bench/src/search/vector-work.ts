import { heldBytes } from '../held-bytes.ts';
import { Searcher } from './searcher.ts';
import { vectorEngineNamed } from './vectors.ts';

/** What a process searches by vectors. */
export interface VectorWork {
  readonly vectors: string;
  readonly entries: number;
  /** How many searches make a round. */
  readonly aRound: number;
}

/** Bytes of memory an entry. */
export interface VectorFacts {
  readonly bytesAnEntry: number;
}

const LIMIT = 5;

/** Gets ready to search. */
export async function prepareVectorSearches({ vectors: name, entries, aRound }: VectorWork): Promise<Searcher> {
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
          if (first !== numberOf(query)) throw new Error(`${name} did not find vector ${numberOf(query)} by itself.`);
        }
      },
    },
    aRound,
  );
}

/** Adds everything, and looks at what that holds. */
export async function buildVectors({ vectors: name, entries }: VectorWork): Promise<VectorFacts> {
  const engine = vectorEngineNamed(name);
  // Loads what the engine needs.
  await (await engine.open(10)).fill(10);
  const held = await heldBytes(async () => {
    const opened = await engine.open(entries);
    await opened.fill(entries);
    return opened;
  });
  return { bytesAnEntry: held / entries };
}
