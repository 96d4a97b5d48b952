import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { OtherProcess } from '@keepsake/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

const openSession = (file: string) => new SqliteSession({ file, sessionId: 's' });
const openStore = (file: string) => new SqliteStore({ file, name: 'memory' });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const USER_ROOT = 0;
const USER_NOBODY = 65_534;

/** The items in a file, as another process sees them that opens and closes it. */
function itemsIn(file: string): unknown[] {
  const program = `const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)});
    const rows = database.prepare('SELECT item FROM keepsake_items').all();
    database.close();
    console.log(JSON.stringify(rows.map(({ item }) => JSON.parse(item))));`;
  return JSON.parse(execFileSync(process.execPath, ['--no-warnings', '-e', program], { encoding: 'utf8' }));
}

/** Removes a database with the files beside it. */
function removeAll(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

function copyAfterRemoval(from: string, to: string): void {
  rmSync(to);
  copyFileSync(from, to);
}

/** Runs a function without the rights of an administrator, whom permissions do not stop. */
async function asUser<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === USER_ROOT;
  if (isRoot) process.seteuid?.(USER_NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(USER_ROOT);
  }
}

it('without node:sqlite, a file is refused, and none is created', async () => {
  const file = newFile();
  const { getBuiltinModule } = process;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(
    (name: string) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name)) as never,
  );
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(openStore(file).add('Lives in Lisbon')).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringMatching(/needs node:sqlite.*22\.13.*`database`/),
  });
  expect(existsSync(file)).toBe(false);
});

describe('a new file', () => {
  it('and the files beside it can be read by their owner only', async () => {
    const file = join(dirname(newFile()), 'new', 'memory.db');
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    await openSession(file).addItems([{ a: 1 }]);
    const backup = `${file}.backup`;
    await openStore(file).backup(backup);
    expect(modeOf(dirname(file))).toBe('700');
    const names = readdirSync(dirname(file)).sort();
    expect(names).toEqual(['memory.db', 'memory.db-shm', 'memory.db-wal', 'memory.db.backup']);
    for (const name of names) expect([name, modeOf(join(dirname(file), name))]).toEqual([name, '600']);
  });

  it('is not created before the first use', async () => {
    const file = newFile();
    openSession(file);
    openStore(file);
    new SqliteSessionStore({ file });
    expect(existsSync(file)).toBe(false);
    expect(await openSession(file).getItems()).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });
});

describe('a file that is removed or replaced while it is open', () => {
  it.each(['removed with the files beside it', 'removed alone', 'moved away'])(
    'nothing acknowledged goes to the file that was %s',
    async (how) => {
      const file = newFile();
      const [session, store] = [openSession(file), openStore(file)];
      await session.addItems([{ n: 1 }]);
      await store.put({ id: 'one', content: 'heron' });
      if (how === 'moved away') renameSync(file, `${file}.old`);
      else if (how === 'removed alone') rmSync(file);
      else removeAll(file);
      expect(await session.getItems()).toEqual([]);
      await session.addItems([{ n: 2 }]);
      await store.put({ id: 'two', content: 'tern' });
      expect(itemsIn(file)).toEqual([{ n: 2 }]);
      expect((await openStore(file).list()).items.map(({ id }) => id)).toEqual(['two']);
    },
  );

  it('the log of a database that another process has put there is kept', async () => {
    const file = newFile();
    const session = openSession(file);
    await session.addItems([{ n: 1 }]);
    removeAll(file);
    const other = new OtherProcess(join(import.meta.dirname, 'programs/write-and-hold.ts'), file);
    await other.ready;
    // Closing the old file must not remove the log of the new one.
    await session.addItems([{ n: 2 }]);
    other.kill();
    await other.end;
    expect(itemsIn(file)).toEqual([{ n: 'other' }, { n: 2 }]);
  });

  it.each([
    ['renamed over it', renameSync],
    ['copied to its place', copyAfterRemoval],
  ])('a backup that is %s gets nothing from the log of the former file', async (_, replace) => {
    const [file, backup] = [newFile(), newFile()];
    const [session, store, other] = [
      openSession(file),
      openStore(file),
      new SqliteStore({ file, name: 'memory', durability: 'os' }),
    ];
    const put = (from: number, to: number) =>
      store.putMany(Array.from({ length: to - from }, (_, n) => ({ id: `${from + n}`, content: `heron ${from + n}` })));
    await session.addItems([{ n: 1 }]);
    await put(0, 500);
    await store.backup(backup);
    for (let from = 500; from < 3_500; from += 500) await put(from, from + 500);
    await store.compact();
    await other.put({ id: 'last', content: 'tern' });
    await session.addItems([{ n: 2 }]);
    replace(backup, file);
    expect((await store.list({ limit: 1_000 })).items).toHaveLength(500);
    await other.put({ id: 'next', content: 'tern' });
    await session.addItems([{ n: 3 }]);
    expect(itemsIn(file)).toEqual([{ n: 1 }, { n: 3 }]);
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(await other.search('tern')).toHaveLength(1);
  });

  it('a file that is replaced by a copy is opened again', async () => {
    const [file, copy] = [newFile(), newFile()];
    await openSession(copy).addItems([{ n: 'copy' }]);
    await new SqliteSessionStore({ file: copy }).compact();
    const session = openSession(file);
    await session.addItems([{ n: 1 }]);
    removeAll(file);
    copyFileSync(copy, file);
    await session.addItems([{ n: 2 }]);
    expect(itemsIn(file)).toEqual([{ n: 'copy' }, { n: 2 }]);
  });
});

