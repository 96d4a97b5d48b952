import fs, { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { RecordInput } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds, step } from '@keepsake/testing/share';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { namespaceFolder } from '../src/disk/file-names.ts';
import { type CorruptionReport, checkDirectory, FileStore, type FileStoreOptions } from '../src/index.ts';
import { bytesReadBy } from './bytes-read.ts';
import { logIn } from './damage.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

const COUNT = 300;
/** Makes a log of about 1.2 MiB, which is large enough for an index. In a content, it would be analysed. */
const padding = '-'.repeat(3_700);
const records = Array.from({ length: COUNT }, (_, n) => ({
  id: `r${n}`,
  content: `heron number${n} ${n % 2 === 0 ? 'even' : 'odd'}`,
  metadata: { n, padding },
}));

/** Makes an index of about 1.2 MiB, which is too large to be read at once. */
const MANY = 5_200;
const long = 'andsoon'.repeat(7);
const many = Array.from({ length: MANY }, (_, n) => ({
  id: `r${n}`,
  content: `heron number${n} ${n % 2 === 0 ? 'even' : 'odd'} ${n}nest${long} of ${n}river${long}`,
  metadata: { n },
}));

let places = 0;
const reports: CorruptionReport[] = [];
const onCorrupt = (report: CorruptionReport) => reports.push(report);

type Options = Pick<FileStoreOptions, 'embedder' | 'language'>;

function open(directory: string, options: Options = {}): FileStore {
  return new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt, ...options });
}

async function filledWith(inputs: readonly RecordInput[], options: Options = {}): Promise<string> {
  reports.length = 0;
  const directory = join(root, String(places++));
  const store = open(directory, options);
  await store.putMany(inputs);
  await store.close();
  return directory;
}

/** Makes copies of a directory that is filled once. */
function copiesOf(inputs: readonly RecordInput[]): () => Promise<string> {
  let original: Promise<string> | undefined;
  return async () => {
    original ??= filledWith(inputs);
    reports.length = 0;
    const directory = join(root, String(places++));
    cpSync(await original, directory, { recursive: true });
    return directory;
  };
}

const filled = copiesOf(records);
/** A directory with an index that is read on demand. */
const large = copiesOf(many);

const folderOf = (directory: string) => namespaceFolder(directory, []);
const indexesIn = (directory: string) => readdirSync(folderOf(directory)).filter((name) => name.startsWith('index-'));
const indexOf = (directory: string) => join(folderOf(directory), String(indexesIn(directory)[0]));

/** Everything that a store returns, including searches that find one, many and no records. */
async function resultsOf(store: FileStore): Promise<unknown> {
  const queries = ['number7', 'even heron', 'odd', 'number299 number3', 'nothing of the kind'];
  const found = await Promise.all(queries.map((query) => store.search(query, { maxSearchResults: 20 })));
  const filtered = await store.search('heron', { filter: { n: { gte: 290 } }, maxSearchResults: 20 });
  const pages = [await store.list({ limit: 5 }), await store.list({ limit: 5, order: 'oldest' })];
  return { found, filtered, pages, got: await store.get('r140') };
}

