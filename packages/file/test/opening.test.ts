import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stepClock, useDirectory } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { namespaceFolder } from '../src/disk/file-names.ts';
import { FileStore } from '../src/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const place = useDirectory();
/** Makes a log of about 1.1 MiB, which is large enough for an index. */
const COUNT = 2_000;
const padding = '-'.repeat(350);

function openStore() {
  return new FileStore({ directory: place.path, name: 'test', durability: 'os' });
}

const folder = () => namespaceFolder(place.path, []);
const indexes = () => readdirSync(folder()).filter((name) => name.startsWith('index-'));
function removeIndexes() {
  for (const name of indexes()) rmSync(join(folder(), name));
}

const template = temporaryDirectory();
afterAll(template.remove);

beforeEach(async () => {
  if (readdirSync(template.path).length > 0) return cpSync(template.path, place.path, { recursive: true });
  const store = openStore();
  for (let from = 0; from < COUNT; from += 500) {
    await store.putMany(
      Array.from({ length: 500 }, (_, n) => ({
        id: `record ${from + n}`,
        content: `number${from + n} apples and pears, and what else there was at the market on that day in spring ${padding}`,
      })),
    );
  }
  await store.close();
  expect(indexes()).not.toEqual([]);
  cpSync(place.path, template.path, { recursive: true });
});

/** How often the event loop turns while something runs. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const turn = () => {
    turns++;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await run();
  isRunning = false;
  return turns;
}

it('the first search without an index lets the event loop turn while it reads the log', async () => {
  removeIndexes();
  const store = openStore();
  stepClock(10);
  const turns = await turnsDuring(async () => {
    expect(await store.search('number1321')).toMatchObject([{ id: 'record 1321' }]);
  });

  expect(turns).toBeGreaterThan(4);
});

describe.each(['with an index', 'without an index'])('the first search of a process, %s', (kind) => {
  beforeEach(() => {
    if (kind === 'without an index') removeIndexes();
  });

  it('can come with other first calls, which see the same and change it', async () => {
    const store = openStore();
    const [found, got, put, deleted, listed] = await Promise.all([
      store.search('number17'),
      store.get('record 1999'),
      store.put({ id: 'new', content: 'A number never seen' }),
      store.delete('record 3'),
      store.list({ limit: 1, order: 'oldest' }),
    ]);

    expect(found).toMatchObject([{ id: 'record 17' }]);
    expect(got?.id).toBe('record 1999');
    expect(put.version).toEqual(putTimes(1));
    expect(deleted).toBe(true);
    expect(listed.items).toMatchObject([{ id: 'record 0' }]);
    for (const one of [store, openStore()]) {
      expect(await one.search('number never seen', { maxSearchResults: 1 })).toMatchObject([{ id: 'new' }]);
      expect(await one.get('record 3')).toBeUndefined();
    }
  });

  it('sees one whole state while others write and compact', async () => {
    const [writer, reader] = [openStore(), openStore()];
    const reading = Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, n * 5));
        return (await reader.search(`number${n * 50}`, { maxSearchResults: 1 })).map(({ id }) => id);
      }),
    );
    for (let n = 0; n < 3; n++) {
      await writer.putMany(
        Array.from({ length: 300 }, (_, at) => ({ id: `more ${n} ${at}`, content: `more${n}x${at}` })),
      );
      await writer.compact?.();
    }

    expect(await reading).toEqual(Array.from({ length: 20 }, (_, n) => [`record ${n * 50}`]));
    expect(await reader.search('more2x299')).toMatchObject([{ id: 'more 2 299' }]);
  });
});

describe('an index that is written in steps', () => {
  it('is whole after puts, deletes and compactions at once with reads, and holds no expired record', async () => {
    const store = openStore();
    await store.putMany(
      Array.from({ length: 300 }, (_, n) => ({ id: `short ${n}`, content: `short${n}`, ttlMs: 200 })),
    );
    const compacting = store.compact?.();
    const reads = await Promise.all(
      Array.from({ length: 30 }, (_, n) => store.search(`number${n * 7}`, { maxSearchResults: 1 })),
    );
    await compacting;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await Promise.all([store.compact?.(), store.delete('record 9'), store.put({ id: 'late', content: 'latecomer' })]);
    await store.close();

    expect(reads.map(([first]) => first?.id)).toEqual(Array.from({ length: 30 }, (_, n) => `record ${n * 7}`));
    const other = openStore();
    expect(await other.search('latecomer')).toMatchObject([{ id: 'late' }]);
    expect(await other.get('record 9')).toBeUndefined();
    expect(await other.search('short7')).toEqual([]);
    expect(await other.search('number1321')).toMatchObject([{ id: 'record 1321' }]);
    let count = 0;
    for (let cursor: string | undefined; ; ) {
      const page = await other.list({ limit: 1_000, cursor });
      count += page.items.length;
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    expect(count).toBe(COUNT);
  });

  it('lets the event loop turn while a log is compacted', async () => {
    const store = openStore();
    await store.search('number1');
    stepClock(10);
    expect(await turnsDuring(async () => store.compact?.())).toBeGreaterThan(4);
  });
});
