import type { Area } from '../area.ts';
import { DATA, readDataSet } from '../conversations/data-set.ts';
import { textsOf } from '../conversations/texts.ts';
import { minisearchSameStems } from '../engines/minisearch.ts';
import { oramaSameStopWords } from '../engines/orama.ts';
import { sqlite, sqliteSameStopWords } from '../engines/sqlite.ts';
import { embedAhead } from '../engines/use-lite.ts';
import type { Injector } from './injector.ts';
import { keepsake, keepsakeHybrid } from './keepsake.ts';
import { report, toJson } from './report.ts';
import type { Injected, InjectedResults } from './results.ts';
import { inSameBlock } from './same-block.ts';
import { showAll } from './shown.ts';
import { strands } from './strands.ts';

/** The peers with the highest recall on one of the data sets, for the same-block comparison. */
const PEERS: readonly Injector[] = [
  strands,
  ...[minisearchSameStems, oramaSameStopWords, sqlite, sqliteSameStopWords].map(inSameBlock),
];

/** How much of the evidence reaches the model. */
export const injected: Area = {
  title: 'Injected: what a model sees with a question',
  data: DATA,
  async run({ quick, directory, data: path, say }) {
    const data = readDataSet((path as readonly [string])[0]);
    if (!quick) await embedAhead(textsOf(data.conversations), say);
    const showEach = async (injectors: readonly Injector[]): Promise<Injected[]> => {
      const all: Injected[] = [];
      for (const injector of injectors) {
        say(`injecting by ${injector.name}`);
        all.push({ injector, shown: await showAll(injector, data.conversations, directory) });
      }
      return all;
    };
    const results: InjectedResults = {
      data,
      own: await showEach(quick ? [keepsake] : [keepsake, keepsakeHybrid]),
      peers: await showEach(quick ? [] : PEERS),
    };
    return { text: report(results), json: toJson(results) };
  },
};
