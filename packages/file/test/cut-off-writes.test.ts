import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { findLogs, namespaceFolder } from '../src/disk/file-names.ts';
import { FileStore } from '../src/index.ts';

const place = useDirectory();
const openStore = () => new FileStore({ directory: place.path, name: 'test', durability: 'os' });

/** Cuts off the last bytes of the log, as a kill in the middle of a write does. */
function cutOff(bytes: number) {
  const folder = namespaceFolder(place.path, []);
  const log = findLogs(readdirSync(folder)).at(-1);
  const path = join(folder, log?.name ?? 'no log');
  truncateSync(path, statSync(path).size - bytes);
}

// More than is read at once without letting the event loop turn.
const LONG = 'a long text '.repeat(15_000);

describe.each([
  { name: 'in the middle of a long line', batch: [{ id: 'lost', content: LONG }] },
  {
    name: 'between the lines of a large batch',
    batch: [
      { id: 'lost 1', content: LONG },
      { id: 'lost 2', content: LONG },
    ],
  },
])('a write that was cut off $name', ({ batch }) => {
  it('is ignored by reads, and by the writes that follow', async () => {
    const writer = openStore();
    await writer.put({ id: 'kept', content: 'Finlay is allergic to peanuts' });
    await writer.putMany(batch);
    cutOff(LONG.length - 10);

    const store = openStore();
    expect(await store.search('peanuts')).toMatchObject([{ id: 'kept' }]);
    await store.put({ id: 'next', content: 'Finlay likes herons' });
    for (const one of [store, openStore(), writer]) {
      expect((await one.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['kept', 'next']);
    }
  });
});
