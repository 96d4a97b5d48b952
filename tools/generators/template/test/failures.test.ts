import { expect, it } from 'vitest';
import { type SqliteClient, SqliteSession, SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

/** A client whose call number `n` fails, as it would on a full disk. */
function failingAt(n: number, client: SqliteClient): SqliteClient {
  let calls = 0;
  const counted = () => {
    calls++;
    if (calls === n) throw new Error('database or disk is full');
    return client;
  };
  return { exec: (sql) => counted().exec(sql), prepare: (sql) => counted().prepare(sql) };
}

/** Runs `attempt` with a client that fails at its first call, then at its second, and so on until nothing fails. */
async function failAtEveryCall(attempt: (failing: SqliteClient, working: SqliteClient) => Promise<boolean>) {
  for (let n = 1, done = false; !done; n++) {
    const { connect, close } = temporaryDatabase();
    try {
      done = await attempt(failingAt(n, connect()), connect());
    } finally {
      close();
    }
  }
}

const succeeds = (change: Promise<unknown>) =>
  change.then(
    () => true,
    () => false,
  );

it('a batch of records that fails at any point stores nothing', () =>
  failAtEveryCall(async (failing, working) => {
    const done = await succeeds(
      new SqliteStore({ client: failing, name: 'memory' }).putMany([{ content: 'heron' }, { content: 'stork' }]),
    );
    const store = new SqliteStore({ client: working, name: 'memory' });
    expect((await store.list()).items).toHaveLength(done ? 2 : 0);
    expect(await store.search('heron stork')).toHaveLength(done ? 2 : 0);
    return done;
  }));

it('a transaction that fails at any point changes nothing, and can be retried', () =>
  failAtEveryCall(async (failing, working) => {
    const session = new SqliteSession({ client: working, sessionId: 'chat' });
    await session.addItems([{ n: 1 }, { n: 2 }]);
    const operation = {
      operationId: 'operation-1',
      transaction: { type: 'replace_suffix' as const, expectedSuffix: [{ n: 2 }], replacement: [{ n: 3 }, { n: 4 }] },
    };
    const done = await succeeds(
      new SqliteSession({ client: failing, sessionId: 'chat' }).applyHistoryTransaction(operation),
    );
    expect(await session.getItems()).toEqual(done ? [{ n: 1 }, { n: 3 }, { n: 4 }] : [{ n: 1 }, { n: 2 }]);
    await session.applyHistoryTransaction(operation);
    expect(await session.getItems()).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
    return done;
  }));
