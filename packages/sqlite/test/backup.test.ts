import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MemoryRecord } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { OtherProcess } from '@keepsake/testing';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

it('backup() of a database that another process writes to is consistent, and can be used', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory' });
  await store.put({ id: 'first', content: 'tern' });
  const other = new OtherProcess(
    join(import.meta.dirname, 'programs/keep-writing.ts'),
    JSON.stringify({ file, writer: 'w' }),
  );
  onTestFinished(() => other.kill());
  await other.ready;
  other.go();
  for (let n = 0; n < 5; n++) {
    await other.printed(other.lines.length + 5);
    const acknowledged = other.lines.length;
    const copy = newFile();
    await (n % 2 === 0 ? store : new SqliteSessionStore({ file })).backup(copy);
    const database = new DatabaseSync(copy);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
    // Each batch has a record and an item of the same number, in this order.
    const items = await new SqliteSession({ file: copy, sessionId: 's' }).getItems();
    const copied = new SqliteStore({ file: copy, name: 'memory' });
    const records: MemoryRecord[] = [];
    for await (const record of allItems((page) => copied.list({ ...page, limit: 1_000 }))) records.push(record);
    expect(items.map(({ batch }) => batch)).toEqual(items.map((_, batch) => batch));
    expect(items.length + records.length - 1).toBeGreaterThanOrEqual(acknowledged);
    expect(records.length - 1 - items.length).toBeOneOf([0, 1]);
    expect(await copied.search('heron', { maxSearchResults: records.length })).toHaveLength(records.length - 1);
    await copied.put({ id: 'later', content: 'tern' });
    expect((await copied.search('tern')).map(({ id }) => id)).toEqual(['later', 'first']);
  }
});

it('backup() by a process that is killed leaves nothing under the name of the backup, or all of it', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory' });
  const content = 'heron '.repeat(5_000);
  await store.putMany(Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, content, index: false })));
  const folder = dirname(newFile());
  const countIn = async (copy: string) =>
    (await new SqliteStore({ file: copy, name: 'memory' }).list({ limit: 1_000 })).items.length;
  for (let round = 0; round < 3; round++) {
    const copy = join(folder, `copy ${round}.db`);
    const other = new OtherProcess(join(import.meta.dirname, 'programs/back-up.ts'), JSON.stringify({ file, copy }));
    await other.ready;
    const filesBefore = readdirSync(folder).length;
    other.go();
    while (readdirSync(folder).length === filesBefore) await new Promise((resolve) => setTimeout(resolve));
    other.kill();
    await other.end;
    if (existsSync(copy)) expect(await countIn(copy)).toBe(200);
    else await store.backup(copy);
    expect(await countIn(copy)).toBe(200);
  }
});

it('backup() refuses a file that exists and paths that are none, and leaves nothing after a failure', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory' });
  await store.put({ content: 'heron' });
  const taken = newFile();
  writeFileSync(taken, 'mine');
  for (const path of [taken, file]) await expect(store.backup(path)).rejects.toMatchObject({ code: 'CONFLICT' });
  for (const path of ['', ' ', 'a\0b', 7]) {
    await expect(store.backup(path as string)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  await expect(store.backup(join(dirname(taken), 'missing', 'copy.db'))).rejects.toMatchObject({ code: 'BACKEND' });
  expect(readdirSync(dirname(taken))).toEqual(['memory.db']);

  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const sessions = new SqliteSessionStore({ database });
  await sessions.open('s').addItems([{ n: 1 }]);
  const copy = newFile();
  database.exec('BEGIN');
  await expect(sessions.backup(copy)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  expect(existsSync(copy)).toBe(false);
  database.exec('COMMIT');
  await sessions.backup(copy);
  expect(await new SqliteSession({ file: copy, sessionId: 's' }).getItems()).toEqual([{ n: 1 }]);
});
