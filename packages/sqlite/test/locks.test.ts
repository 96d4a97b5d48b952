import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { timesInBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

const PATIENCE_MS = 5_000;

/** A file with a session and a record, and another connection that can lock it. */
async function lockableFile() {
  const file = newFile();
  const [session, store] = [new SqliteSession({ file, sessionId: 's' }), new SqliteStore({ file, name: 'memory' })];
  await session.addItems([{ n: 1 }]);
  await store.put({ id: 'one', content: 'heron' });
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  return { file, session, store, other };
}

/** How often the event loop turns from now on, with at least 5 ms between. */
function countTurns(): () => number {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  return () => {
    clearInterval(timer);
    return turns;
  };
}

it('a change waits for the lock of another connection', async () => {
  const { session, store, other } = await lockableFile();
  other.exec('BEGIN IMMEDIATE');
  const changes = Promise.all([session.addItems([{ n: 2 }]), store.put({ id: 'two', content: 'tern' })]);
  await sleep(200);
  expect(other.prepare('SELECT count(*) AS count FROM keepsake_items').get()).toEqual({ count: 1 });
  other.exec('COMMIT');
  await changes;
  expect(await session.getItems()).toEqual([{ n: 1 }, { n: 2 }]);
  expect((await store.list()).items.map(({ id }) => id)).toEqual(['two', 'one']);
});

it('a lock that is held for 5 seconds fails changes with TIMEOUT, retryable, and blocks neither reads nor the event loop', async () => {
  const { file, session, store, other } = await lockableFile();
  other.exec('BEGIN IMMEDIATE');
  const turns = countTurns();
  const start = performance.now();
  const sessions = new SqliteSessionStore({ file });
  const changes = [
    () => session.addItems([{ n: 2 }]),
    () => session.popItem(),
    () => session.clearSession(),
    () => sessions.delete('s'),
    () => store.put({ id: 'two', content: 'tern' }),
    () => store.putMany(Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'tern' }))),
    () => store.delete('one'),
    () => store.clear(),
    () => store.compact(),
  ];
  let failed = 0;
  const outcomes = Promise.all(
    changes.map(async (change) => {
      await expect(change()).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true });
      failed++;
      return performance.now() - start;
    }),
  );
  expect(await session.getItems()).toEqual([{ n: 1 }]);
  expect(await store.search('heron')).toHaveLength(1);
  expect((await sessions.list()).items).toHaveLength(1);
  // The reads did not wait for the lock.
  expect(failed).toBe(0);
  for (const ms of await outcomes) expect(ms).toBeGreaterThan(PATIENCE_MS);
  // About a thousand if nothing else uses this machine, and hardly any if a change waited without letting it turn.
  expect(turns()).toBeGreaterThan(50);
  other.exec('ROLLBACK');
  await session.addItems([{ n: 2 }]);
  expect(await session.getItems()).toEqual([{ n: 1 }, { n: 2 }]);
  expect((await store.list()).items.map(({ id }) => id)).toEqual(['one']);
});

it('clear() and delete() of a session whose log is in use say that the deletion is done, and compact() empties it later', async () => {
  const { file, session, store, other } = await lockableFile();
  other.exec('BEGIN');
  expect(other.prepare('SELECT count(*) AS count FROM keepsake_records').get()).toEqual({ count: 1 });
  const message = expect.stringMatching(/The deletion is done.*Call compact\(\)/);
  const outcomes = [store.clear(), new SqliteSessionStore({ file }).delete('s')].map(async (deletion) => {
    const error = await deletion.then(
      () => expect.fail('It was not refused.'),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'TIMEOUT', message });
    // The same call would find nothing to delete, and so not empty the log.
    expect(error.retryable).toBeUndefined();
  });
  await Promise.all(outcomes);
  expect((await store.list()).items).toEqual([]);
  expect(await session.getItems()).toEqual([]);
  other.exec('COMMIT');
  await store.compact();
  expect(timesInBytes(file, 'heron')).toBe(0);
});