describe('an index', () => {
  it('returns the same as a full read', async () => {
    const directory = await filled();
    expect(indexesIn(directory)).toHaveLength(1);
    expect(statSync(indexOf(directory)).size).toBeLessThan(statSync(logIn(folderOf(directory))).size / 2);
    const withIndex = await resultsOf(open(directory));
    rmSync(indexOf(directory));
    expect(await resultsOf(open(directory))).toEqual(withIndex);
  });

  it('replaces reading the log, and is itself read only where it is needed', async () => {
    const directory = await large();
    const index = statSync(indexOf(directory)).size;
    const read = await bytesReadBy(() => open(directory).search('number7'));
    // The page of 16 KiB that a few bytes are on, and 20 bytes for each record.
    expect(read).toBeLessThan(20 * MANY + 16 * 16 * 1024);
    expect(read).toBeLessThan(index / 4);
  });

  it('is followed by later changes: records that were put, replaced, deleted or have expired', async () => {
    const directory = await filled();
    const written = readFileSync(indexOf(directory));
    const store = open(directory);
    const ifVersion = (await store.get('r3'))?.version;
    await store.put({ id: 'r3', content: 'A bittern now.' }, { ifVersion });
    await store.delete('r5');
    await store.put({ id: 'new', content: 'bittern number two' });
    await store.put({ id: 'brief', content: 'bittern that flies off', ttlMs: 40 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(readFileSync(indexOf(directory))).toEqual(written);
    const again = open(directory);
    expect((await again.search('bittern')).map(({ id }) => id).sort()).toEqual(['new', 'r3']);
    expect(await again.get('r5')).toBeUndefined();
    expect(await again.search('number5')).toEqual([]);
    expect(await again.put({ id: 'r3', content: 'A bittern still.' })).toMatchObject({ version: putTimes(3) });
    const { items } = await again.list({ limit: 2 });
    expect(items.map(({ id }) => id)).toEqual(['new', `r${COUNT - 1}`]);
  });

  it('is ignored if it is damaged anywhere, truncated or nonsense', async () => {
    const directory = await filled();
    const index = readFileSync(indexOf(directory));
    const expected = await open(directory).search('number7 number8');
    const mangled = [Buffer.alloc(0), Buffer.from('{}\n'), index.subarray(0, index.length - 1), index.subarray(5)];
    for (let n = 0; n < 40; n += step(5)) {
      const bytes = Buffer.from(index);
      const at = n < 20 ? n * 7 : Math.floor((index.length * (n - 19)) / 21);
      bytes[at] = (bytes[at] as number) ^ (1 << (n % 8));
      mangled.push(bytes);
    }
    for (const bytes of mangled) {
      writeFileSync(indexOf(directory), bytes);
      expect(await open(directory).search('number7 number8')).toEqual(expected);
    }
    expect(reports).toEqual([]);
  });

  it('that is damaged after it was opened is replaced by the log', async () => {
    const directory = await large();
    const index = readFileSync(indexOf(directory));
    const expected = await resultsOf(open(directory));
    const damaged = Buffer.from(index);
    for (let at = 4096; at < damaged.length; at += 512) damaged[at] = (damaged[at] as number) ^ 1;
    const uses: ((store: FileStore) => Promise<unknown>)[] = [
      (store) => store.search('odd'),
      (store) => store.get('r140'),
      (store) => store.put({ id: 'r800', content: String(many[800]?.content), metadata: { n: 800 } }),
      (store) => store.list({ limit: 3, order: 'oldest' }),
      (store) => store.compact(),
      (store) => store.delete('no such record'),
    ];
    for (const use of uses.filter((_, n) => n % step(2) === 0)) {
      writeFileSync(indexOf(directory), index);
      const store = open(directory);
      await store.search('number7');
      // In place, because the store has the file open.
      writeFileSync(indexOf(directory), damaged);
      await use(store);
      expect(await resultsOf(store)).toMatchObject({ got: (expected as { got: object }).got });
      expect(await resultsOf(store)).toEqual(await resultsOf(open(directory)));
      expect(await store.search('number7 number8')).toHaveLength(2);
    }
    expect(reports).toEqual([]);
  });

  it('that another process replaced or removed is read on by those that opened it', async () => {
    const directory = await large();
    const store = open(directory);
    await store.search('number7');
    const found = await open(directory).search('odd');
    rmSync(indexOf(directory));
    const read = await bytesReadBy(async () => expect(await store.search('odd')).toEqual(found));
    expect(read).toBeLessThan(statSync(logIn(folderOf(directory))).size / 2);
    const other = open(directory);
    await other.delete('r140');
    await other.compact();
    expect(await store.get('r140')).toBeUndefined();
    expect(await resultsOf(store)).toEqual(await resultsOf(open(directory)));
  });

  it.each([
    { name: 'is closed with the store, if it is large', make: large, files: 1 },
    { name: 'is closed at once, if it is small', make: filled, files: 0 },
  ])('$name', async ({ make, files }) => {
    const directory = await make();
    const opened = vi.spyOn(fs, 'openSync');
    const closed = [vi.spyOn(fs, 'closeSync'), vi.spyOn(fs, 'close')];
    // In the order of the calls, because files of earlier tests can be closed meanwhile.
    const filesOpen = () => {
      const order = ({ mock }: { readonly mock: { readonly invocationCallOrder: number[] } }, n: number) =>
        mock.invocationCallOrder[n] as number;
      const calls = [
        ...opened.mock.results.map(({ value }, n) => ({ at: order(opened, n), file: value, isOpen: true })),
        ...closed.flatMap((spy) => spy.mock.calls.map(([file], n) => ({ at: order(spy, n), file, isOpen: false }))),
      ];
      const files = new Set<unknown>();
      for (const { file, isOpen } of calls.sort((a, b) => a.at - b.at)) isOpen ? files.add(file) : files.delete(file);
      return files.size;
    };
    syncBuiltinESMExports();
    try {
      const store = open(directory);
      expect(await store.search('number7')).toHaveLength(1);
      expect(filesOpen()).toBe(files);
      await store.close();
      expect(filesOpen()).toBe(0);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
  });

  it('of another log is ignored', async () => {
    const [directory, other] = [await filled(), await filled()];
    const store = open(other);
    await store.clear();
    await store.putMany(
      records.slice(0, COUNT - 20).map((record) => ({ ...record, content: record.content.replace('heron', 'egret') })),
    );
    await store.close();
    writeFileSync(indexOf(directory), readFileSync(indexOf(other)));
    expect(await open(directory).search('egret')).toEqual([]);
    expect(await open(directory).search('number299')).toHaveLength(1);
  });

  it('does not hide damage: a line that was damaged later is reported when it is read', async () => {
    const directory = await filled();
    const path = logIn(folderOf(directory));
    const log = readFileSync(path, 'latin1');
    writeFileSync(path, log.replace('number7 ', 'numb#r7 '), 'latin1');
    const store = open(directory);
    expect(await store.search('number8')).toHaveLength(1);
    expect(reports).toEqual([]);
    expect(await store.search('number7')).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(await store.get('r7')).toBeUndefined();
    expect(await store.search('number8')).toHaveLength(1);
    expect(reports).toHaveLength(1);
    const another = open(directory);
    expect(await another.put({ id: 'r7', content: 'number7 again' })).toMatchObject({ version: putTimes(1) });
    expect(await another.search('number7')).toHaveLength(1);
  });

  it('is written again by a compaction, which removes the old one', async () => {
    const directory = await filled();
    const [old] = indexesIn(directory);
    const store = open(directory);
    await Promise.all(Array.from({ length: 180 }, (_, n) => store.delete(`r${n}`)));
    await store.putMany(records.slice(0, 3));
    expect(indexesIn(directory)).not.toContain(old);
    expect(indexesIn(directory)).toHaveLength(1);
    const log = readdirSync(folderOf(directory)).find((name) => name.endsWith('.jsonl'));
    expect(indexesIn(directory)[0]?.split('-')[1]).toBe(log?.split('-')[2]);
    const withIndex = await resultsOf(open(directory));
    expect(await resultsOf(store)).toEqual(withIndex);
    rmSync(indexOf(directory));
    expect(await resultsOf(open(directory))).toEqual(withIndex);
    await store.clear();
    expect(rawScan(directory)).not.toContain('heron');
  });

  it('is not used by checkDirectory, which reads the whole log', async () => {
    const directory = await filled();
    const path = logIn(folderOf(directory));
    writeFileSync(path, readFileSync(path, 'latin1').replace('number7 ', 'numb#r7 '), 'latin1');
    const check = async (repair: boolean) => {
      const kinds: string[] = [];
      for await (const { problems } of checkDirectory({ directory, repair }))
        kinds.push(...problems.map(({ kind }) => kind));
      return kinds;
    };
    expect(await check(false)).toEqual(['damaged-lines']);
    expect(await check(true)).toEqual(['damaged-lines']);
    expect(await check(false)).toEqual([]);
    expect(await open(directory).search('number8')).toHaveLength(1);
  });

  it('does not prevent the compaction of a log that was damaged later', async () => {
    const directory = await filled();
    const path = logIn(folderOf(directory));
    writeFileSync(path, readFileSync(path, 'latin1').replace('number7 ', 'numb#r7 '), 'latin1');
    const store = open(directory);
    for (let round = 0; round < 4; round++) await store.putMany(records.slice(8));
    expect(statSync(logIn(folderOf(directory))).size).toBeLessThan(3.5 * 1024 * 1024);
    expect(reports).toHaveLength(1);
    expect(await open(directory).get('r7')).toBeUndefined();
    expect(await open(directory).get('r6')).toBeDefined();
    expect(rawScan(directory)).toContain('numb#r7');
  });

  it('is not made from a view that was reset during a compaction', async () => {
    const directory = await filled();
    const store = open(directory);
    let failed = 0;
    const opened = vi.spyOn(fs, 'openSync');
    const size = fs.fstatSync;
    const sizes = vi.spyOn(fs, 'fstatSync');
    syncBuiltinESMExports();
    try {
      const isCompacting = () => opened.mock.calls.some(([, flags]) => flags === 'ax');
      const reading = setInterval(async () => {
        if (failed > 0 || !isCompacting()) return;
        failed++;
        // After the log was opened and its size compared, it is read, which resets the view if it fails.
        sizes.mockImplementationOnce(size).mockImplementationOnce(size);
        sizes.mockImplementationOnce(() => {
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
        });
        await store.get('r1').catch(() => failed++);
      }, 0);
      for (let round = 0; round < 3; round++) await store.putMany(records);
      clearInterval(reading);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    expect(failed).toBe(2);
    for (const one of [store, open(directory)]) expect(await one.search('number7')).toHaveLength(1);
    for (const name of indexesIn(directory)) rmSync(join(folderOf(directory), name));
    expect(await open(directory).get('r7')).toBeDefined();
  });

  it('belongs to one embedder, and stores with other embedders ignore it', async () => {
    const directory = await filledWith(records, { embedder: fakeEmbedder });
    const found = await open(directory, { embedder: fakeEmbedder }).search('heron river');
    const words = open(directory);
    expect(await words.search('number7')).toHaveLength(1);
    await words.close();
    expect(indexesIn(directory)).toHaveLength(2);
    expect(await open(directory, { embedder: fakeEmbedder }).search('heron river')).toEqual(found);
    const other = { ...fakeEmbedder, id: 'another' };
    expect(await open(directory, { embedder: other }).search('number7')).toHaveLength(1);
  });

  it('belongs to one language, and stores with other languages ignore it', async () => {
    const directory = await filled();
    const unstemmed = open(directory, { language: 'none' });
    // A word of another form is found by its parts alone, which counts less.
    const [part] = await unstemmed.search('herons', { maxSearchResults: 1 });
    const [whole] = await unstemmed.search('heron', { maxSearchResults: 1 });
    expect(part?.score).toBeLessThan(whole?.score as number);
    await unstemmed.close();
    expect(indexesIn(directory)).toHaveLength(2);
    const [stemmed] = await open(directory).search('herons', { maxSearchResults: 1 });
    expect(stemmed?.score).toBe(whole?.score);
    const [again] = await open(directory, { language: 'none' }).search('herons', { maxSearchResults: 1 });
    expect(again?.score).toBe(part?.score);
  });

  it('that cannot be written does not make a change fail', async () => {
    const directory = await filled();
    const path = indexOf(directory);
    rmSync(path);
    mkdirSync(join(path, 'in the way'), { recursive: true });
    const store = open(directory);
    await store.putMany(records.map((record) => ({ ...record, id: `${record.id}b` })));
    await store.close();
    expect(await open(directory).search('number7')).toHaveLength(2);
    expect(readdirSync(folderOf(directory)).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
  });

  it('can be read while other instances rewrite it', async () => {
    const directory = await filled();
    const stores = [open(directory), open(directory), open(directory)];
    const ROUNDS = rounds(3, 2);
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        stores.map((store, n) =>
          store.putMany(records.slice(0, 100).map((record) => ({ ...record, id: `${record.id} ${round} ${n}` }))),
        ),
      );
      const found = await Promise.all([...stores, open(directory)].map((store) => resultsOf(store)));
      for (const one of found) expect(one).toEqual(found[0]);
    }
    expect((await open(directory).search('number7', { maxSearchResults: 100 })).length).toBe(1 + 3 * ROUNDS);
  });
});
