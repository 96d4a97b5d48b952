import { LIMITS } from '@keepsake/core/adapter';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { quiet, watchCalls } from '../children/watch-calls.ts';
import { rawScan } from '../folder.ts';
import { places } from './places.ts';

const { place } = places();

let changes: string[] = [];
watchCalls((call) => {
  if (call.changes) changes.push(call.name);
  return undefined;
});
// Imported after the calls are watched.
const { FileSession, FileStore } = await import('../../src/index.ts');

const MEBIBYTE = 1024 * 1024;
const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Fails unless a call is refused as too large before it changes any file. */
async function expectTooLarge(directory: string, use: () => Promise<unknown>): Promise<void> {
  await quiet();
  const before = rawScan(directory);
  changes = [];
  await expect(use()).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await quiet();
  expect(changes).toEqual([]);
  expect(rawScan(directory)).toBe(before);
}

it('large items and batches of a session are read back, or refused before anything is written', async (context) => {
  const directory = place();
  const open = () => new FileSession<{ text: string }>({ directory, sessionId: 'chat' });
  const session = open();
  const large = { text: 'é\n'.repeat((10 * MEBIBYTE) / 4) };
  expect(Buffer.byteLength(JSON.stringify(large))).toBeGreaterThan(10 * MEBIBYTE);
  await session.addItems([{ text: 'before' }, large]);
  // Compared with ===, because a diff in the report would be just as long.
  for (const one of [session, open()]) {
    const items = await one.getItems();
    expect(items.length).toBe(2);
    expect(items[1]?.text === large.text).toBe(true);
    expect((await one.getItems(1))[0]?.text === large.text).toBe(true);
  }
  expect((await open().popItem())?.text === large.text).toBe(true);

  const many = range(10_000).map((n) => ({ text: `item ${n} 💡` }));
  await session.addItems(many);
  for (const one of [session, open()]) {
    expect(JSON.stringify(await one.getItems())).toBe(JSON.stringify([{ text: 'before' }, ...many]));
  }

  const most = LIMITS.itemBytes - '{"text":""}'.length;
  let refused = 0;
  for (const items of [
    [{ text: 'x'.repeat(most + 1) }],
    [{ text: 'first' }, { text: 'é'.repeat(most / 2 + 1) }, { text: 'last' }],
  ]) {
    const operation = { operationId: 'one', transaction: { type: 'append_items' as const, items } };
    for (const one of [session, open()]) {
      for (const use of [
        () => one.addItems(items),
        () => one.applyHistoryTransaction(operation),
        () => one.replaceHistoryWithCompaction(items),
      ]) {
        await expectTooLarge(directory, use);
        refused++;
      }
    }
  }
  const empty = place();
  await expectTooLarge(empty, () => new FileSession({ directory: empty }).addItems([{ text: 'x'.repeat(most + 1) }]));
  expect(await open().getItems()).toHaveLength(10_001);
  show(
    context,
    16,
    `sessions: an item of 10 MiB and a batch of ${count(many.length)} items are read back; ${refused + 1} times over 16 MiB: TOO_LARGE, with 0 calls that change a file`,
  );
});

it('large records and batches of a store are read back, or refused before anything is written', async (context) => {
  const directory = place();
  const open = () => new FileStore({ directory, name: 'memory' });
  const store = open();
  const content = `heron ${'é\n'.repeat((LIMITS.contentBytes - 6) / 3)}`;
  expect(Buffer.byteLength(content)).toBeGreaterThan(LIMITS.contentBytes - 3);
  await store.put({ id: 'large', content, index: false });
  for (const one of [store, open()]) expect((await one.get('large'))?.content === content).toBe(true);

  const many = range(10_000).map((n) => ({ id: `record ${n}`, content: `heron ${n}` }));
  expect(await store.putMany(many)).toHaveLength(10_000);
  for (const one of [store, open()]) {
    const last = await one.list({ limit: 1000 });
    expect(last.items.map(({ id }) => id)).toEqual(
      many
        .slice(-1000)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(await one.search('heron', { maxSearchResults: 20_000 })).toHaveLength(10_000);
  }

  const tooLong = 'é'.repeat(LIMITS.contentBytes / 2 + 1);
  const metadata = { text: 'x'.repeat(LIMITS.metadataBytes) };
  let refused = 0;
  for (const one of [store, open()]) {
    for (const use of [
      () => one.put({ content: tooLong }),
      () => one.add(tooLong),
      () => one.putMany([{ content: 'heron' }, { content: tooLong }]),
      () => one.put({ content: 'heron', metadata }),
      () => one.add('heron', metadata),
      () => one.within(['new']).put({ content: tooLong }),
    ]) {
      await expectTooLarge(directory, use);
      refused++;
    }
  }
  expect((await open().namespaces()).items).toEqual([]);
  show(
    context,
    16,
    `stores: a record of 1 MiB and a batch of ${count(many.length)} records are read back; ${refused} times over 1 MiB of content or 64 KiB of metadata: TOO_LARGE, with 0 calls that change a file`,
  );
});