it.runIf(process.platform === 'linux')(
  'opening a file twice in a process keeps the locks that SQLite has on it',
  async () => {
    const file = newFile();
    await openSession(file).addItems([{ n: 1 }]);
    const locksOn = () =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`:${statSync(file).ino} `));
    expect(locksOn()).toHaveLength(1);
    // A second connection, because of the other durability.
    await new SqliteSession({ file, sessionId: 's', durability: 'os' }).addItems([{ n: 2 }]);
    await openStore(file).backup(`${file}.backup`);
    // Without this lock, another process that closes the file could remove the log, with changes that come later.
    expect(locksOn()).toHaveLength(1);
  },
);

describe('a file that can not be used', () => {
  async function expectRefused(file: string, refusal: object): Promise<void> {
    const uses = [
      () => openSession(file).getItems(),
      () => openSession(file).addItems([{ text: 'sentinel' }]),
      () => openStore(file).search('sentinel'),
      () => openStore(file).put({ content: 'sentinel' }),
      () => new SqliteSessionStore({ file }).list(),
    ];
    for (const use of uses) {
      const error = await use().then(
        () => expect.fail('It was not refused.'),
        (reason) => reason,
      );
      expect(error).toMatchObject(refusal);
      expect(error.message).not.toMatch(/sentinel|memory\.db/);
    }
  }

  it('because it is not a database is CORRUPT, and stays as it is', async () => {
    const file = newFile();
    const text = 'My diary. '.repeat(1_000);
    writeFileSync(file, text);
    await expectRefused(file, { code: 'CORRUPT', message: expect.stringContaining('not an SQLite database') });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    ['its header is damaged', (file: string) => writeAt(file, 0, Buffer.alloc(16, 0x5a))],
    ['its first pages are damaged', (file: string) => writeAt(file, 100, Buffer.alloc(8_000, 0x5a))],
    ['it was cut', (file: string) => truncateSync(file, 5_000)],
  ])('because %s is CORRUPT', async (_, damage) => {
    const [file, copy] = [newFile(), newFile()];
    await openSession(file).addItems([{ a: 1 }]);
    await openStore(file).put({ content: 'heron' });
    await new SqliteSessionStore({ file }).backup(copy);
    damage(copy);
    await expectRefused(copy, { code: 'CORRUPT' });
  });

  it('because a newer version of the package wrote it is UNSUPPORTED, and stays as it is', async () => {
    const file = newFile();
    await openSession(file).addItems([{ a: 1 }]);
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    const version = () => database.prepare('SELECT version FROM keepsake_schema').get();
    database.exec('UPDATE keepsake_schema SET version = 99');
    const copy = newFile();
    database.exec(`VACUUM INTO '${copy}'`);
    const refusal = { code: 'UNSUPPORTED', message: expect.stringMatching(/version 99.*knows only 1\. Update it/) };
    await expectRefused(copy, refusal);
    await expect(openSession(copy).addItems([{ a: 2 }])).rejects.toMatchObject(refusal);
    expect(version()).toEqual({ version: 99 });
  });

  it.each(['a directory', 'a pipe'])('because it is %s is BACKEND, at once', async (what) => {
    const file = newFile();
    if (what === 'a directory') mkdirSync(file);
    else execFileSync('mkfifo', [file]);
    await expectRefused(file, { code: 'BACKEND', message: expect.stringContaining('not a regular file') });
  });

  it('because a file is above it is BACKEND', async () => {
    const file = newFile();
    writeFileSync(file, '');
    await expectRefused(join(file, 'memory.db'), { code: 'BACKEND' });
  });

  it.each([0o400, 0o000])('because of its permissions (%i) is BACKEND, and says so', async (mode) => {
    const [file, copy] = [newFile(), newFile()];
    await openSession(file).addItems([{ a: 1 }]);
    await openStore(file).backup(copy);
    chmodSync(copy, mode === 0 ? 0 : 0o444);
    chmodSync(dirname(copy), 0o555);
    chmodSync(dirname(dirname(copy)), 0o755);
    onTestFinished(() => chmodSync(dirname(copy), 0o755));
    await asUser(() =>
      expectRefused(copy, { code: 'BACKEND', message: expect.stringContaining('Check the permissions') }),
    );
    chmodSync(copy, 0o600);
    expect(await openSession(copy).getItems()).toEqual([{ a: 1 }]);
  });
});

