import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeIndexedFields } from '@keepsake/conformance';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { namespaceFolder } from '../src/disk/file-names.ts';
import { FileStore } from '../src/index.ts';
import { bytesReadBy } from './bytes-read.ts';
import { temporaryDirectory } from './temporary-directory.ts';

describeIndexedFields({
  describe,
  it,
  name: 'FileStore',
  capabilities: new FileStore({ directory: 'nowhere', name: 'memory' }).capabilities,
  harness() {
    const { path, remove } = temporaryDirectory();
    return { open: (options = {}) => new FileStore({ directory: path, name: 'memory', ...options }), close: remove };
  },
});

/** Makes a log of about 1.4 MiB, which is large enough for an index. In a content, it would be analysed. */
const padding = '-'.repeat(780);
const COUNT = 1_500;

describe('The index of fields of a FileStore', () => {
  const place = useDirectory();
  const open = (indexed?: readonly string[]) =>
    new FileStore({ directory: place.path, name: 'memory', durability: 'os', indexed });
  const indexes = () => readdirSync(namespaceFolder(place.path, [])).filter((name) => name.startsWith('index-'));

  async function filled(indexed?: readonly string[]): Promise<void> {
    const store = open(indexed);
    await store.putMany(
      Array.from({ length: COUNT }, (_, n) => ({
        id: `r${n}`,
        content: 'heron',
        metadata: { half: n % 2, rare: n % 500, padding },
        source: { run: `${n % 3}` },
      })),
    );
    await store.close();
  }

  const ids = async (store: FileStore) =>
    (await store.list({ filter: { half: 1, rare: 7, 'source.run': '0' } })).items.map(({ id }) => id);

  it('is saved with the index of the log: a process that opens it reads little of the log', async () => {
    await filled(['half', 'rare']);
    expect(indexes()).toHaveLength(1);
    const saved = statSync(join(namespaceFolder(place.path, []), `${indexes()[0]}`)).size;
    const store = open(['half', 'rare']);
    await store.get('r0');
    const read = await bytesReadBy(async () => expect(await ids(store)).toEqual(['r507']));
    expect(read).toBeLessThan(20_000);
    const whole = await bytesReadBy(async () => expect(await ids(open(['rare', 'half']))).toEqual(['r507']));
    expect(whole).toBeLessThan(saved + 100_000);
    const search = { filter: { rare: 7 }, maxSearchResults: 10 };
    const found = (await open(['rare', 'half']).search('heron', search)).map(({ id }) => id);
    expect(found.sort()).toEqual(['r1007', 'r507', 'r7']);
  });

  it('is saved for each list of fields: stores with other fields, or without, find the same', async () => {
    await filled(['rare']);
    for (const indexed of [undefined, ['half'], ['rare'], ['rare', 'source.run'], ['source.run', 'rare']]) {
      const store = open(indexed);
      expect(await ids(store)).toEqual(['r507']);
      await store.close();
    }
    expect(indexes()).toHaveLength(4);
  });

  it('follows changes of other processes, and what expires', async () => {
    await filled(['rare']);
    const [store, other] = [open(['rare']), open()];
    expect(await ids(store)).toEqual(['r507']);
    await other.put({ id: 'r507', content: 'heron', metadata: { half: 1, rare: 8 }, source: { run: '0' } });
    await other.put({ id: 'r9', content: 'heron', metadata: { half: 1, rare: 7 }, source: { run: '0' } });
    await other.put({ id: 'brief', content: 'heron', metadata: { half: 1, rare: 7 }, source: { run: '0' }, ttlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await ids(store)).toEqual(['r9']);
    expect(await ids(open(['rare']))).toEqual(['r9']);
    await store.compact?.();
    expect(await ids(store)).toEqual(['r9']);
    expect(await ids(open(['rare']))).toEqual(['r9']);
    await other.clear();
    expect(await ids(store)).toEqual([]);
  });
});
