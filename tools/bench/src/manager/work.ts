import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { IntervalTrigger, MemoryManager, type MemoryStore, type Message } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import type { Lap } from '../contest.ts';
import { byClock, byProcessorTime } from '../measure.ts';
import { importPeer } from '../peers.ts';
import { median } from '../statistics.ts';
import { history, turn } from './messages.ts';
import { type Searched, type TimedStore, timedStore } from './stores.ts';

/** What a process does in a contest, one round at a time. */
export type Work = SearchWork | InjectWork | TurnWork;

/** Searches some stores. */
export interface SearchWork {
  readonly does: 'search';
  readonly by: 'stores' | 'keepsake' | 'strands';
  readonly stores: readonly Searched[];
  readonly times: number;
}

/** Injects memories or only searches the stores; a lap is the time minus the slowest store's own time. */
export interface InjectWork {
  readonly does: 'inject';
  readonly by: 'stores' | 'keepsake';
  readonly stores: readonly Searched[];
  readonly times: number;
}

/** Observes and ends turns. Saving in the background is not timed. */
export interface TurnWork {
  readonly does: 'turns';
  /** The number of turns between extractions. */
  readonly every: number;
  /** The number of messages that are always pending because the store hangs; 0 if it saves them immediately. */
  readonly waiting: number;
  /** The number of entries that were recalled in the conversation. */
  readonly recalled: number;
  /** The directory of an outbox whose acknowledgement is awaited. */
  readonly outbox?: string;
  readonly times: number;
}

export interface Worker {
  round(): Promise<Lap>;
  /** Throws if the work was not done. */
  check(): Promise<void>;
}

/** Prepares the work. */
export function prepare(work: Work): Promise<Worker> {
  if (work.does === 'search') return prepareSearch(work);
  return work.does === 'inject' ? prepareInject(work) : prepareTurns(work);
}

const QUERY = 'What about the harbour, and the old green boat?';
const HISTORY = 50;

async function prepareSearch({ by, stores: searched, times }: SearchWork): Promise<Worker> {
  const stores = await timedStores(searched);
  const search = await searcher(by, stores);
  return {
    round: () => byProcessorTime(times, () => search().then(() => {})),
    async check() {
      const found = await search();
      if (found.length < 3) throw new Error(`${by} found ${found.length} entries.`);
    },
  };
}

async function searcher(by: SearchWork['by'], stores: readonly TimedStore[]): Promise<() => Promise<unknown[]>> {
  if (by === 'stores') {
    return async () => (await Promise.all(stores.map((store) => store.search(QUERY, { maxSearchResults: 3 })))).flat();
  }
  const manager = by === 'keepsake' ? new MemoryManager({ stores }) : await strandsManager(stores);
  return () => manager.search(QUERY);
}

interface Strands {
  readonly MemoryManager: new (options: object) => { search(query: string): Promise<unknown[]> };
}

/** Keepsake's stores fit the Strands SDK unchanged. */
async function strandsManager(stores: readonly TimedStore[]) {
  const { MemoryManager }: Strands = await importPeer('@strands-agents/sdk');
  return new MemoryManager({ stores });
}

async function prepareInject({ by, stores: searched, times }: InjectWork): Promise<Worker> {
  const stores = await timedStores(searched);
  const chat = new MemoryManager({ stores }).conversation();
  const work = {
    stores: () => Promise.all(stores.map((store) => store.search(QUERY, { maxSearchResults: 5 }))),
    keepsake: (messages: readonly Message[]) => chat.inject(messages),
  };
  const before = history(0, HISTORY);
  let asked = 0;
  const once = async () => {
    // Always different, because a conversation does not repeat the same search.
    const messages = before.with(-1, history(asked++, 0)[0] as Message);
    const start = performance.now();
    await work[by](messages);
    const ms = performance.now() - start;
    return ms - Math.max(...stores.map(({ ownMs }) => ownMs()));
  };
  return {
    async round() {
      const added: number[] = [];
      const { ms } = await byClock(times, async () => void added.push(await once()));
      return { us: median(added) * 1_000, ms };
    },
    async check() {
      const [message] = await chat.inject(history(asked, 0));
      if (!String(message?.content).includes('<entry ')) throw new Error('Nothing was injected.');
    },
  };
}

async function prepareTurns({ every, waiting, recalled, outbox, times }: TurnWork): Promise<Worker> {
  let saved = 0;
  const store: MemoryStore = {
    name: 'bench',
    writable: true,
    extraction: { trigger: new IntervalTrigger({ turns: every }) },
    search: async () => reminders(recalled),
    addMessages: (messages) => {
      saved += messages.length;
      return waiting > 0 ? new Promise(() => {}) : Promise.resolve();
    },
  };
  const memory = new MemoryManager({
    stores: [store],
    telemetry: { logger: { debug() {}, info() {}, warn() {}, error() {} } },
    injection: { maxEntries: Math.max(1, recalled), maxTokens: 1_000_000 },
    ...(waiting > 0 && { extraction: { maxBuffered: waiting } }),
    ...(outbox !== undefined && { outbox: outboxIn(outbox) }),
  });
  const chat = memory.conversation();
  if (recalled > 0) await chat.inject(history(0, 2));
  let number = 0;
  const one = () => {
    chat.observe(...turn(number++));
    return chat.endTurn();
  };
  while (number * 2 < waiting) one();
  return {
    async round() {
      // Created beforehand, because a user's program has its messages already.
      const turns = Array.from({ length: times }, (_, index) => turn(number + index));
      number += times;
      const observe = (index: number) => {
        chat.observe(...(turns[index] as ReturnType<typeof turn>));
        return chat.endTurn();
      };
      const lap = await (outbox === undefined
        ? byProcessorTime(times, (index) => void observe(index))
        : byClock(times, observe));
      if (waiting === 0) await memory.flush();
      return lap;
    },
    async check() {
      if (saved === 0) throw new Error('Nothing was saved.');
    },
  };
}

function outboxIn(directory: string): FileStore {
  return new FileStore({ directory: mkdtempSync(join(directory, 'outbox-')), name: 'outbox' });
}

function reminders(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    content: `Boat ${index} lies in the harbour, painted green.`,
  }));
}

function timedStores(searched: readonly Searched[]): Promise<TimedStore[]> {
  return Promise.all(searched.map((one, index) => timedStore(one, `store ${index}`)));
}
