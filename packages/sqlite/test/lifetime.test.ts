import { putTimes } from '@keepsake/testing/put-times';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { timesInBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it('sessions that have expired are not read, and begin empty with the next change', async () => {
  const store = new SqliteSessionStore({ file: newFile(), ttlMs: HOUR });
  const append = (sessionId: string) =>
    store.open(sessionId).applyHistoryTransaction({
      operationId: 'once',
      transaction: { type: 'append_items', items: [{ text: 'old' }] },
    });
  for (const id of ['gone', 'written', 'operated', 'cleared', 'popped']) await append(id);
  pass(HOUR + 1);
  expect((await store.list()).items).toEqual([]);
  expect(await store.open('gone').getItems()).toEqual([]);
  expect(await store.open('gone').getItems(1)).toEqual([]);
  expect(await store.open('popped').popItem()).toBeUndefined();
  expect(await store.delete('gone')).toBe(false);
  await store.open('written').addItems([{ text: 'new' }]);
  expect(await store.open('written').getItems()).toEqual([{ text: 'new' }]);
  // Operation ids are forgotten with the session.
  await append('operated');
  expect(await store.open('operated').getItems()).toEqual([{ text: 'old' }]);
  await store.open('cleared').clearSession();
  expect((await store.list()).items.map(({ sessionId }) => sessionId)).toEqual(['operated', 'written']);
});

it('compact() of a session store removes expired sessions from the file, and no others', async () => {
  const file = newFile();
  await new SqliteSession({ file, sessionId: 'kept' }).addItems([{ text: 'heron' }]);
  await new SqliteSession({ file, sessionId: 'gone', ttlMs: HOUR }).addItems([{ text: 'sentinel' }]);
  pass(HOUR + 1);
  await new SqliteSessionStore({ file }).compact();
  expect(timesInBytes(file, 'sentinel')).toBe(0);
  expect(timesInBytes(file, 'heron')).toBe(1);
});

it("a change restarts the TTL, and with refresh: 'access' reading does too", async () => {
  const file = newFile();
  const open = (refresh?: 'access') => new SqliteSession({ file, sessionId: `${refresh}`, ttlMs: HOUR, refresh });
  for (const refresh of ['access', undefined] as const) await open(refresh).addItems([{ n: 1 }]);
  pass(0.9 * HOUR);
  for (const refresh of ['access', undefined] as const) expect(await open(refresh).getItems()).toHaveLength(1);
  pass(0.9 * HOUR);
  expect(await open('access').getItems(1)).toHaveLength(1);
  expect(await open().getItems()).toEqual([]);
  pass(0.9 * HOUR);
  await open('access').addItems([{ n: 2 }]);
  pass(0.9 * HOUR);
  expect(await open('access').getItems()).toEqual([{ n: 1 }, { n: 2 }]);
});

it('a session without `ttlMs` keeps the TTL that it has', async () => {
  const file = newFile();
  await new SqliteSession({ file, sessionId: 's', ttlMs: HOUR }).addItems([{ n: 1 }]);
  pass(0.5 * HOUR);
  await new SqliteSession({ file, sessionId: 's' }).addItems([{ n: 2 }]);
  await new SqliteSession({ file, sessionId: 's' }).popItem();
  pass(0.6 * HOUR);
  expect(await new SqliteSession({ file, sessionId: 's' }).getItems()).toEqual([]);
});

it('records that have expired are not read, found, counted or kept from a new beginning', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', namespace: ['a'] });
  await store.put({ id: 'kept', content: 'heron' });
  await store.putMany(['gone', 'again'].map((id) => ({ id, content: `heron sentinel ${id}`, ttlMs: HOUR })));
  expect(await store.search('heron')).toHaveLength(3);
  pass(HOUR + 1);
  expect(await store.get('gone')).toBeUndefined();
  expect((await store.list()).items.map(({ id }) => id)).toEqual(['kept']);
  const root = new SqliteStore({ file, name: 'memory' });
  expect((await root.namespaces()).items).toEqual([{ namespace: ['a'], recordCount: 1 }]);
  expect((await store.search('heron')).map(({ id }) => id)).toEqual(['kept']);
  expect(await store.delete('gone')).toBe(false);
  expect(await store.put({ id: 'again', content: 'tern' }, { ifVersion: 0 })).toMatchObject({ version: putTimes(1) });
  await store.compact();
  expect(timesInBytes(file, 'sentinel')).toBe(0);
  expect(await store.clear()).toBe(2);
});
