import type { Conversation, Question } from '../conversations/conversation.ts';
import { readDataSet } from '../conversations/data-set.ts';
import type { Entry, OpenEngine } from '../engines/engine.ts';
import { keepsakeStore } from '../engines/keepsake.ts';
import { LIMIT, type Marked, marksOf } from '../recall/measures.ts';
import { meanOf } from '../recall/results.ts';
import { type Chosen, TUNED, useValues } from './tuned.ts';

/** How many questions of a data set are asked at most, and to choose weights. */
export interface Size {
  readonly asked: number;
  readonly toChoose: number;
}

/** Questions of a data set, on open stores, to be asked again and again with other weights. */
export interface Sample {
  readonly withTurns: boolean;
  /** The results with some weights. */
  marked(chosen: Chosen): Promise<Marked[]>;
  /** The mean of recall at 10 and MRR over fewer questions. */
  worthOf(chosen: Chosen): Promise<number>;
}

/** The samples of a directory: with turns, if its entries have any, and without. */
export function samplesOf(directory: string, size: Size): Sample[] {
  const { conversations } = readDataSet(directory);
  const hasTurns = conversations.some(({ entries }) => entries.some(({ turn }) => turn !== undefined));
  const samples: Sample[] = [];
  for (const withTurns of hasTurns ? [true, false] : [false]) {
    const asking: Asking[] = [];
    for (const conversation of conversations) asking.push(...questionsOf(conversation, withTurns));
    const asked = spread(asking, size.asked);
    samples.push(sampleOf(asked, spread(asked, size.toChoose), withTurns));
  }
  return samples;
}

type Asking = () => Promise<Marked>;

/** A sample of the items, evenly spread. */
function spread<T>(all: readonly T[], atMost: number): T[] {
  const step = Math.ceil(all.length / atMost);
  return all.filter((_, place) => place % step === 0);
}

/** All questions of a conversation. Opens the store of one when it is first asked. */
function questionsOf({ name, entries, questions }: Conversation, withTurns: boolean): Asking[] {
  const given = withTurns ? entries : entries.map(({ turn: _, ...entry }) => entry);
  const stores = new Map<number, Promise<OpenEngine>>();
  const ask = async ({ text, category, evidence, before = entries.length }: Question): Promise<Marked> => {
    let store = stores.get(before);
    if (store === undefined) {
      store = storeOf(given.slice(0, before));
      stores.set(before, store);
    }
    return { conversation: name, category, marks: marksOf(await (await store).search(text, LIMIT), evidence) };
  };
  return questions.map((question) => () => ask(question));
}

async function storeOf(entries: readonly Entry[]): Promise<OpenEngine> {
  // A store in memory needs neither.
  const store = await keepsakeStore.open({ directory: '', stopWords: new Set() });
  await store.add(entries);
  return store;
}

function sampleOf(asked: readonly Asking[], toChoose: readonly Asking[], withTurns: boolean): Sample {
  const relevant = TUNED.filter(({ ofTurns }) => withTurns || ofTurns === undefined);
  const known = new Map<string, number>();
  return {
    withTurns,
    marked: (chosen) => askAll(asked, chosen),
    async worthOf(chosen) {
      const key = relevant.map(({ name }) => chosen[name]).join();
      let worth = known.get(key);
      if (worth === undefined) {
        const marked = await askAll(toChoose, chosen);
        worth = (meanOf(marked, 'R@10') + meanOf(marked, 'MRR')) / 2;
        known.set(key, worth);
      }
      return worth;
    },
  };
}

async function askAll(asked: readonly Asking[], chosen: Chosen): Promise<Marked[]> {
  useValues(chosen);
  const marked: Marked[] = [];
  for (const ask of asked) marked.push(await ask());
  return marked;
}
