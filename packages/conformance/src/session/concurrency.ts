import assert from 'node:assert/strict';
import type { DurableSession, JsonObject } from '@keepsake/core';
import { holds, holdsBatches } from './expect.ts';
import { openTogether, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { brief, briefs, say, sayAll } from './items.ts';

/** Writes batches through several writers, each of which awaits one batch before the next. */
export async function writeInTurn(writers: readonly DurableSession[], batches: readonly JsonObject[][]): Promise<void> {
  await Promise.all(
    writers.map(async (writer, turn) => {
      for (let index = turn; index < batches.length; index += writers.length)
        await writer.addItems(batches[index] ?? []);
    }),
  );
}

/** The batches of which at least one item exists. */
export function batchesIn(items: readonly object[], batches: readonly JsonObject[][]): JsonObject[][] {
  const texts = new Set(briefs(items));
  return batches.filter((batch) => briefs(batch).some((text) => texts.has(text)));
}

/** Batches of distinct items. */
export function makeBatches(count: number, size: number): JsonObject[][] {
  return Array.from({ length: count }, (_, index) => sayAll(`batch ${index}, item`, size));
}

const appends: SessionCase[] = [
  {
    title: 'concurrent batches are each stored once, whole and in order',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const batches = makeBatches(50, 5);
      await Promise.all(batches.map((batch, index) => (index % 2 === 0 ? one : other).addItems(batch)));
      holdsBatches(await one.getItems(), batches);
      assert.deepEqual(briefs(await other.getItems()), briefs(await one.getItems()));
    },
  },
  {
    title: 'single items added concurrently through many instances are each stored once',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 40);
      const items = sayAll('item', 40);
      await Promise.all(sessions.map((session, index) => session.addItems([items[index] as JsonObject])));
      assert.deepEqual(briefs(await sessions[0].getItems()).sort(), briefs(items).sort());
    },
  },
  {
    title: 'each of several writers finds its batches in the order that it wrote them',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 4);
      const write = async (session: DurableSession, writer: number) => {
        for (let batch = 0; batch < 10; batch++) await session.addItems(sayAll(`${writer} ${batch}`, 3));
      };
      await Promise.all(sessions.map(write));
      const items = briefs(await sessions[0].getItems());
      for (let writer = 0; writer < 4; writer++) {
        const own = items.filter((text) => text.startsWith(`${writer} `));
        const written = Array.from({ length: 10 }, (_, batch) => briefs(sayAll(`${writer} ${batch}`, 3)));
        assert.deepEqual(own, written.flat());
      }
    },
  },
  {
    title: 'sessions written concurrently do not mix',
    async run(harness) {
      const sessions = Array.from({ length: 8 }, () => harness.open());
      const all = sessions.map((_, index) => makeBatches(6, 3).map((batch) => [say(`session ${index}`), ...batch]));
      await Promise.all(all.flatMap((batches, index) => batches.map((batch) => sessions[index]?.addItems(batch))));
      for (const [index, session] of sessions.entries()) {
        const own = briefs(await session.getItems());
        assert.equal(own.length, 24);
        assert.ok(own.filter((text) => text.startsWith('session')).every((text) => text === `session ${index}`));
      }
    },
  },
];

