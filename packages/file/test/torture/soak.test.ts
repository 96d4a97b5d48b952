import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InvocationTrigger, MemoryManager, type MemoryModel, type MemoryStore, messageText } from '@keepsake/core';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { FileStore } from '../../src/index.ts';
import { inLanes, places } from './places.ts';

const CONVERSATIONS = 10_000;
/** The share of the calls that fail, and of the messages that the model always refuses. */
const FAILING = 0.05;
const REFUSED = 0.01;
const MAX_GROWTH = 8 * 1024 * 1024;
/** The memory is measured after this many conversations. */
const STEP = 250;
const { place } = places();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The memory in use, without what can be collected. */
async function heapUsed(): Promise<number> {
  // Finalizers run between collections.
  for (let time = 0; time < 3; time++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve));
  }
  return process.memoryUsage().heapUsed;
}

it('thousands of conversations with a failing store and a failing model are learned or become dead letters', {
  tags: 'nightly',
}, async (context) => {
  const random = randomOf('soak');
  const refused = new Set(Array.from({ length: CONVERSATIONS }, (_, id) => id).filter(() => random() < REFUSED));
  const learned = new Uint8Array(CONVERSATIONS);
  let failures = 0;
  const fails = (what: string) => {
    if (random() >= FAILING) return;
    failures++;
    throw new Error(`The ${what} failed.`);
  };

  const model: MemoryModel = {
    async generate({ prompt }) {
      const ids = [...prompt.matchAll(/>My number is (\d+)</g)].map(([, id]) => Number(id));
      fails('model');
      if (ids.some((id) => refused.has(id))) throw new Error('The request was filtered.');
      const changes = ids.map((id) => ({ action: 'add', id: null, content: `The number of the user is ${id}` }));
      return { text: JSON.stringify({ changes }) };
    },
  };
  const facts: MemoryStore = {
    name: 'facts',
    writable: true,
    extraction: { trigger: new InvocationTrigger() },
    search: async () => [],
    async add(content) {
      fails('store');
      learned[Number(/\d+$/.exec(content)?.[0])] = 1;
      // The answer can be lost as well.
      fails('store');
    },
  };
  const outbox = new FileStore({ directory: place(), name: 'outbox' });
  let reports = 0;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const memory = new MemoryManager({
    stores: [facts],
    model,
    outbox,
    // However busy the machine is.
    search: { deadlineMs: 60_000 },
    telemetry: { logger, onStoreError: () => void reports++ },
  });

  let flushes = 0;
  /** Flushes until everything is saved or given up. */
  const saveAll = async () => {
    for (let failed = 1; failed > 0; flushes++) {
      failed = (await memory.flush()).facts?.failed ?? 0;
      expect(flushes).toBeLessThan(500);
    }
  };
  const heaps: number[] = [];
  await inLanes(20, CONVERSATIONS, async (id) => {
    const chat = memory.conversation({ id: `chat ${id}` });
    chat.observe({ role: 'user', content: `My number is ${id}` }, { role: 'assistant', content: 'Noted.' });
    await chat.endTurn();
    if (id % STEP !== STEP - 1) return;
    await saveAll();
    heaps.push(await heapUsed());
  });
  await saveAll();
  heaps.push(await heapUsed());
  // A manager keeps what it has shown and learned in the latest 1,000 conversations.
  const steady = heaps[Math.ceil(heaps.length / 3)] as number;
  // What stays at the end: calls in progress take memory for a while, and more of it on a busy machine.
  const growth = (heaps.at(-1) as number) - steady;

  const letters = new Set<number>();
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await memory.deadLetters({ limit: 1_000, cursor });
    for (const { message } of page.items) letters.add(Number(/\d+$/.exec(messageText(message))?.[0]));
    cursor = page.cursor;
  }
  const lost = [...learned.keys()].filter((id) => learned[id] === 0 && !letters.has(id));
  expect(lost).toEqual([]);
  // Only what is refused each time, with a rare run of bad luck.
  expect([...refused].filter((id) => !letters.has(id))).toEqual([]);
  expect(letters.size - refused.size).toBeLessThan(3 + CONVERSATIONS / 1_000);
  expect((await outbox.within(['keepsake-outbox']).list()).items).toEqual([]);
  expect(failures).toBeGreaterThan(CONVERSATIONS * FAILING);
  expect(growth).toBeLessThan(MAX_GROWTH);
  await memory.flush();
  await outbox.close();
  const mebibytes = (growth / 1024 / 1024).toFixed(1);
  show(
    context,
    38,
    `${count(CONVERSATIONS)} conversations, ${count(failures)} failures, 0 lost, ${letters.size} dead letters of ${refused.size} refused messages, heap grew by ${mebibytes} MiB`,
  );
});
