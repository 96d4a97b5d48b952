import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { mountSmallDisk } from '@keepsake/testing/torture/small-disk';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { SqliteSession, SqliteStore } from '../../src/index.ts';
import { temporaryFile } from '../temporary-file.ts';
import { readAll } from './read-all.ts';

const ROUNDS = rounds(100, 5);
const items = (text: string, length: number) => Array.from({ length }, (_, n) => ({ n, text: text.repeat(200) }));
const records = (text: string, length: number) =>
  Array.from({ length }, (_, n) => ({ id: `${text} ${n}`, content: `heron ${n} ${text.repeat(200)}` }));

/** A small file system; removed at the end of the test. Skips the test where this user can mount none. */
function mounted(context: TestContext, size: string): string {
  const { directory, remove } = temporaryFile();
  onTestFinished(remove);
  const disk = mountSmallDisk(join(directory, 'small'), size);
  if (disk === undefined) {
    show(context, 13, 'in SQLite: a real file system that is full: NOT RUN, this host lets this user mount none');
    context.skip();
  }
  onTestFinished(disk.unmount);
  return disk.path;
}

it(`a file that may not grow refuses ${ROUNDS} changes as a whole, and takes them once it may`, async (context) => {
  let refused = 0;
  for (let pages = 0; pages < ROUNDS; pages++) {
    const database = new DatabaseSync(':memory:');
    const session = new SqliteSession({ database, sessionId: 's' });
    const store = new SqliteStore({ database, name: 'memory' });
    await session.addItems(items('kept', 2));
    await store.putMany(records('kept', 3));
    const { page_count: size } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    // Each round, the change gets further.
    const limit = size + pages;
    database.exec(`PRAGMA max_page_count = ${limit}`);
    for (const change of [
      () => session.addItems(items('sentinel', 400)),
      () => store.putMany(records('sentinel', 300)),
    ]) {
      const error = await change().then(
        () => undefined,
        (reason) => reason,
      );
      expect(error, `${pages} pages`).toMatchObject({
        code: 'BACKEND',
        message: expect.stringContaining('disk is full'),
      });
      expect(error.message).not.toContain('sentinel');
      refused++;
      expect(await session.getItems()).toEqual(items('kept', 2));
      expect((await store.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['kept 0', 'kept 1', 'kept 2']);
      expect(await store.search('heron')).toHaveLength(3);
    }
    database.exec('PRAGMA max_page_count = 1000000');
    await session.addItems(items('later', 2));
    await store.putMany(records('later', 2));
    expect(await session.getItems()).toHaveLength(4);
    expect(await store.search('heron')).toHaveLength(5);
    database.close();
  }
  show(
    context,
    13,
    `in SQLite: a database that may not grow (max_page_count, ${ROUNDS} sizes): ${count(refused)} changes refused, earlier data whole, works again when it may grow`,
  );
});

it('a full disk takes deletions, and changes in their place, once the reserve of the guide is removed', async (context) => {
  const directory = mounted(context, '192m');
  const reserve = join(directory, 'memory.reserve');
  writeFileSync(reserve, Buffer.alloc(128 * 2 ** 20));
  const store = new SqliteStore({ file: join(directory, 'memory.db'), name: 'memory', durability: 'os' });
  const put = (id: number) => store.put({ id: `${id}`, content: 'heron '.repeat(8_000), index: false });
  let filled = 0;
  let error: unknown;
  while (error === undefined) {
    await put(filled).then(
      () => filled++,
      (reason) => {
        error = reason;
      },
    );
  }
  expect(error).toMatchObject({ code: 'BACKEND' });
  await expect(store.delete('0')).rejects.toMatchObject({ code: 'BACKEND' });
  rmSync(reserve);
  for (let id = 0; id < filled; id++) expect(await store.delete(`${id}`)).toBe(true);
  // A thread copies the log to the file, which may have to grow for it, and can be late.
  const beside = new DatabaseSync(join(directory, 'memory.db'));
  const copied = () =>
    expect
      .poll(() => beside.prepare('PRAGMA wal_checkpoint(PASSIVE)').get(), { timeout: 60_000 })
      .toSatisfy(({ log, checkpointed }) => log === checkpointed);
  await copied();
  // Others take what is left.
  const { bfree, bsize } = statfsSync(directory);
  writeFileSync(join(directory, 'ballast'), Buffer.alloc(bfree * bsize));
  for (let id = 0; id < filled / 2; id++) {
    // The log can't grow any more until it is copied.
    if (id % 20 === 0) await copied();
    await put(id);
  }
  beside.close();
  show(
    context,
    13,
    `in SQLite: a real file system that is full (tmpfs, 192 MiB): ${count(filled)} records deleted once a reserve of 128 MiB was removed, and half as many put in their place`,
  );
});

it('a disk that is full refuses changes, keeps what was there, and works again once there is space', async (context) => {
  const directory = mounted(context, '1m');
  const file = join(directory, 'memory.db');
  const ballast = join(directory, 'ballast');
  const session = new SqliteSession({ file, sessionId: 's' });
  const store = new SqliteStore({ file, name: 'memory' });
  await session.addItems(items('kept', 2));
  await store.putMany(records('kept', 3));
  const kept = await readAll(file);
  writeFileSync(ballast, Buffer.alloc(300_000));
  let refused = 0;
  for (let round = 0; round < 5; round++) {
    for (const change of [
      () => session.addItems(items('sentinel', 900)),
      () => store.putMany(records('sentinel', 900)),
    ]) {
      const error = await change().then(
        () => undefined,
        (reason) => reason,
      );
      expect(error).toMatchObject({ code: 'BACKEND' });
      expect(error.message).not.toContain('sentinel');
      refused++;
      expect(await readAll(file)).toEqual(kept);
    }
  }
  rmSync(ballast);
  await session.addItems(items('later', 2));
  await store.putMany(records('later', 2));
  expect((await readAll(file)).items).toHaveLength(4);
  expect((await readAll(file)).records.size).toBe(5);
  show(
    context,
    13,
    `in SQLite: a real file system that is full (tmpfs, 1 MiB): ${refused} changes refused, earlier data whole, works again when space is freed`,
  );
});
