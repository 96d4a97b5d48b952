import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/*
 * Data that released versions wrote, and what must be read from it. It is written once and never changed. It contains
 * torn, void and damaged lines, operations, tombstones and vectors.
 */

/* The first was written before batches had trails; the second continues it with trails. */
const VERSIONS = ['version-1', 'version-1-trails'];
const NAMESPACE = ['agent', 'u:Älice'];

describe.each(VERSIONS)('the data of %s', (version) => {
  const golden = join(import.meta.dirname, 'golden', version);
  const expected = JSON.parse(readFileSync(`${golden}.json`, 'utf8'));
  const { path: directory, remove } = temporaryDirectory();
  const copy = () => cpSync(golden, directory, { recursive: true });
  afterEach(remove);

  it('is read unchanged, and can be continued', async () => {
    copy();
    const damage: object[] = [];
    const onCorrupt = ({ from, to }: { from: number; to: number }) => damage.push({ from, to });
    expect((await new FileSessionStore({ directory, onCorrupt }).list()).items).toEqual(expected.sessions);
    expect(damage).toEqual(expected.damage);

    for (const [sessionId, items] of Object.entries<object[]>(expected.items)) {
      const session = () => new FileSession({ directory, sessionId, onCorrupt() {} });
      expect(await session().getItems()).toEqual(items);
      await session().addItems([{ next: true }]);
      expect(await session().getItems()).toEqual([...items, { next: true }]);
    }
    const known = new FileSession({ directory, sessionId: 'compacted' });
    const transaction = { type: 'append_items' as const, items: [{ n: 1 }, { n: 2 }] };
    await known.applyHistoryTransaction({ operationId: 'operation 3', transaction });
    expect(await known.getItems()).toHaveLength(expected.items.compacted.length + 1);

    const store = new FileStore({ directory, name: 'memory', namespace: NAMESPACE, embedder: fakeEmbedder });
    expect((await store.list({ order: 'oldest' })).items).toEqual(expected.records);
    expect((await store.search('heron river')).map(({ id }) => id)).toEqual(expected.found);
    expect(await store.put({ id: 'one', content: 'A heron.' })).toMatchObject({ version: 3 });
    const root = new FileStore({ directory, name: 'memory' });
    expect((await root.list()).items).toEqual(expected.root);
    expect((await root.namespaces()).items).toEqual([{ namespace: NAMESPACE, recordCount: expected.records.length }]);
  });
});