it('a damaged item is skipped with a warning, a damaged record is CORRUPT, both without their content, and the others are read', async () => {
  const file = newFile();
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const [session, store] = [openSession(file), openStore(file)];
  await session.addItems([{ n: 1 }, { n: 2, text: 'sentinel' }, { n: 3 }]);
  await store.put({ id: 'one', content: 'sentinel heron' });
  await store.put({ id: 'two', content: 'heron' });
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec(`UPDATE keepsake_items SET item = substr(item, 1, 20) WHERE item LIKE '%sentinel%'`);
  database.exec(`UPDATE keepsake_records SET json = substr(json, 1, 20) WHERE json LIKE '%sentinel%'`);
  expect(await session.getItems(2)).toEqual([{ n: 1 }, { n: 3 }]);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('item 2 of session')]]);
  expect(warn.mock.calls.join()).not.toMatch(/sent/);
  const onCorrupt = vi.fn();
  const telling = new SqliteSession({ file, sessionId: 's', onCorrupt });
  expect([await telling.getItems(), await telling.getItems(1)]).toEqual([[{ n: 1 }, { n: 3 }], [{ n: 3 }]]);
  expect(onCorrupt.mock.calls).toEqual([[{ sessionId: 's', number: 2 }]]);
  const again = new SqliteSession({ file, sessionId: 'again', onCorrupt });
  for (const calls of [2, 3]) {
    await again.clearSession();
    await again.addItems([{ n: 7 }]);
    database.exec(`UPDATE keepsake_items SET item = '{' WHERE item = '{"n":7}'`);
    await again.getItems();
    expect(onCorrupt).toHaveBeenCalledTimes(calls);
  }
  expect(() => new SqliteSession({ file, onCorrupt: 'warn' as never })).toThrow('`onCorrupt` must be a function');
  await session.popItem();
  for (const use of [
    () => session.popItem(),
    () => session.replaceHistoryWithCompaction([]),
    () => store.get('one'),
    () => store.list(),
    () => store.search('heron'),
  ]) {
    const error = await use().then(
      () => expect.fail('It was not refused.'),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('damaged') });
    expect(inspect(error)).not.toMatch(/sent/);
  }
  expect(await session.getItems()).toEqual([{ n: 1 }]);
  expect((await store.get('two'))?.content).toBe('heron');
});

it.each(['null', '[]', '{"content":"x"}', '{"content":1,"metadata":{}}'])(
  'a record of another shape is CORRUPT: %s',
  async (json) => {
    const file = newFile();
    const store = openStore(file);
    await store.put({ id: 'one', content: 'heron' });
    const database = new DatabaseSync(file);
    database.prepare('UPDATE keepsake_records SET json = ?').run(json);
    database.close();
    await expect(store.get('one')).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(store.search('heron', { filter: { n: 1 } })).rejects.toMatchObject({ code: 'CORRUPT' });
  },
);

it('a damaged vector is CORRUPT', async () => {
  const file = newFile();
  const embedder = { id: 'two', dimensions: 2, embed: async () => [Float32Array.of(1, 0)] };
  const store = new SqliteStore({ file, name: 'memory', embedder });
  await store.add('A heron.');
  const database = new DatabaseSync(file);
  database.exec("UPDATE keepsake_records SET vector = x'0102'");
  const fresh = new SqliteStore({ file, name: 'memory', embedder });
  await expect(fresh.search('heron')).rejects.toMatchObject({ code: 'CORRUPT' });
  database.close();
});

it('a connection that can not roll back is opened again', async () => {
  const file = newFile();
  const session = openSession(file);
  await session.addItems([{ n: 1 }]);
  const store = openStore(file);
  const failing = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw new Error('the disk fails');
  });
  onTestFinished(() => failing.mockRestore());
  // Refused in the middle of a transaction.
  await expect(store.put({ id: 'one', content: 'heron' }, { ifVersion: 7 })).rejects.toMatchObject({
    code: 'BACKEND',
    message: expect.stringContaining('could not roll back'),
  });
  failing.mockRestore();
  await session.addItems([{ n: 2 }]);
  expect(itemsIn(file)).toEqual([{ n: 1 }, { n: 2 }]);
});

/** Overwrites bytes of a file. */
function writeAt(file: string, position: number, bytes: Buffer): void {
  const all = readFileSync(file);
  bytes.copy(all, position);
  writeFileSync(file, all);
}
