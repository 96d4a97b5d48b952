import { describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

describe('Reading from a busy PostgreSQL', () => {
  const shared = sharedDatabase('PostgreSQL');

  it('ends when its signal is aborted, although the database has not answered', async () => {
    const { prisma } = shared.database;
    const store = new PrismaStore({ prisma, name: 'memory' });
    await store.put({ id: 'a', content: 'tea' });
    await prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRawUnsafe('LOCK TABLE keepsake_records IN ACCESS EXCLUSIVE MODE');
        const signal = AbortSignal.timeout(50);
        await expect(store.list({ signal })).rejects.toMatchObject({ code: 'ABORTED' });
        await expect(store.search('tea', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
          code: 'ABORTED',
        });
      },
      { timeout: 60_000 },
    );
    expect((await store.search('tea')).map(({ id }) => id)).toEqual(['a']);
  });
});
