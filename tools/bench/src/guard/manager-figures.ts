import { type Conversation, MemoryManager, type Message } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import type { RunOptions } from '../area.ts';
import type { Contender } from '../contest.ts';
import { prepare, type SearchWork } from '../manager/work.ts';
import { byProcessorTime } from '../measure.ts';
import { type KnownItem, makeTexts } from '../search/texts.ts';
import type { GuardScale } from './guard-scale.ts';
import { compareSpeeds, type Pair } from './interleaved.ts';
import type { Measured } from './judge.ts';

/** The manager's search and injection, in processor time. */
export async function managerFigures(scale: GuardScale, say: RunOptions['say']): Promise<Measured[]> {
  const figures: Measured[] = [];
  for (const [figure, prepared] of [
    ['manager, search', searchPair],
    ['manager, inject', injectPair],
  ] as const) {
    say(figure);
    figures.push({ figure, ratios: await compareSpeeds(await prepared(scale), scale.laps) });
  }
  return figures;
}

/** Over stores that answer immediately, so that only the manager's own cost counts. */
async function searchPair({ queries }: GuardScale): Promise<Pair> {
  return { keepsake: await searching('keepsake', 2 * queries), other: await searching('stores', 20 * queries) };
}

async function searching(by: SearchWork['by'], times: number): Promise<Contender> {
  const stores = [{ afterMs: 0 }, { afterMs: 0 }, { afterMs: 0 }];
  const { round, check } = await prepare({ does: 'search', by, stores, times });
  return { name: by, play: round, finish: check };
}

/** The messages before the question. */
const HISTORY = 50;
/** The number of searches in the time of one injection, at least. */
const SEARCHES = 5;

/** Injects into a conversation. The other only searches the store for the question, once. */
async function injectPair({ records, queries: most }: GuardScale): Promise<Pair> {
  const { entries, queries, known } = makeTexts(records);
  const [item] = known as [KnownItem];
  const asked = queries.slice(0, most / SEARCHES);
  const store = new InMemoryStore({ name: 'bench' });
  await store.putMany(entries.map(({ content }) => ({ content })));
  const manager = new MemoryManager({ stores: [store] });
  const before = entries
    .slice(0, HISTORY)
    .map(({ content }, place): Message => ({ role: place % 2 === 0 ? 'user' : 'assistant', content }));
  const inject = async (chat: Conversation, question: string) =>
    (await chat.inject([...before, { role: 'user', content: question }])).at(-1)?.content;
  const search = (question: string) => store.search(question, { maxSearchResults: 5 });
  return {
    keepsake: {
      name: 'inject',
      play() {
        // A conversation does not get the same entries again.
        const chat = manager.conversation();
        return byProcessorTime(asked.length, (index) => inject(chat, asked[index] as string).then(() => {}));
      },
      async finish() {
        const content = String(await inject(manager.conversation(), item.query));
        if (!content.includes('<entry ')) throw new Error(`Nothing was injected for "${item.query}".`);
      },
    },
    other: {
      name: 'search',
      play: () => byProcessorTime(most, (index) => search(asked[index % asked.length] as string).then(() => {})),
      async finish() {
        const found = await search(item.query);
        if (found.length === 0) throw new Error(`Nothing was found for "${item.query}".`);
      },
    },
  };
}
