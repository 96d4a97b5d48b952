import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, OpenEngine } from '../engines/engine.ts';
import { heldBytes } from '../held-bytes.ts';
import { contenderNamed, type TextContender } from './contenders.ts';
import { Searcher } from './searcher.ts';
import { type KnownItem, makeTexts, type TextLength, type Texts } from './texts.ts';

/** What a process searches. */
export interface SearchWork {
  readonly contender: string;
  readonly entries: number;
  readonly length: TextLength;
  /** Empty, or where the same contender saved what it had. */
  readonly directory: string;
  /** How many searches make a round. */
  readonly aRound: number;
}

/** What it costs to have all entries. */
export interface BuildFacts {
  readonly addsPerSecond: number;
  /** Bytes an entry, beside its text: of memory, or of files where it keeps everything there. */
  readonly bytesAnEntry: number;
  readonly inFiles: boolean;
}

const LIMIT = 5;
/** As many are added first, to another of its kind: code is slow until it has run for a while. */
const WARM_UP = 3_000;

/** Gets ready to search. */
export async function prepareSearches({ directory, aRound, ...work }: SearchWork): Promise<Searcher> {
  const { contender: name, entries, length } = work;
  const contender = contenderNamed(name);
  const { queries, known, ...texts } = makeTexts(entries, length);
  const opened = await contender.engine.open({ directory, stopWords: texts.stopWords });
  await opened.add(entriesFor(contender, texts));
  return new Searcher(
    {
      queries: queries.length,
      search: (query) => opened.search(queries[query] as string, LIMIT),
      async check() {
        for (const item of known) await expectKnown(name, opened, item);
      },
    },
    aRound,
  );
}

/** Adds everything, looks at what that takes, and saves it. */
export async function build({ contender: name, entries, length, directory }: SearchWork): Promise<BuildFacts> {
  const contender = contenderNamed(name);
  const texts = makeTexts(entries, length);
  const added = entriesFor(contender, texts);
  const { stopWords } = texts;
  const warmUp = join(directory, 'warm-up');
  const kept = join(directory, 'kept');
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
    bytesAnEntry: (written ?? held) / entries,
    inFiles: written !== undefined,
  };
}

/** Opens what was saved and searches it once; says how long that took, in microseconds. */
export async function reopen({ contender: name, entries, length, directory }: SearchWork): Promise<number> {
  const { engine } = contenderNamed(name);
  const { known, stopWords } = makeTexts(entries, length);
  const warmUp = join(directory, `warm-up-${process.pid}`);
  mkdirSync(warmUp);
  // Loads what the engine needs.
  await engine.open({ directory: warmUp, stopWords });

  const start = performance.now();
  const opened = await engine.reopen?.({ directory: join(directory, 'kept'), stopWords });
  if (opened === undefined) throw new Error(`${name} keeps nothing.`);
  const [item] = known as [KnownItem];
  const found = await opened.search(item.query, LIMIT);
  const us = (performance.now() - start) * 1_000;
  expectFirst(name, found, item);
  return us;
}

function entriesFor({ withTurns }: TextContender, { entries }: Pick<Texts, 'entries'>): readonly Entry[] {
  return withTurns ? entries : entries.map(({ content }) => ({ content }));
}

async function expectKnown(name: string, opened: OpenEngine, item: KnownItem): Promise<void> {
  expectFirst(name, await opened.search(item.query, LIMIT), item);
}

function expectFirst(name: string, [first]: readonly number[], { query, place }: KnownItem): void {
  if (first !== place) throw new Error(`${name} must find entry ${place} first for "${query}", found ${first}.`);
}