const reads: SessionCase[] = [
  {
    title: 'large concurrent batches stay whole, up to the promised size, also in reads',
    async run(harness, capabilities) {
      const [reader, ...writers] = await openTogether(harness, capabilities, 4);
      const batches = makeBatches(9, Math.min(50, capabilities.batchItems ?? 50));
      const [writing, seen] = await readWhile(reader, () => writeInTurn(writers, batches));
      await writing;
      holdsBatches(await reader.getItems(), batches);
      for (const items of seen) holdsBatches(items, batchesIn(items, batches));
    },
  },
  {
    title: 'reads during appends see whole batches, and each read is a prefix of the next',
    async run(harness, capabilities) {
      const [reader, ...writers] = await openTogether(harness, capabilities, 5);
      const batches = makeBatches(20, 5);
      const [writing, seen] = await readWhile(reader, () => writeInTurn(writers, batches));
      await writing;
      const final = briefs(await reader.getItems());
      assert.equal(final.length, 100);
      for (const items of seen) {
        holdsBatches(items, batchesIn(items, batches));
        assert.deepEqual(briefs(items), final.slice(0, items.length), 'an item changed its position after it was read');
      }
    },
  },
  whereDurable({
    title: 'reads during a compaction see the old history or the new one',
    async run(harness, capabilities) {
      const [writer, reader] = await openTogether(harness, capabilities, 2);
      const histories = [sayAll('old', 6), sayAll('new', 4), sayAll('newer', 9)];
      await writer.addItems(histories[0] as JsonObject[]);
      const [writing, seen] = await readWhile(reader, async () => {
        for (let time = 0; time < 4; time++) {
          for (const history of histories) await writer.replaceHistoryWithCompaction(history);
        }
      });
      await writing;
      const allowed = histories.map((history) => briefs(history).join());
      for (const text of seen.map((items) => briefs(items).join()))
        assert.ok(allowed.includes(text), `a mixture was seen: ${text}`);
    },
  }),
  whereDurable({
    title: 'reads during the replacement of a suffix see the old end or the new one',
    async run(harness, capabilities) {
      const [writer, reader] = await openTogether(harness, capabilities, 2);
      const ends = [sayAll('old', 3), sayAll('new', 2)] as const;
      await writer.addItems([say('start'), ...ends[0]]);
      const [writing, seen] = await readWhile(reader, async () => {
        for (let time = 0; time < 10; time++) {
          const [expectedSuffix, replacement] = time % 2 === 0 ? ends : [ends[1], ends[0]];
          const transaction = { type: 'replace_suffix' as const, expectedSuffix, replacement };
          await writer.applyHistoryTransaction({ operationId: `operation-${time}`, transaction });
        }
      });
      await writing;
      const allowed = ends.map((end) => briefs([say('start'), ...end]).join());
      for (const text of seen.map((items) => briefs(items).join()))
        assert.ok(allowed.includes(text), `a mixture was seen: ${text}`);
    },
  }),
];

/** Reads again and again while the action runs. */
async function readWhile(
  reader: DurableSession,
  action: () => Promise<unknown>,
): Promise<[Promise<unknown>, JsonObject[][]]> {
  const seen: JsonObject[][] = [];
  let running = true;
  const writing = action().finally(() => {
    running = false;
  });
  // The caller that awaits it reports its failure.
  writing.catch(() => {});
  while (running) {
    seen.push(await reader.getItems());
    // Without this, a store that answers immediately would never let the action run.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [writing, seen];
}

const pops: SessionCase[] = [
  {
    title: 'of many concurrent pops, each returns another item, and none is lost',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 20);
      const items = sayAll('item', 50);
      await sessions[0].addItems(items);
      const popped = await Promise.all(Array.from({ length: 60 }, (_, index) => sessions[index % 20]?.popItem()));
      const poppedBriefs = popped.filter((item) => item !== undefined).map(brief);
      assert.deepEqual(poppedBriefs.sort(), briefs(items).sort());
      await holds(sessions[0], []);
    },
  },
  {
    title: 'pops during appends lose nothing and return nothing twice',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const batches = makeBatches(15, 2);
      const popped: (JsonObject | undefined)[] = [];
      const pop = async () => {
        for (let time = 0; time < 10; time++) popped.push(await other.popItem());
      };
      await Promise.all([...batches.map((batch) => one.addItems(batch)), pop(), pop()]);
      const poppedItems = popped.filter((item) => item !== undefined);
      const left = await one.getItems();
      assert.deepEqual(briefs([...poppedItems, ...left]).sort(), briefs(batches.flat()).sort());
    },
  },
  {
    title: 'clearing during appends leaves only whole batches',
    when: (capabilities) => capabilities.keepsIdOnClear,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const batches = makeBatches(20, 4);
      const adding = batches.map((batch, index) => (index % 2 === 0 ? one : other).addItems(batch));
      await Promise.all([...adding.slice(0, 10), one.clearSession(), ...adding.slice(10), other.clearSession()]);
      const left = await one.getItems();
      holdsBatches(left, batchesIn(left, batches));
    },
  },
];

const firstUses: SessionCase[] = [
  {
    title: '32 instances can use a session for the first time concurrently',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 32);
      const items = sayAll('item', 32);
      await Promise.all(
        sessions.map(async (session, index) => {
          if (index % 4 === 0) await session.getItems();
          if (index % 4 === 1) await session.getSessionId();
          await session.addItems([items[index] as JsonObject]);
        }),
      );
      assert.deepEqual(briefs(await sessions[0].getItems()).sort(), briefs(items).sort());
    },
  },
  {
    title: '32 callers can use a new instance for the first time concurrently',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 32);
      await Promise.all(items.map((item) => session.addItems([item])));
      assert.deepEqual(briefs(await session.getItems()).sort(), briefs(items).sort());
    },
  },
];

export const concurrency: SessionCaseGroup = {
  concern: 'concurrent callers',
  cases: [...appends, ...reads, ...pops, ...firstUses],
};
