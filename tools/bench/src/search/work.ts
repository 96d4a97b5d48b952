import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, OpenEngine } from '../engines/engine.ts';
import { heldBytes } from '../held-bytes.ts';
import { contenderNamed, type TextContender } from './contenders.ts';
import { Searcher } from './searcher.ts';
import { type KnownItem, makeTexts, type TextLength, type Texts } from './texts.ts';

/** The search work of a process. */
export interface SearchWork {
  readonly contender: string;
  readonly entries: number;
  readonly length: TextLength;
  /** An empty directory, or one with the saved data of the same contender. */
  readonly directory: string;
  /** The number of searches per round. */
  readonly perRound: number;
  /** Whether the directory contains the saved data of a `build`, which the engine reopens. */
  readonly isBuilt?: boolean;
  /** Whether each query also has the three most common words. */
  readonly withCommonest?: boolean;
}

/** The cost of building. */
export interface BuildFacts {
  readonly addsPerSecond: number;
  /** Bytes per entry besides its text: of memory, or of files if it stores everything there. */
  readonly bytesPerEntry: number;
  readonly inFiles: boolean;
}

const LIMIT = 5;
/** Where `build` saves. */
const KEPT = 'kept';
/** Entries that are added to another instance first, as a warm-up for the JIT compiler. */
const WARM_UP = 3_000;

/** Prepares the search. */
export async function prepareSearches({ perRound, withCommonest = false, ...work }: SearchWork): Promise<Searcher> {
  const { contender: name, entries, length } = work;
  const { queries: all, known, commonest, ...texts } = makeTexts(entries, length);
  const queries = withCommonest ? all.map((query) => `${query} ${commonest.join(' ')}`) : all;
  const opened = await openFor(work, texts);
  return new Searcher(
    {
      queries: queries.length,
      search: (query) => opened.search(queries[query] as string, LIMIT),
      async check() {
        for (const item of known) await expectKnown(name, opened, item);
      },
    },
    perRound,
  );
}

/** An engine with all entries. */
async function openFor(
  { contender: name, directory, isBuilt = false }: Pick<SearchWork, 'contender' | 'directory' | 'isBuilt'>,
  { stopWords, entries }: Pick<Texts, 'stopWords' | 'entries'>,
): Promise<OpenEngine> {
  const contender = contenderNamed(name);
  if (isBuilt) return reopenBuilt(contender, directory, stopWords);
  const opened = await contender.engine.open({ directory, stopWords });
  await opened.add(entriesFor(contender, { entries }));
  return opened;
}

/** Adds everything, measures the cost and saves it. */
export async function build({ contender: name, entries, length, directory }: SearchWork): Promise<BuildFacts> {
  const contender = contenderNamed(name);
  const texts = makeTexts(entries, length);
  const added = entriesFor(contender, texts);
  const { stopWords } = texts;
  const warmUp = join(directory, 'warm-up');
  const kept = join(directory, KEPT);
  mkdirSync(warmUp);
  mkdirSync(kept);
  await (await contender.engine.open({ directory: warmUp, stopWords })).add(added.slice(0, WARM_UP));

  let seconds = 0;
  let opened: OpenEngine | undefined;
  const held = await heldBytes(async () => {
    opened = await contender.engine.open({ directory: kept, stopWords });
    const start = performance.now();
    await opened.add(added);
    seconds = (performance.now() - start) / 1_000;
    return opened;
  });
  const [known] = texts.known as [KnownItem];
  await expectKnown(name, opened as OpenEngine, known);
  await opened?.save?.();
  const written = opened?.fileBytesBesideTexts?.();
  return {
    addsPerSecond: entries / seconds,
    bytesPerEntry: (written ?? held) / entries,
    inFiles: written !== undefined,
  };
}

async function reopenBuilt(
  { name, engine }: TextContender,
  directory: string,
  stopWords: ReadonlySet<string>,
): Promise<OpenEngine> {
  const opened = await engine.reopen?.({ directory: join(directory, KEPT), stopWords });
  if (opened === undefined) throw new Error(`${name} keeps nothing.`);
  return opened;
}

/** Reopens the saved data and searches it once. Returns the duration in microseconds. */
export async function reopen({ contender: name, entries, length, directory }: SearchWork): Promise<number> {
  const contender = contenderNamed(name);
  const { known, stopWords } = makeTexts(entries, length);
  const warmUp = join(directory, `warm-up-${process.pid}`);
  mkdirSync(warmUp);
  // Loads the dependencies of the engine.
  await contender.engine.open({ directory: warmUp, stopWords });

  const start = performance.now();
  const opened = await reopenBuilt(contender, directory, stopWords);
  const [item] = known as [KnownItem];
  const found = await opened.search(item.query, LIMIT);
  const us = (performance.now() - start) * 1_000;
  expectFirst(name, found, item);
  return us;
}

function entriesFor({ withTurns }: TextContender, { entries }: Pick<Texts, 'entries'>): readonly Entry[] {
  return withTurns ? entries : entries.map(({ content }) => ({ content }));
}

/** Throws unless the engine finds the only correct result first. */
export async function expectKnown(name: string, opened: OpenEngine, item: KnownItem): Promise<void> {
  expectFirst(name, await opened.search(item.query, LIMIT), item);
}

function expectFirst(name: string, [first]: readonly number[], { query, place }: KnownItem): void {
  if (first !== place) throw new Error(`${name} must find entry ${place} first for "${query}", found ${first}.`);
}
