import { expect, it } from 'vitest';
import { isCollision } from '../src/database/errors.ts';
import { retrying } from '../src/database/retry.ts';

/** An error as Prisma passes it on. */
const failure = (originalCode: string, originalMessage = '', kind = 'postgres') =>
  Object.assign(new Error('Raw query failed.'), {
    code: 'P2010',
    meta: { driverAdapterError: { cause: { originalCode, originalMessage, kind } } },
  });

const collisions = [
  failure('40001'),
  failure('40P01'),
  failure('', '', 'TransactionWriteConflict'),
  Object.assign(new Error('Transaction failed due to a write conflict'), { code: 'P2034' }),
  failure('5', 'SQLITE_BUSY: database is locked', 'SocketTimeout'),
];

it('a collision is retried until the statement succeeds', async () => {
  let tries = 0;
  const work = async () => {
    const error = collisions[tries++];
    if (error) throw error;
    return 'done';
  };
  expect(await retrying(work, isCollision)).toBe('done');
  expect(tries).toBe(collisions.length + 1);
});

it('other failures are not retried', async () => {
  for (const error of [failure('23505'), failure('57P01'), failure('42P01'), new Error('Connection terminated')]) {
    let tries = 0;
    const work = async () => {
      tries++;
      throw error;
    };
    await expect(retrying(work, isCollision)).rejects.toBe(error);
    expect(tries).toBe(1);
  }
});

it('an aborted signal ends retries, even during a wait', async () => {
  const controller = new AbortController();
  let tries = 0;
  const work = async () => {
    if (++tries === 3) controller.abort(new Error('enough'));
    throw failure('40001');
  };
  await expect(retrying(work, isCollision, { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  expect(tries).toBe(3);
});
