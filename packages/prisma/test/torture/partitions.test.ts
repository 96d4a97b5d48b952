import { describe, expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { sharedDatabase } from '../databases.ts';
import { describeSessions } from '../session-kit.ts';
import { describeStores } from '../store-kit.ts';

describe('tables that partitions.sql has replaced', () => {
  const shared = sharedDatabase('partitioned PostgreSQL');

  it('keep records and items', async () => {
    const { prisma } = shared.database;
    const store = new PrismaStore({ prisma, name: 'memories' });
    await store.putMany([
      { id: 'a', content: 'An otter' },
      { id: 'b', content: 'A heron' },
    ]);
    await store.delete('b');
    expect((await store.search('otter heron')).map(({ id }) => id)).toEqual(['a']);
    const session = new PrismaSession({ prisma, sessionId: 'chat' });
    await session.addItems([{ text: 'Hello' }]);
    expect(await session.getItems()).toEqual([{ text: 'Hello' }]);
  });
});

describe('the whole kit', { tags: 'nightly' }, () => {
  describeStores('partitioned PostgreSQL');
  describeSessions('partitioned PostgreSQL');
});
