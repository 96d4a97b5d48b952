import type { Area, Outcome, RunOptions } from '../area.ts';
import { DATA, readDataSet } from '../conversations/data-set.ts';
import { textsOf } from '../conversations/texts.ts';
import { embedAhead } from '../engines/use-lite.ts';
import { ask } from './ask.ts';
import { dataSetTable, recallOf } from './data-sets.ts';
import { report, toJson } from './report.ts';
import type { RecallResults, SystemRecall } from './results.ts';
import { backends, hybrid, lexical, type Pair, peers, type System } from './systems.ts';

/** How much of the evidence is found. */
export const recall: Area = {
  title: 'Recall: questions about long conversations',
  data: DATA,
  async run({ quick, directory, data: path, say }) {
    const [first, ...others] = path as readonly [string, ...string[]];
    if (others.length > 0) return compareDataSets([first, ...others], directory, quick, say);
    const data = readDataSet(first);
    const askOne = async (system: System): Promise<SystemRecall> => {
      say(`asking ${system.name}`);
      return { system, marked: await ask(system, data.conversations, directory) };
    };
    const results = quick
      ? await askLexical(askOne)
      : await askEveryone(askOne, () => embedAhead(textsOf(data.conversations), say));
    return { text: report({ data, ...results }), json: toJson({ data, ...results }) };
  },
};

async function compareDataSets(
  directories: readonly string[],
  scratch: string,
  quick: boolean,
  say: RunOptions['say'],
): Promise<Outcome> {
  // All of them first: a directory that is none should not fail after minutes.
  const dataSets = new Map(directories.map((directory) => [directory, readDataSet(directory)]));
  const all = await recallOf(
    directories,
    async (system, directory) => {
      say(`asking ${system.name} about ${directory}`);
      return { system, marked: await ask(system, dataSets.get(directory)?.conversations ?? [], scratch) };
    },
    quick ? [] : peers,
  );
  return { text: dataSetTable(all), json: all };
}

type Ask = (system: System) => Promise<SystemRecall>;
type Asked = Omit<RecallResults, 'data'>;

async function askLexical(ask: Ask): Promise<Asked> {
  return { lexical: await askPair(lexical, ask), backends: [], peers: [] };
}

/** @param embed - Embeds all texts. */
async function askEveryone(ask: Ask, embed: () => Promise<void>): Promise<Asked> {
  const own = await askLexical(ask);
  await embed();
  return {
    ...own,
    hybrid: await askPair(hybrid, ask),
    backends: await askEach(backends, ask),
    peers: await askEach(peers, ask),
  };
}

async function askPair([withTurns, withoutTurns]: Pair<System>, ask: Ask): Promise<Pair<SystemRecall>> {
  return [await ask(withTurns), await ask(withoutTurns)];
}

async function askEach(systems: readonly System[], ask: Ask): Promise<SystemRecall[]> {
  const recalls: SystemRecall[] = [];
  for (const system of systems) recalls.push(await ask(system));
  return recalls;
}
