import { join } from 'node:path';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { OtherProcess } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { timesInBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

const SECRET = 'sentinel';
/** With fewer, no page is split, and nothing is left in unused parts of pages. */
const RECORDS = rounds(300, 160);
const OPTIONS = { name: 'memory', durability: 'os', embedder: WORD_EMBEDDER } as const;
const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Text with a word that no other text has, from a few bytes to several pages. */
function secretText(n: number): string {
  return `${SECRET}${n}word${' says that'.repeat(n % 10 === 0 ? 1_000 : n % 7)}`;
}

/** A record with the secret in every part that is stored. */
function secretRecord(n: number) {
  const name = `${SECRET}-${n}`;
  return {
    id: name,
    content: secretText(n),
    metadata: { [name]: name, topic: name },
    turn: { thread: name, index: n, speaker: name },
    source: { conversation: name, run: name },
  };
}

const keptRecord = (n: number) => ({ id: `kept ${n}`, content: `heron ${n}${' flies low'.repeat(n % 9)}` });

/** A file with records with and without the secret, in turns. */
async function filledFile() {
  const file = newFile();
  const store = new SqliteStore({ file, ...OPTIONS, namespace: ['talks'] });
  for (const n of range(RECORDS / 10)) {
    await store.putMany(range(10).flatMap((k) => [secretRecord(10 * n + k), keptRecord(10 * n + k)]));
  }
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  for (const n of range(rounds(100, 30))) await sessions.open(`${SECRET} ${n % 5}`).addItems([{ text: secretText(n) }]);
  for (const n of range(5)) {
    await sessions.open(`${SECRET} ${n}`).applyHistoryTransaction({
      operationId: `${SECRET} operation`,
      transaction: { type: 'append_items', items: [{ text: SECRET }] },
    });
  }
  await sessions.open('kept').addItems([{ text: 'heron' }]);
  expect(timesInBytes(file, SECRET)).toBeGreaterThan(RECORDS);
  return { file, store, sessions };
}

type Filled = Awaited<ReturnType<typeof filledFile>>;

async function deleteSessions({ sessions }: Pick<Filled, 'sessions'>): Promise<void> {
  for (const n of range(5)) expect(await sessions.delete(`${SECRET} ${n}`)).toBe(true);
}

async function clearAndPopSessions({ sessions }: Pick<Filled, 'sessions'>): Promise<void> {
  for (const n of range(5)) {
    // Clearing keeps the id of a session, which has the secret.
    const session = sessions.open(`${SECRET} ${n}`);
    if (n % 2 === 0) await session.clearSession();
    else while ((await session.popItem()) !== undefined);
    await sessions.delete(`${SECRET} ${n}`);
  }
}

async function deleteRecords({ store }: Pick<Filled, 'store'>): Promise<void> {
  for (const n of range(RECORDS)) expect(await store.delete(secretRecord(n).id)).toBe(true);
}

async function replaceRecords({ store }: Pick<Filled, 'store'>): Promise<void> {
  await store.within(['other']).putMany(range(50).map((n) => ({ id: `${n}`, content: secretText(n), metadata: {} })));
  await store.within(['other']).putMany(range(50).map((n) => ({ id: `${n}`, content: `a heron ${n}` })));
  await deleteRecords({ store });
}

async function letRecordsExpire({ store }: Pick<Filled, 'store'>): Promise<void> {
  await store.putMany(range(RECORDS).map((n) => ({ ...secretRecord(n), ttlMs: 1 })));
  await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each([true, false])(
  'erasure leaves no deleted text in the files (another process has them open: %s)',
  (isShared) => {
    /** For what each erasing does alike. Starting another process takes long. */
    const options = { tags: isShared ? ['nightly'] : [] };
    /** For other ways to the same deletion of rows. */
    const nightly = { tags: ['nightly'] };

    /** Fills a file, erases in it, and returns how often the secret is left in its bytes. */
    async function leftAfter(erase: (filled: Filled) => Promise<unknown>): Promise<number> {
      const filled = await filledFile();
      const other = isShared
        ? new OtherProcess(join(import.meta.dirname, 'programs/hold-open.ts'), filled.file)
        : undefined;
      await other?.ready;
      await erase(filled);
      const left = timesInBytes(filled.file, SECRET);
      other?.go();
      await other?.end;
      // The other process leaves nothing behind either, and everything else is still there.
      expect(timesInBytes(filled.file, SECRET)).toBe(left);
      expect(await filled.sessions.open('kept').getItems()).toEqual([{ text: 'heron' }]);
      return left;
    }

    it('deleted records, after compact()', options, () => leavesNothingOfRecords(deleteRecords));

    it.each([
      ['replaced records', replaceRecords],
      ['expired records', letRecordsExpire],
    ])('%s, after compact()', nightly, (_, remove) => leavesNothingOfRecords(remove));

    async function leavesNothingOfRecords(remove: (filled: Filled) => Promise<void>): Promise<void> {
      const left = await leftAfter(async (filled) => {
        await deleteSessions(filled);
        await remove(filled);
        await filled.store.compact();
        expect((await filled.store.list({ limit: 1_000 })).items).toHaveLength(RECORDS);
        expect(await filled.store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(RECORDS);
      });
      expect(left).toBe(0);
    }

    it('a store that was cleared, after compact()', async () => {
      const left = await leftAfter(async ({ store, sessions }) => {
        await deleteSessions({ sessions });
        expect(await store.clear()).toBe(2 * RECORDS);
        await store.compact();
      });
      expect(left).toBe(0);
    });

    // By day only while another process has the file open, which is harder.
    it(
      'records that another connection deleted, after a second compact() of this one',
      isShared ? {} : nightly,
      async () => {
        const left = await leftAfter(async ({ file, store, sessions }) => {
          await deleteSessions({ sessions });
          await store.compact();
          // Another durability is another connection.
          const other = new SqliteStore({ file, ...OPTIONS, durability: 'sync', namespace: ['talks'] });
          await deleteRecords({ store: other });
          await store.compact();
        });
        expect(left).toBe(0);
      },
    );

    it('one of several namespaces that was cleared, after compact()', nightly, async () => {
      const left = await leftAfter(async ({ file, store, sessions }) => {
        await deleteSessions({ sessions });
        await deleteRecords({ store });
        const other = store.within(['other']);
        for (const n of range(RECORDS)) {
          await other.put(secretRecord(n));
          await store.put(keptRecord(n));
        }
        expect(await other.clear()).toBe(RECORDS);
        await new SqliteStore({ file, ...OPTIONS }).compact();
      });
      expect(left).toBe(0);
    });

    it.each([
      ['deleted sessions', deleteSessions],
      ['cleared and popped items of sessions', clearAndPopSessions],
    ])('%s, after compact()', options, async (_, remove) => {
      const left = await leftAfter(async ({ store, sessions }) => {
        await deleteRecords({ store });
        await remove({ sessions });
        await sessions.compact();
      });
      expect(left).toBe(0);
    });
  },
);

describe('clearSession and popItem', () => {
  it('leave no deleted text in the files after compact()', async () => {
    const file = newFile();
    const sessions = new SqliteSessionStore({ file });
    for (const id of ['cleared', 'popped', 'replaced']) {
      await sessions.open(id).addItems(range(50).map((n) => ({ text: secretText(n) })));
    }
    await sessions.open('cleared').clearSession();
    while ((await sessions.open('popped').popItem()) !== undefined);
    await sessions.open('replaced').replaceHistoryWithCompaction([{ text: 'heron' }]);
    await sessions.compact();
    expect(timesInBytes(file, SECRET)).toBe(0);
    expect(timesInBytes(file, 'heron')).toBe(1);
    expect((await sessions.list()).items).toHaveLength(3);
  });

  it('leave nothing of a session that has expired after compact()', async () => {
    const file = newFile();
    const sessions = new SqliteSessionStore({ file, ttlMs: 1 });
    await sessions.open(SECRET).addItems([{ text: secretText(10) }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await sessions.compact();
    expect(timesInBytes(file, SECRET)).toBe(0);
  });
});

it('a search of another process goes on after many records were deleted and compacted', async () => {
  const file = newFile();
  const [store, other] = [0, 1].map(() => new SqliteStore({ file, name: 'memory', durability: 'os' }));
  await store?.putMany(range(1_200).map((n) => ({ id: `${n}`, content: `heron w${n}` })));
  await other?.search('heron');
  for (const n of range(100)) await store?.delete(`${n}`);
  await store?.compact();
  expect(await other?.search('heron', { maxSearchResults: 2_000 })).toHaveLength(1_100);
  const fresh = new SqliteStore({ file, name: 'memory' });
  expect(await fresh.search('heron', { maxSearchResults: 2_000 })).toHaveLength(1_100);
});
