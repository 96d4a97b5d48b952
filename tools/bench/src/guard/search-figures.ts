import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import type { Contender } from '../contest.ts';
import type { Engine, Entry, OpenEngine } from '../engines/engine.ts';
import { keepsakeStoreInBatches } from '../engines/keepsake.ts';
import { keepsakeSqliteFile } from '../engines/keepsake-sqlite.ts';
import { rawPostings } from '../engines/raw-postings.ts';
import { sqliteSameStopWords } from '../engines/sqlite.ts';
import { byProcessorTime } from '../measure.ts';
import { makeTexts, type Texts } from '../search/texts.ts';
import { expectKnown } from '../search/work.ts';
import type { GuardScale } from './guard-scale.ts';
import { compareSpeeds, type Length } from './interleaved.ts';
import type { Measured } from './judge.ts';

const LIMIT = 5;
/** The queries of a lap, and how often it asks them: a lap takes about 10 ms. */
interface Asking {
  readonly queries: number;
  readonly repeats: number;
}

/** Searches stores and adds records to them, in processor time. */
export async function searchFigures(
  { records, added, queries, laps, fills }: GuardScale,
  directory: string,
  say: RunOptions['say'],
): Promise<Measured[]> {
  const texts = makeTexts(records);
  const open = (engine: Engine) =>
    engine.open({ directory: mkdtempSync(join(directory, 'store-')), stopWords: texts.stopWords });
  const searching = async (engine: Engine, asking: Asking) =>
    searchingAll(engine.name, await open(engine), texts, asking);
  const toAdd = makeTexts(added);
  const adding = (engine: Engine) => addingAll(engine.name, () => open(engine), toAdd);
  const figureOf = async (figure: string, keepsake: Contender, other: Contender, length: Length): Promise<Measured> => {
    say(figure);
    return { figure, ratios: await compareSpeeds({ keepsake, other }, length) };
  };
  const fewer = queries / 5;
  return [
    await figureOf(
      'memory, search',
      await searching(keepsakeStoreInBatches, { queries, repeats: 1 }),
      await searching(rawPostings, { queries, repeats: 10 }),
      laps,
    ),
    await figureOf('memory, putMany', adding(keepsakeStoreInBatches), adding(rawPostings), fills),
    await figureOf(
      'SQLite, search',
      await searching(keepsakeSqliteFile, { queries: fewer, repeats: 1 }),
      await searching(sqliteSameStopWords, { queries: fewer, repeats: 5 }),
      laps,
    ),
  ];
}

/** Asks the same queries in each lap. */
async function searchingAll(
  name: string,
  opened: OpenEngine,
  { entries, queries, known }: Texts,
  { queries: count, repeats }: Asking,
): Promise<Contender> {
  await opened.add(textsAlone(entries));
  return {
    name,
    play: () =>
      byProcessorTime(count * repeats, (index) => {
        const found = opened.search(queries[index % count] as string, LIMIT);
        return found instanceof Promise ? found.then(() => {}) : undefined;
      }),
    finish: () => expectAll(name, opened, known),
  };
}

/** Adds the same entries to a new store in each lap. */
function addingAll(name: string, open: () => Promise<OpenEngine>, { entries, known }: Texts): Contender {
  const added = textsAlone(entries);
  let last: OpenEngine | undefined;
  return {
    name,
    async play() {
      const opened = await open();
      last = opened;
      return byProcessorTime(1, () => opened.add(added));
    },
    finish: () => expectAll(name, last as OpenEngine, known),
  };
}

function textsAlone(entries: readonly Entry[]): Entry[] {
  return entries.map(({ content }) => ({ content }));
}

async function expectAll(name: string, opened: OpenEngine, known: Texts['known']): Promise<void> {
  for (const item of known) await expectKnown(name, opened, item);
}
